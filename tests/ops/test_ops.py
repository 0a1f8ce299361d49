# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every op, from the network API through plan and context, against NumPy."""

import numpy as np
import pytest
from case import Engine, check
from case_tables import TABLES, may_shift

ROWS = [
    pytest.param(case, dtype, id=f"{op}-{case.name}-{np.dtype(dtype).name}")
    for op, cases in TABLES.items()
    for case in cases
    for dtype in case.types
]
SHIFTED_ROWS = [row for row in ROWS if may_shift(row.id.split("-")[0], row.values[0])]
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
