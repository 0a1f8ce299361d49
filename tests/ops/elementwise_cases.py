# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ElementWise: every operation, broadcasting along every axis."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

ANY_ADDRESS = True

FORMULAS = {
    "SUM": np.add,
    "PROD": np.multiply,
    "MAX": np.maximum,
    "MIN": np.minimum,
    "SUB": np.subtract,
    "DIV": np.divide,
    "POW": np.power,
    "FLOOR_DIV": np.floor_divide,
    "EQUAL": np.equal,
    "GREATER": np.greater,
    "LESS": np.less,
}
LOGIC = {"AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor, "EQUAL": np.equal}
SHAPES = [
    ((2, 3, 4), (2, 3, 4)),
    ((2, 1, 4), (1, 3, 1)),
    ((1, 1, 1), (2, 3, 4)),
    ((0, 3, 4), (1, 3, 4)),
    ((3, 1, 65), (3, 7, 65)),
    ((2, 1, 64), (2, 3, 64)),
    ((2, 3, 1), (1, 1, 2048)),
    ((2, 3, 67), (1, 3, 1)),
    ((3, 1, 19), (1, 5, 19)),
    ((3, 70, 131), (1, 1, 131)),
    ((1, 7, 131), (5, 7, 131)),
]


def _build(name):
    operation = getattr(trt.ElementWiseOperation, name)
    return lambda network, x, _: network.add_elementwise(x[0], x[1], operation).get_output(0)


def _numbers(name):
    def expected(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == "DIV" and x[0].dtype.kind == "i":
                return np.trunc(x[0] / x[1]).astype(x[0].dtype)
            return FORMULAS[name](x[0], x[1])

    # Positive inputs: no division by zero, and powers are defined.
    return Case(
        name.lower(), SHAPES, _build(name), expected, low=1, high=5,
        types=(np.float32, np.float16, np.int32, np.int64),
    )  # fmt: skip


CASES = [_numbers(name) for name in FORMULAS]
CASES += [
    Case(
        f"{name.lower()}_of_bool", SHAPES, _build(name), lambda x, f=f: f(x[0], x[1]),
        types=(np.bool_,),
    )
    for name, f in LOGIC.items()
]  # fmt: skip
# Of rank 1: such integers could be shape tensors, but are data here.
CASES += [
    Case(
        f"{name.lower()}_of_vectors", [((5,), (5,)), ((9,), (1,))], _build(name),
        _numbers(name).expected, low=1, high=5, types=(np.int32, np.int64),
    )
    for name in FORMULAS
]  # fmt: skip
CASES += [
    bfloat16_case("sum", [((3, 70), (3, 70)), ((1, 70), (9, 70))],
                  lambda n, x: n.add_elementwise(*x, trt.ElementWiseOperation.SUM),
                  lambda x: x[0] + x[1], most=4.0),
]  # fmt: skip
