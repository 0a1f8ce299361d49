# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of activation layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute


def activation(bench):
    return bench.network.add_activation(bench.x, trt.ActivationType.RELU)


ARGUMENTS = {
    "real": {
        "IActivationLayer.alpha": attribute(activation, "alpha"),
        "IActivationLayer.beta": attribute(activation, "beta"),
    },
}
