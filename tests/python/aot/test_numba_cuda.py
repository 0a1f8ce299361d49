# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Numba's PTX, without a GPU."""

import re

import pytest
from kiln.aot import aot_compilation
from numba_for_cuda import numba_cuda

pytest.importorskip("cuda.bindings")
types = pytest.importorskip("numba").types


def test_a_kernel_of_numba():
    cuda = numba_cuda()

    def scale(x, n, factor, y):
        i = cuda.grid(1)
        if i < n:
            y[i] = x[i] * factor

    floats = types.CPointer(types.float32)
    signature = types.void(floats, types.int32, types.float32, floats)
    with aot_compilation("cuda", "sm_90") as compilation:
        text, _ = cuda.compile(scale, signature, device=False, cc=(9, 0), abi="numba", output="ptx")
        _, cubin = compilation.completed([text.encode()])
    assert len(re.findall(r"\.entry\s+([\w$]+)", text)) == 1
    assert text.count(".param .u64") == 2, "pointers are one parameter each"
    assert cubin.startswith(b"\x7fELF")
