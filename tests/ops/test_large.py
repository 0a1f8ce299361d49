# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors of more than 2^31 elements, beyond 32-bit indices. On a real GPU only."""

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from case import Case, Engine

pytestmark = pytest.mark.cuda
ROWS, COLUMNS = 46341, 46343  # 2^31 + 97,315 elements; rows are not whole vectors


@pytest.fixture(autouse=True)
def gpu():
    if not device_memory.on_cuda() or device_memory.available():
        pytest.skip(device_memory.available() or "the target is not cuda")
    if device_memory.emulated():
        pytest.skip("the emulated GPU would take minutes")


def outputs(case, arrays):
    return Engine(case, np.int8, trt.Logger(trt.Logger.ERROR), dynamic=False).run(arrays)


def test_broadcast():
    case = Case(
        "sum", [((ROWS, 1), (1, COLUMNS))],
        lambda network, x, _: network.add_elementwise(
            x[0], x[1], trt.ElementWiseOperation.SUM).get_output(0),
        None,
    )  # fmt: skip
    column = (np.arange(ROWS) % 61).astype(np.int8).reshape(ROWS, 1)
    row = (np.arange(COLUMNS) % 59).astype(np.int8).reshape(1, COLUMNS)
    got = outputs(case, [column, row])
    for begin in range(0, ROWS, 4096):
        part = slice(begin, begin + 4096)
        np.testing.assert_array_equal(got[part], column[part] + row)


def test_dense():
    case = Case(
        "negative", [((ROWS, COLUMNS),)],
        lambda network, x, _: network.add_unary(x[0], trt.UnaryOperation.NEG).get_output(0),
        None,
    )  # fmt: skip
    values = np.resize((np.arange(10007) % 101).astype(np.int8), (ROWS, COLUMNS))
    got = outputs(case, [values])
    for begin in range(0, ROWS, 4096):
        part = slice(begin, begin + 4096)
        np.testing.assert_array_equal(got[part], -values[part])
