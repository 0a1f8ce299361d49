# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Reduce: every operation, sets of axes, empty axes."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

FORMULAS = {"SUM": np.sum, "PROD": np.prod, "MAX": np.max, "MIN": np.min, "AVG": np.mean}


def _case(operation, axes, keep, shapes=None, name="", types=(np.float32, np.float16)):
    def build(network, x, _):
        mask = sum(1 << axis for axis in axes)
        op = getattr(trt.ReduceOperation, operation)
        return network.add_reduce(x[0], op, mask, keep).get_output(0)

    def expected(x):
        result = FORMULAS[operation](x[0], axis=axes, keepdims=keep)
        if x[0].dtype.kind == "i":
            return np.trunc(result).astype(x[0].dtype)
        return result

    label = f"{operation.lower()}_{''.join(map(str, axes))}{'_keep' if keep else ''}{name}"
    shapes = shapes or [((3, 4, 5),), ((1, 4, 5),), ((7, 4, 66),)]
    return Case(label, shapes, build, expected, types=types, low=-2, high=2, atol=1e-6)


def _empty(operation, value):
    case = _case(operation, (1,), False, [((2, 0),)], "_empty", (np.float32, np.int32))
    case.expected = lambda x: np.full(2, value(x[0].dtype), x[0].dtype)
    return case


def _limit(infinity, integer):
    return lambda dtype: infinity if dtype.kind == "f" else integer(np.iinfo(dtype))


INTEGERS = (np.int32, np.int64)
CASES = [
    _case(operation, axes, keep)
    for operation in FORMULAS
    for axes, keep in [((0,), False), ((1,), True), ((2,), False), ((0, 2), True)]
]
CASES += [_case(operation, (0, 1), False, types=INTEGERS, name="_whole") for operation in FORMULAS]
CASES += [_case(operation, (2,), True, types=INTEGERS, name="_whole") for operation in FORMULAS]
CASES += [_case("SUM", (0, 1, 2), False, name="_all")]
CASES += [
    _empty("SUM", lambda _: 0),
    _empty("PROD", lambda _: 1),
    _empty("MAX", _limit(-np.inf, lambda info: info.min)),
    _empty("MIN", _limit(np.inf, lambda info: info.max)),
    _empty("AVG", _limit(np.nan, lambda _: 0)),
]
CASES += [
    bfloat16_case("mean", [((3, 70),), ((9, 70),)],
                  lambda n, x: n.add_reduce(x[0], trt.ReduceOperation.AVG, 1 << 1, False),
                  lambda x: x[0].mean(axis=1)),
]  # fmt: skip
