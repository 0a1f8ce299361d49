# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers for functions that compile a plugin's code when the engine is built.

An ``aot_impl`` returns code: PTX or a cubin for a GPU, a shared object for the CPU. These functions
make such code, also on a machine without the GPU:

compile_c, from_numba, link: a shared object for the CPU from C or C++ source, from a Numba
``cfunc``, from relocatable objects. cubin_for: machine code for a GPU from PTX.

While an ``aot_impl`` runs for a GPU, ``triton.compile(source)`` compiles for the GPU that the
engine is built for, and the plan stores Triton's cubin with its PTX. Other PTX is assembled by
``ptxas`` or nvJitLink if one is found.
"""

from kiln.aot._c import compile_c, link
from kiln.aot._compilation import Compilation, aot_compilation
from kiln.aot._numba import from_numba
from kiln.aot._ptxas import cubin_for

__all__ = ["Compilation", "aot_compilation", "compile_c", "cubin_for", "from_numba", "link"]
