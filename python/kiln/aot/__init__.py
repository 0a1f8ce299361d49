# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers for functions that compile a plugin's code when the engine is built.

What an ``aot_impl`` returns is code: PTX or a cubin for a GPU, a shared object for the CPU. Here is
what makes such code on a machine that has neither the GPU nor the network that it is for:

compile_c, from_numba, link: a shared object for the CPU from C or C++ source, from a Numba
``cfunc``, from relocatable objects. cubin_for: machine code for a GPU from PTX.

While an ``aot_impl`` runs for a GPU, ``triton.compile(source)`` compiles for the GPU that the
engine is built for, and what Triton's PTX was assembled to is kept beside it. PTX from elsewhere is
assembled by ``ptxas`` where one is found.
"""

from kiln.aot._c import compile_c, link
from kiln.aot._compilation import Compilation, aot_compilation
from kiln.aot._numba import from_numba
from kiln.aot._ptxas import cubin_for

__all__ = ["Compilation", "aot_compilation", "compile_c", "cubin_for", "from_numba", "link"]
