# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of fill layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute, shape_of


def fill(bench):
    return bench.network.add_fill((2,), trt.FillOperation.LINSPACE)


ARGUMENTS = {
    "shape": {
        "INetworkDefinition.add_fill.shape": lambda bench, value: tuple(
            bench.network.add_fill(value, trt.FillOperation.LINSPACE).shape
        ),
        "IFillLayer.shape": shape_of(fill, "shape"),
    },
    "real": {
        "IFillLayer.alpha": attribute(fill, "alpha", float),
        "IFillLayer.beta": attribute(fill, "beta", float),
    },
}
