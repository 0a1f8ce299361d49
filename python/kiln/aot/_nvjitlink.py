# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Assembles PTX for a GPU with nvJitLink, which CUDA builds of Torch and CuPy install."""

import ctypes
import importlib.util
from collections.abc import Iterator
from pathlib import Path

_PTX = 2  # NVJITLINK_INPUT_PTX


def libraries() -> Iterator[str]:
    """The paths of nvJitLink in the installed wheels, the newest toolkit's first."""
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for place in ("cu13/lib/libnvJitLink.so.13", "nvjitlink/lib/libnvJitLink.so.12"):
            if (Path(root) / place).exists():
                yield str(Path(root) / place)


def assemble(library: str, ptx: bytes, architecture: str) -> "tuple[bytes | None, str]":
    """The cubin, or None and the reason."""
    try:
        functions = ctypes.CDLL(library)
    except OSError as error:
        return None, str(error)
    handle = ctypes.c_void_p()
    options = (ctypes.c_char_p * 1)(f"-arch={architecture}".encode())
    if functions.nvJitLinkCreate(ctypes.byref(handle), 1, options) != 0:
        return None, f"'{architecture}' is not defined for option '-arch'"
    try:
        text = ptx + b"\0"
        size = ctypes.c_size_t(len(text))
        failed = functions.nvJitLinkAddData(handle, _PTX, text, size, b"kernel.ptx")
        if failed or functions.nvJitLinkComplete(handle):
            return None, _taken(functions, handle, "ErrorLog").rstrip(b"\0").decode().strip()
        return _taken(functions, handle, "LinkedCubin"), ""
    finally:
        functions.nvJitLinkDestroy(ctypes.byref(handle))


def _taken(functions: ctypes.CDLL, handle: ctypes.c_void_p, what: str) -> bytes:
    """Gets a result of the library with two calls: one for the size, one for the bytes."""
    size = ctypes.c_size_t()
    getattr(functions, f"nvJitLinkGet{what}Size")(handle, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(functions, f"nvJitLinkGet{what}")(handle, buffer)
    return buffer.raw
