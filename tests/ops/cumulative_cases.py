# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Cumulative: each axis, exclusive and reverse sums, short and long rows and columns.

Sums of up to 600 numbers of size 2 are rounded once; float16 is also summed in float32.
"""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

TYPES = (np.float32, np.float16, np.int32, np.int64)
SUM = trt.CumulativeOperation.SUM


def _layer(network, x, axis, exclusive=False, reverse=False, axis_type=np.int32):
    constant = network.add_constant((), np.array([axis], axis_type)).get_output(0)
    return network.add_cumulative(x, constant, SUM, exclusive, reverse)


def _formula(axis, exclusive=False, reverse=False):
    def expected(x):
        data = np.flip(x[0], axis) if reverse else x[0]
        sums = np.cumsum(data, axis, dtype=data.dtype)
        sums = sums - data if exclusive else sums
        return np.flip(sums, axis) if reverse else sums

    return expected


def _case(name, shapes, axis, exclusive=False, reverse=False, types=TYPES, **more):
    def build(network, x, dtype):
        kind = np.int64 if np.issubdtype(dtype, np.integer) else np.int32
        return _layer(network, x[0], axis, exclusive, reverse, kind).get_output(0)

    # An empty tensor cannot begin behind its memory.
    shifts = all(0 not in shape for one in shapes for shape in one)
    return Case(name, shapes, build, _formula(axis, exclusive, reverse), types=types, atol=1e-5,
                any_address=shifts, **more)  # fmt: skip


FEW = (np.float32, np.int32)
CASES = [
    _case("rows", [((3, 7),), ((40, 300),), ((0, 7),), ((3, 0),)], 1),
    _case("columns", [((7, 3),), ((300, 70),)], 0),
    _case("middle", [((2, 9, 5),), ((1, 200, 3),)], -2),
    _case("exclusive", [((4, 33),), ((2, 64),)], -1, exclusive=True),
    _case("reverse", [((4, 33),), ((2, 64),)], 1, reverse=True),
    _case("exclusive_reverse", [((4, 33, 2),), ((2, 64, 5),)], 1, True, True),
    _case("exclusive_reverse_rows", [((4, 300),), ((2, 64),)], 1, True, True),
    _case("long_rows", [((2, 3000),), ((1, 40000),)], 1, types=FEW),
    _case("long_rows_reverse", [((1, 70000),)], 1, False, True, types=FEW),
    _case("long_columns", [((3000, 2),), ((40000, 1),)], 0, True, types=FEW),
    _case("long_columns_reverse", [((40000, 3),)], 0, False, True, types=FEW),
    _case("held_columns", [((2, 300, 4104),)], 1, types=(np.float16,)),
    _case("held_columns_reverse", [((70, 4100),)], 0, True, True, types=FEW),
    _case("wraps", [((2, 50),)], 1, types=(np.int32,), low=2**30, high=2**31 - 1),
    bfloat16_case("rows", [((3, 70),), ((5, 64),)], lambda network, x: _layer(network, x[0], 1),
                  _formula(1), most=64.0),
]  # fmt: skip
