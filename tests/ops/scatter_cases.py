# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Scatter: elements along each axis, tuples, indices from the end and out of range, every type.

Indices are different, because it is not specified which of several updates wins.
"""

import numpy as np
import tensorrt as trt
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)
ELEMENT, ND = trt.ScatterMode.ELEMENT, trt.ScatterMode.ND


def _elements(axis):
    def expected(x):
        result = x[0].copy()
        extent = x[0].shape[axis]
        for position in np.ndindex(x[1].shape):
            index = x[1][position]
            if -extent <= index < extent:
                at = list(position)
                at[axis] = index
                result[tuple(at)] = x[2][position]
        return result

    return expected


def _tuples(x):
    result = x[0].copy()
    for position in np.ndindex(x[1].shape[:-1]):
        index = x[1][position]
        extents = x[0].shape[: len(index)]
        if all(-extent <= i < extent for i, extent in zip(index, extents, strict=True)):
            result[tuple(index)] = x[2][position]
    return result


def _case(name, shapes, indices, mode=ELEMENT, axis=0, index=np.int32, types=TYPES, **more):
    """indices: numbers that are repeated to fill the second input."""

    def build(network, x, _):
        layer = network.add_scatter(x[0], x[1], x[2], mode)
        layer.axis = axis
        return layer.get_output(0)

    expected = _elements(axis) if mode == ELEMENT else _tuples
    return Case(name, shapes, build, expected, types=types, low=0, high=9,
                others={1: (index, 0, 0)}, values={1: indices}, **more)  # fmt: skip


FEW = (np.float32, np.float16, np.int8)


def _chain(name, reads_later):
    """Internal data that the layer may write over, unless a later layer reads it."""

    def build(network, x, _):
        total = trt.ElementWiseOperation.SUM
        data = network.add_elementwise(x[0], x[0], total).get_output(0)
        indices = network.add_constant((2, 1), np.array([[3], [-1]], np.int32)).get_output(0)
        written = network.add_scatter(data, indices, x[1], ND).get_output(0)
        other = data if reads_later else x[0]
        return network.add_elementwise(written, other, total).get_output(0)

    def expected(x):
        data = x[0] + x[0]
        other = data if reads_later else x[0]
        written = data.copy()
        written[[3, -1]] = x[1]
        return written + other

    return Case(name, [((6, 5), (2, 5)), ((9, 40), (2, 40))], build, expected)


PAIRS = [[i // 6, i % 6] for i in range(24)]
CASES = [
    _case("rows", [((5, 4), (2, 4), (2, 4)), ((9, 4), (2, 4), (2, 4))], [[1] * 4, [4] * 4]),
    _case("columns", [((3, 7), (3, 2), (3, 2)), ((40, 7), (33, 2), (33, 2))], [-1, 2], axis=1),
    _case("last_of_three", [((2, 3, 6), (2, 2, 3), (2, 2, 3))], [5, 0, -3], axis=-1,
          index=np.int64),
    _case("many_rows", [((260, 33), (260, 12), (260, 12)), ((300, 40), (300, 12), (300, 12))],
          [32, -1 - 32, 5, -2, 40, -41, 6, 8, 9, 20, 21, 22], axis=-1),
    _case("many_rows_of_any_length", [((257, 35), (257, 9), (257, 9))],
          [34, -1 - 34, 5, -2, 40, -41, 7, 8, 9], axis=1, index=np.int64, any_address=True),
    _case("middle", [((2, 8, 5), (2, 3, 4), (2, 3, 4))], [[1] * 4, [-1] * 4, [3] * 4], axis=1),
    _case("outside", [((6, 3), (4, 3), (4, 3))], [[6] * 3, [-7] * 3, [2] * 3, [-1] * 3]),
    _case("vector", [((9,), (4,), (4,)), ((90000,), (4,), (4,))], [8, 0, -4, 2],
          index=np.int64),
    _case("nothing", [((3, 4), (0, 4), (0, 4)), ((0, 4), (0, 4), (0, 4))], [0]),
    _case("tuples", [((4, 6), (24, 2), (24,))], PAIRS[::-1], ND, types=FEW),
    _case("some_tuples", [((4, 6, 3), (2, 2, 2), (2, 2, 3))], [[1, 5], [-1, 0], [0, -2], [2, 2]],
          ND),
    _case("long_rows", [((9, 132), (3, 1), (3, 132)), ((9, 70), (3, 1), (3, 70))], [[8], [-9], [4]],
          ND, index=np.int64),
    _case("rows_of_words", [((9, 64), (3, 1), (3, 64))], [[8], [-9], [4]], ND, any_address=True),
    _case("many_rows_of_words", [((300, 128), (77, 1), (77, 128)), ((40, 256), (11, 1), (11, 256))],
          [[i * 37 % 400 - 100] for i in range(77)], ND, any_address=True),
    _case("many_tuples_of_words", [((4, 9, 64), (11, 2), (11, 64))],
          [[i % 4, i * 2 % 11 - 9] for i in range(11)], ND, index=np.int64),
    _case("tuples_outside", [((4, 5), (5, 1), (5, 5))], [[4], [-5], [1], [3], [0]], ND),
    _case("large_parts", [((3, 70000), (2, 1), (2, 70000))], [[2], [0]], ND, types=FEW),
    _chain("over_data", False),
    _chain("kept_data", True),
    _case("no_tuples", [((3, 4), (0, 1), (0, 4)), ((3, 4), (2, 1), (2, 4))], [[1], [0]], ND),
]  # fmt: skip
