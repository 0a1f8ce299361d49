# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Unary: every function."""

import math

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

ANY_ADDRESS = True

SHAPES = [((2, 3, 5),), ((1, 3, 5),), ((0, 3, 5),), ((2, 3, 301),)]
# Name: formula, lowest and highest input.
FLOATS = {
    "EXP": (np.exp, -6, 6),
    "LOG": (np.log, 0.1, 9),
    "SQRT": (np.sqrt, 0, 9),
    "RECIP": (np.reciprocal, 0.2, 9),
    "ABS": (np.abs, -9, 9),
    "NEG": (np.negative, -9, 9),
    "SIN": (np.sin, -9, 9),
    "COS": (np.cos, -9, 9),
    "TAN": (np.tan, -1, 1),
    "SINH": (np.sinh, -4, 4),
    "COSH": (np.cosh, -4, 4),
    "ASIN": (np.arcsin, -0.9, 0.9),
    "ACOS": (np.arccos, -0.9, 0.9),
    "ATAN": (np.arctan, -9, 9),
    "ASINH": (np.arcsinh, -9, 9),
    "ACOSH": (np.arccosh, 1.1, 9),
    "ATANH": (np.arctanh, -0.9, 0.9),
    "CEIL": (np.ceil, -9, 9),
    "FLOOR": (np.floor, -9, 9),
    "ERF": (np.vectorize(math.erf, otypes=[np.float64]), -3, 3),
    "SIGN": (np.sign, -9, 9),
    "ROUND": (np.rint, -9, 9),
}


def _case(name, formula, low, high, types=(np.float32, np.float16)):
    operation = getattr(trt.UnaryOperation, name)
    return Case(
        f"{name.lower()}_{np.dtype(types[0]).name}",
        SHAPES,
        lambda network, x, _: network.add_unary(x[0], operation).get_output(0),
        lambda x: formula(x[0]),
        types=types,
        low=low,
        high=high,
        atol=2e-6,
    )


def _special_case(name, formula):
    """A case whose inputs include 1 / 0, -1 / 0 and 0 / 0 beside plain numbers."""

    def build(network, x, _):
        whole = [network.add_unary(t, trt.UnaryOperation.ROUND).get_output(0) for t in x]
        divide = trt.ElementWiseOperation.DIV
        quotient = network.add_elementwise(*whole, divide).get_output(0)
        return network.add_unary(quotient, getattr(trt.UnaryOperation, name)).get_output(0)

    def expected(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            return formula(np.rint(x[0]) / np.rint(x[1]))

    return Case(name.lower(), [((64,), (64,)), ((9,), (9,))], build, expected, low=-1, high=1)


INTEGERS = (np.int32, np.int64, np.int8)
CASES = [_case(name, *row) for name, row in FLOATS.items()]
CASES += [_case(name, FLOATS[name][0], -9, 9, INTEGERS) for name in ("ABS", "NEG", "SIGN")]
CASES += [_case("NOT", np.logical_not, 0, 1, (np.bool_,))]
CASES += [_special_case("ISNAN", np.isnan), _special_case("ISINF", np.isinf)]
CASES += [
    bfloat16_case("exp", [((3, 70),), ((9, 70),)],
                  lambda n, x: n.add_unary(x[0], trt.UnaryOperation.EXP), lambda x: np.exp(x[0]),
                  most=8.0),
]  # fmt: skip
