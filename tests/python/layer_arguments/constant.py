# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of constant layers: see accepted_arguments.py."""

import numpy as np
from accepted_bench import attribute, shape_of


def constant(bench):
    return bench.network.add_constant((2, 2), np.zeros((2, 2), np.float32))


ARGUMENTS = {
    "shape": {
        "INetworkDefinition.add_constant.shape": lambda bench, value: tuple(
            bench.network.add_constant(value, np.zeros(6, np.float32)).shape
        ),
        "IConstantLayer.shape": shape_of(constant, "shape"),
    },
    "weights": {
        "INetworkDefinition.add_constant.weights": lambda bench, value: bench.network.add_constant(
            (2, 2), value
        ).weights.tolist(),
        "IConstantLayer.weights": attribute(constant, "weights", lambda value: value.tolist()),
    },
}
