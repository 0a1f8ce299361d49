# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shape: extents as values, and computations with them."""

import numpy as np
import tensorrt as trt
from case import Case


def _half_of_both(network, x, _):
    """(rows + columns) // 2, as a tensor."""
    shape = network.add_shape(x[0]).get_output(0)
    total = network.add_reduce(shape, trt.ReduceOperation.SUM, 1, True).get_output(0)
    two = network.add_constant((1,), np.array([2], np.int64)).get_output(0)
    divide = trt.ElementWiseOperation.FLOOR_DIV
    return network.add_elementwise(total, two, divide).get_output(0)


def _rows_first(network, x, _):
    """[rows, -1] of a rank 3 tensor, by input 1 of a shuffle."""
    shape = network.add_shape(x[0]).get_output(0)
    index = network.add_constant((1,), np.array([0], np.int32)).get_output(0)
    rows = network.add_gather(shape, index, 0).get_output(0)
    rest = network.add_constant((1,), np.array([-1], np.int64)).get_output(0)
    layer = network.add_shuffle(x[0])
    layer.set_input(1, network.add_concatenation([rows, rest]).get_output(0))
    return layer.get_output(0)


SHAPES = [((2, 3),), ((7, 3),), ((0, 4),)]
CASES = [
    Case("extents", SHAPES, lambda network, x, _: network.add_shape(x[0]).get_output(0),
         lambda x: np.array(x[0].shape, np.int64), types=(np.float32, np.int8)),
    Case("arithmetic", SHAPES, _half_of_both,
         lambda x: np.array([sum(x[0].shape) // 2], np.int64), types=(np.float32,)),
    Case("reshape", [((2, 3, 4),), ((5, 3, 4),), ((1, 2, 2),)], _rows_first,
         lambda x: x[0].reshape(x[0].shape[0], -1), types=(np.float32, np.int64)),
]  # fmt: skip
