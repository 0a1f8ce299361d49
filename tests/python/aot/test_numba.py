# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared objects from Numba's C callbacks; they run without calling Python functions."""

import math
import subprocess

import numpy as np
import pytest
from kiln import aot

numba = pytest.importorskip("numba")
types = numba.types
FLOATS = types.CPointer(types.CPointer(types.float32))
SIGNATURE = types.int32(FLOATS, FLOATS, types.CPointer(types.int64), types.voidptr)


@numba.cfunc(SIGNATURE)
def roll(inputs, outputs, scalars, call):
    n = scalars[0]
    x = numba.carray(inputs[0], (n,))
    y = numba.carray(outputs[0], (n,))
    for i in range(n):
        y[i] = math.sin(x[(i + 3) % n])
    return 0


@numba.cfunc(SIGNATURE)
def divide(inputs, outputs, scalars, call):
    outputs[0][0] = 12 // scalars[0]
    return 0


def test_it_computes(load, ramp):
    out = np.zeros_like(ramp)
    assert load(aot.from_numba(roll), "roll")([ramp], [out], [10]) == 0
    np.testing.assert_allclose(out, np.sin(np.roll(ramp, -3)), rtol=1e-6)


def test_an_exception_is_a_number(load):
    out = np.zeros(1, np.float32)
    kernel = load(aot.from_numba(divide, name="quotient"), "quotient")
    assert kernel([], [out], [5]) == 0
    assert out[0] == 2
    assert kernel([], [out], [0]) != 0


def test_it_needs_no_python(tmp_path):
    path = tmp_path / "roll.so"
    path.write_bytes(aot.from_numba(roll, cpu="native"))
    symbols = subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True).stdout
    assert "roll" in symbols
    assert "Py" not in symbols and "numba_gil" not in symbols


def test_the_same_function_gives_the_same_bytes():
    assert aot.from_numba(roll) == aot.from_numba(roll)


def test_functions_that_need_the_runtime_are_refused():
    @numba.cfunc(SIGNATURE)
    def allocates(inputs, outputs, scalars, call):
        scratch = np.empty(scalars[0], np.float32)
        for i in range(scalars[0]):
            scratch[i] = inputs[0][i]
        outputs[0][0] = scratch.sum()
        return 0

    with pytest.raises(RuntimeError, match="found these undefined: NRT_"):
        aot.from_numba(allocates)


def test_other_signatures_are_refused():
    with pytest.raises(TypeError, match=r"expected what numba\.cfunc.* gives, got function"):
        aot.from_numba(lambda: 0)

    @numba.cfunc(types.int64(types.int64))
    def wrong(x):
        return x

    with pytest.raises(TypeError, match="cfunc 'wrong': expected four pointers and int32"):
        aot.from_numba(wrong)


def test_functions_from_a_cache_are_refused(monkeypatch):
    monkeypatch.setattr(type(roll), "inspect_llvm", lambda self: "")
    with pytest.raises(RuntimeError, match="cfunc 'roll': expected one that this process compiled"):
        aot.from_numba(roll)
