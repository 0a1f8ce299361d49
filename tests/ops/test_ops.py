# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every op, from the network API through plan and context, against NumPy."""

import numpy as np
import pytest
from activation_cases import CASES as ACTIVATION
from bfloat16_cases import CASES as BFLOAT16
from case import Engine, check
from cast_cases import CASES as CAST
from concatenation_cases import CASES as CONCATENATION
from constant_cases import CASES as CONSTANT
from convolution_cases import CASES as CONVOLUTION
from elementwise_cases import CASES as ELEMENTWISE
from extremes_cases import CASES as EXTREMES
from fill_cases import CASES as FILL
from gather_cases import CASES as GATHER
from identity_cases import CASES as IDENTITY
from matrix_multiply_cases import CASES as MATRIX_MULTIPLY
from normalization_cases import CASES as NORMALIZATION
from pooling_cases import CASES as POOLING
from reduce_cases import CASES as REDUCE
from select_cases import CASES as SELECT
from shape_cases import CASES as SHAPE
from shuffle_cases import CASES as SHUFFLE
from slice_cases import CASES as SLICE
from softmax_cases import CASES as SOFTMAX
from unary_cases import CASES as UNARY

TABLES = {
    "activation": ACTIVATION,
    "bfloat16": BFLOAT16,
    "cast": CAST,
    "concatenation": CONCATENATION,
    "constant": CONSTANT,
    "convolution": CONVOLUTION,
    "elementwise": ELEMENTWISE,
    "extremes": EXTREMES,
    "fill": FILL,
    "gather": GATHER,
    "identity": IDENTITY,
    "matrix_multiply": MATRIX_MULTIPLY,
    "normalization": NORMALIZATION,
    "pooling": POOLING,
    "reduce": REDUCE,
    "select": SELECT,
    "shape": SHAPE,
    "shuffle": SHUFFLE,
    "slice": SLICE,
    "softmax": SOFTMAX,
    "unary": UNARY,
}
ROWS = [
    pytest.param(case, dtype, id=f"{op}-{case.name}-{np.dtype(dtype).name}")
    for op, cases in TABLES.items()
    for case in cases
    for dtype in case.types
]
# Their kernels read and write wide words where addresses allow it.
SHIFTED = {"activation", "bfloat16", "cast", "elementwise", "extremes", "fill", "select", "unary"}
SHIFTED_ROWS = [row for row in ROWS if row.id.split("-")[0] in SHIFTED]
DYNAMIC_ROWS = [row for row in ROWS if len(row.values[0].shapes) > 1]


@pytest.mark.parametrize(("case", "dtype"), ROWS)
def test_static(case, dtype, logger):
    engine = Engine(case, dtype, logger, dynamic=False)
    arrays = case.arrays(case.shapes[0], dtype)
    check(case, arrays, engine.run(arrays))


@pytest.mark.parametrize(("case", "dtype"), DYNAMIC_ROWS)
def test_dynamic(case, dtype, logger):
    engine = Engine(case, dtype, logger, dynamic=True)
    for shapes in [*case.shapes, case.shapes[0]]:
        arrays = case.arrays(shapes, dtype)
        check(case, arrays, engine.run(arrays))


@pytest.mark.parametrize(("case", "dtype"), SHIFTED_ROWS)
def test_any_address(case, dtype, logger):
    engine = Engine(case, dtype, logger, dynamic=len(case.shapes) > 1)
    for shapes in case.shapes:
        arrays = case.arrays(shapes, dtype)
        check(case, arrays, engine.run(arrays, shift=1))
