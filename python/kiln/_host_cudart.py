# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A CUDA runtime over host memory, for programs on the CPU that copy tensors to the device."""

import ctypes
import os
from pathlib import Path

from kiln import _core
from kiln._messages import coded

FOLDER = Path(__file__).absolute().parent / "lib" / "kiln" / "cudart"
NAME = "libcudart.so"
VARIABLE = "LD_LIBRARY_PATH"

_opened: "list[ctypes.CDLL]" = []


def use_host_cudart() -> str:
    """Lets this program find a ``libcudart.so`` that works on host memory, as the cpu target does.

    For programs that allocate and copy through the CUDA runtime, such as those that use Polygraphy.
    Call it at the top of the program: from then on, opening ``libcudart.so`` by name, here and in
    child processes, returns this library even if another one is installed. Libraries that are
    linked with CUDA's runtime use a versioned name (``libcudart.so.13``) and still get CUDA's.

    Returns the folder of the library, which becomes the first in LD_LIBRARY_PATH.
    Raises RuntimeError if the default target is cuda, because its addresses are device addresses.
    """
    target = _core.default_target()
    if target.partition(":")[0] != "cpu":
        raise coded(
            RuntimeError,
            f"[cudart] host memory as device memory: expected the target cpu, got {target}. "
            "Set KILN_TARGET=cpu, or leave the CUDA runtime as it is.",
        )
    # The dynamic linker reads the variable when the process starts. A library that is already open
    # is found by its name anyway. Polygraphy and child processes read the variable.
    if not _opened:
        _opened.append(ctypes.CDLL(str(FOLDER / NAME)))
    before = [folder for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    others = [folder for folder in before if folder != str(FOLDER)]
    os.environ[VARIABLE] = os.pathsep.join([str(FOLDER), *others])
    return str(FOLDER)
