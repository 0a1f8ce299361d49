# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The CUDA runtime over host memory, with which programs that copy to a "device" run on the CPU."""

import ctypes
import os
from pathlib import Path

from kiln import _core

FOLDER = Path(__file__).absolute().parent / "lib" / "kiln" / "cudart"
NAME = "libcudart.so"
VARIABLE = "LD_LIBRARY_PATH"

_opened: "list[ctypes.CDLL]" = []


def use_host_cudart() -> str:
    """Lets this program find a ``libcudart.so`` that works on host memory, as the cpu target does.

    For programs that allocate and copy through the CUDA runtime, such as those that use Polygraphy.
    Call it at the top of the program: what is opened by its name from then on, here and in child
    processes, is this library, also where another one is installed. Libraries that were built with
    CUDA's runtime ask for it by another name (``libcudart.so.13``) and still get that one.

    Returns the folder of the library, which comes first in LD_LIBRARY_PATH now.
    Raises RuntimeError if the default target is cuda, whose addresses are those of a device.
    """
    target = _core.default_target()
    if target.partition(":")[0] != "cpu":
        raise RuntimeError(
            f"[cudart] host memory as device memory: expected the target cpu, got {target}. "
            "Set KILN_TARGET=cpu, or leave the CUDA runtime as it is."
        )
    # The dynamic linker has read the variable when the process began. What is open is found by its
    # name all the same; Polygraphy and child processes look at the variable.
    if not _opened:
        _opened.append(ctypes.CDLL(str(FOLDER / NAME)))
    before = [folder for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    others = [folder for folder in before if folder != str(FOLDER)]
    os.environ[VARIABLE] = os.pathsep.join([str(FOLDER), *others])
    return str(FOLDER)
