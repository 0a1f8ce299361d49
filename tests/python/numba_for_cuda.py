# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Numba for CUDA, where it is installed and works."""

import importlib

import pytest


def numba_cuda():
    """Returns the module numba.cuda, or skips the test.

    Some versions of numba-cuda use functions that the NumPy beside them lacks (`row_stack` since
    NumPy 2.5). They show that only when they compile, so the module that does it is imported here.
    """
    try:
        importlib.import_module("numba_cuda")
        cuda = importlib.import_module("numba.cuda")
        importlib.import_module("numba.cuda.cudaimpl")
        return cuda
    except Exception as problem:
        pytest.skip(f"numba.cuda: {problem!r}")
