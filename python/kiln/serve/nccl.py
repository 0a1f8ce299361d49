# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of NCCL that make communicators. Kiln's engines call the others themselves."""

import ctypes
import os
from typing import Any

from kiln.serve.request import LoadError

_FILE = "libnccl.so.2"
_ID_BYTES = 128


class _UniqueId(ctypes.Structure):
    _fields_ = (("internal", ctypes.c_char * _ID_BYTES),)


class Nccl:
    """NCCL, from ``KILN_NCCL``, the system or a wheel. Raises LoadError if it is not there."""

    needs_gpu = True

    def __init__(self) -> None:
        self._library = _opened()
        self._library.ncclGetErrorString.restype = ctypes.c_char_p
        self._library.ncclCommInitRank.argtypes = [
            ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, _UniqueId, ctypes.c_int,
        ]  # fmt: skip

    def unique_id(self) -> bytes:
        """An id for a new communicator: 128 bytes."""
        made = _UniqueId()
        self._check("ncclGetUniqueId", self._library.ncclGetUniqueId(ctypes.byref(made)))
        return bytes(made)

    def connect(self, ranks: int, unique_id: bytes, rank: int) -> Any:
        """Joins the communicator on the first GPU of this process, and waits for all ranks.

        Returns a capsule for ``IExecutionContext.set_communicator``.
        """
        communicator = ctypes.c_void_p()
        wanted = _UniqueId.from_buffer_copy(unique_id)
        self._check(
            "ncclCommInitRank",
            self._library.ncclCommInitRank(ctypes.byref(communicator), ranks, wanted, rank),
        )
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(communicator, None, None)

    def _check(self, function: str, result: int) -> None:
        if result:
            text = self._library.ncclGetErrorString(result).decode()
            raise LoadError(
                f"[deploy] NCCL: {function} failed: {text}. NCCL_DEBUG=INFO prints more."
            )


def _opened() -> Any:
    """The library, found as engines find it: a copy does not know the communicators of another.

    One that is in the process goes before others, because engines and Torch may have opened it.
    """
    named = os.environ.get("KILN_NCCL")
    found = [(_FILE, os.RTLD_NOLOAD), (_FILE, 0), (_of_wheel(), 0)]
    problem = ""
    for name, flags in [(named, 0)] if named else found:
        if name is None:
            continue
        try:
            return ctypes.CDLL(name, ctypes.DEFAULT_MODE | flags)
        except OSError as error:
            problem = problem if flags else str(error)
    raise LoadError(
        f"[deploy] NCCL was not found: {problem}. Install the package nvidia-nccl-cu13, or name "
        "the library in KILN_NCCL."
    )


def _of_wheel() -> "str | None":
    """The library in the package nvidia-nccl-cu13 or its like."""
    try:
        import nvidia.nccl as package  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return None
    for folder in package.__path__:
        path = os.path.join(folder, "lib", _FILE)
        if os.path.exists(path):
            return path
    return None
