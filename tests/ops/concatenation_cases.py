# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Concatenation: each axis, one input, many inputs, empty inputs."""

import numpy as np
from bfloat16 import bfloat16_case
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)


def _case(name, shapes, axis):
    def build(network, x, _):
        layer = network.add_concatenation(x)
        if axis is not None:
            layer.axis = axis
        return layer.get_output(0)

    def expected(x):
        return np.concatenate(x, max(x[0].ndim - 3, 0) if axis is None else axis)

    return Case(name, shapes, build, expected, types=TYPES, low=0, high=9)


CASES = [
    _case("first", [((2, 3), (4, 3)), ((1, 3), (0, 3))], 0),
    _case("last", [((2, 3), (2, 1), (2, 4)), ((5, 3), (5, 2), (5, 4))], 1),
    _case("middle", [((2, 3, 4), (2, 5, 4)), ((3, 0, 4), (3, 1, 4))], 1),
    _case("default", [((2, 1, 3, 4), (2, 2, 3, 4))], None),
    _case("single", [((2, 3),)], 1),
    _case("long_rows", [((7, 50), (7, 131), (7, 1)), ((9, 48), (9, 0), (9, 33))], 1),
    _case("images", [((2, 3, 40, 21), (2, 5, 40, 21)), ((1, 1, 40, 21), (1, 2, 40, 21))], 1),
    _case("twelve", [tuple((5, 3, i) for i in range(12)), tuple((4, 3, 20) for _ in range(12))], 2),
]
CASES += [
    bfloat16_case("rows", [((3, 70), (3, 70)), ((1, 70), (9, 70))],
                  lambda n, x: n.add_concatenation(x), np.concatenate),
]  # fmt: skip
