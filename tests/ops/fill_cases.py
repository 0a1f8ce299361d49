# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Fill: evenly spaced values; shape, alpha and betas as tensors.

The values are added to an input, because every case has one.
"""

import numpy as np
import tensorrt as trt
from case import TRT_TYPES, Case

ANY_ADDRESS = True

LINSPACE = trt.FillOperation.LINSPACE


def _constants(network, x, dtype):
    layer = network.add_fill((5,), LINSPACE, TRT_TYPES[dtype])
    layer.alpha, layer.beta = 3, -2
    total = trt.ElementWiseOperation.SUM
    return network.add_elementwise(x[0], layer.get_output(0), total).get_output(0)


def _tensors(network, x, dtype):
    """The input plus 2 + 10 * row + column."""
    layer = network.add_fill((), LINSPACE, TRT_TYPES[dtype])
    layer.set_input(0, network.add_shape(x[0]).get_output(0))
    layer.set_input(1, network.add_constant((), np.array([2], dtype)).get_output(0))
    layer.set_input(2, network.add_constant((2,), np.array([10, 1], dtype)).get_output(0))
    total = trt.ElementWiseOperation.SUM
    return network.add_elementwise(x[0], layer.get_output(0), total).get_output(0)


def _grid(x):
    rows, columns = np.indices(x[0].shape)
    return (x[0] + 2 + 10 * rows + columns).astype(x[0].dtype)


TYPES = (np.float32, np.float16, np.int32, np.int64)
CASES = [
    Case("constants", [((5,),)], _constants,
         lambda x: (x[0] + 3 - 2 * np.arange(5)).astype(x[0].dtype), types=TYPES),
    Case("tensors", [((2, 3),), ((4, 1),)], _tensors, _grid, types=TYPES),
]  # fmt: skip
