# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""OneHot: each axis, indices from the end and out of range, depths that inputs decide."""

import numpy as np
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)


def one_hot(indices, values, depth, axis):
    axis %= indices.ndim + 1
    indices = np.expand_dims(np.where(indices < 0, indices + depth, indices), axis)
    places = np.arange(depth).reshape([-1 if i == axis else 1 for i in range(indices.ndim)])
    return np.where(indices == places, values[1], values[0])


def _case(name, shapes, axis, depth=5, index_type=np.int32, depth_type=np.int64, types=TYPES):
    def build(network, x, _):
        constant = network.add_constant((), np.array(depth, depth_type)).get_output(0)
        return network.add_one_hot(x[0], x[1], constant, axis).get_output(0)

    return Case(
        name, shapes, build, lambda x: one_hot(x[0], x[1], depth, axis), types=types, low=0,
        high=1, others={0: (index_type, -7, 7)},
    )  # fmt: skip


def _computed_depth():
    """The depth is an extent of the third input."""

    def build(network, x, _):
        shape = network.add_shape(x[2]).get_output(0)
        depth = network.add_slice(shape, (1,), (1,), (1,)).get_output(0)
        return network.add_one_hot(x[0], x[1], depth, -1).get_output(0)

    shapes = [((3,), (2,), (1, 4)), ((2,), (2,), (1, 9)), ((0,), (2,), (1, 2))]
    return Case(
        "computed_depth", shapes, build, lambda x: one_hot(x[0], x[1], x[2].shape[1], -1),
        others={0: (np.int32, 0, 5)},
    )  # fmt: skip


MATRICES = [((2, 3), (2,)), ((4, 1), (2,)), ((0, 3), (2,))]
CASES = [_case(f"axis_{axis}", MATRICES, axis) for axis in (-3, -2, -1, 0, 1, 2)]
CASES += [
    _case("scalar", [((), (2,))], 0),
    _case("long_indices", MATRICES, -1, index_type=np.int64, depth_type=np.int32),
    _case("deep", [((3, 4), (2,)), ((40, 1), (2,))], -1, depth=1284),
    _case("no_depth", MATRICES, 1, depth=0),
    _computed_depth(),
]
