# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Torch's CPU tensors and their copies on the emulated GPU."""

import ctypes
import os


class Memory:
    def __init__(self):
        self.driver = ctypes.CDLL(os.environ["KILN_CUDA_DRIVER"])
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        self.copies = {}

    def call(self, function, *arguments):
        code = getattr(self.driver, function)(*arguments)
        if code:
            raise SystemExit(f"{function}: CUDA error {code}")

    def address(self, tensor):
        """The address of a copy of a tensor, which is never freed."""
        size = ctypes.c_uint64(max(tensor.numel() * tensor.element_size(), 1))
        copy = ctypes.c_void_p()
        self.call("cuMemAlloc_v2", ctypes.byref(copy), size)
        self.call("cuMemcpyHtoDAsync_v2", copy, ctypes.c_void_p(tensor.data_ptr()), size, None)
        self.call("cuStreamSynchronize", None)
        self.copies[tensor.data_ptr()] = copy, size
        return copy.value

    def fetch(self, tensors):
        """Copies back what the engine has written."""
        self.call("cuCtxSynchronize")
        for tensor in tensors:
            copy, size = self.copies[tensor.data_ptr()]
            self.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(tensor.data_ptr()), copy, size, None)
        self.call("cuStreamSynchronize", None)
