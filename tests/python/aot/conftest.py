# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls host kernels through ctypes, as the engine does."""

import ctypes

import numpy as np
import pytest


class HostKernel:
    """A kernel of a shared object."""

    def __init__(self, code, name, folder):
        path = folder / f"{name}.so"
        path.write_bytes(code)
        self.library = ctypes.CDLL(str(path))
        self.entry = getattr(self.library, name)
        self.entry.restype = ctypes.c_int32

    def __call__(self, inputs, outputs, scalars=()):
        def addresses(arrays):
            return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))

        numbers = (ctypes.c_int64 * max(len(scalars), 1))(*scalars)
        return self.entry(addresses(inputs), addresses(outputs), numbers, None)


@pytest.fixture
def load(tmp_path):
    return lambda code, name: HostKernel(code, name, tmp_path)


@pytest.fixture
def ramp():
    return np.arange(10, dtype=np.float32)
