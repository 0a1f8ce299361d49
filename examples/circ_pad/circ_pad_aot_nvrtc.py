# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""sample::circ_pad ahead of time for GPUs: CUDA C++, compiled by NVRTC into the plan.

Compiling needs no GPU. The plan stores the cubin and its PTX.
"""

from functools import lru_cache
from typing import Any

import circ_pad_cuda
import circ_pad_op
import circ_pad_v3
import kiln
import tensorrt.plugin as trtp
from cuda.bindings import nvrtc


def checked(result: tuple[Any, ...]) -> Any:
    """Returns the values of a call besides its status; raises RuntimeError if it failed."""
    status, *values = result
    if status.value:
        raise RuntimeError(f"NVRTC: {status}")
    return values[0] if values else None


@lru_cache
def compile_for(architecture: str) -> tuple[bytes, bytes]:
    """Returns PTX and cubin of the kernels."""
    program = checked(nvrtc.nvrtcCreateProgram(circ_pad_cuda.SOURCE.encode(), b"pad.cu", 0, [], []))
    options = [f"--gpu-architecture={architecture}".encode()]
    try:
        checked(nvrtc.nvrtcCompileProgram(program, len(options), options))
        ptx = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
        cubin = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
        checked(nvrtc.nvrtcGetPTX(program, ptx))
        checked(nvrtc.nvrtcGetCUBIN(program, cubin))
        return ptx, cubin
    finally:
        checked(nvrtc.nvrtcDestroyProgram(program))


@trtp.aot_impl("sample::circ_pad")
def circ_pad(
    x: trtp.TensorDesc, pads: circ_pad_op.Pads, outputs: tuple[trtp.TensorDesc]
) -> list[kiln.Kernel]:
    """Compiles for the target architecture; the engine evaluates the expressions."""
    numbers = circ_pad_cuda.scalars(list(x.shape_expr), circ_pad_v3.pairs_of(pads.tolist()))
    launch = trtp.KernelLaunchParams(
        grid_x=trtp.cdiv(numbers[0], circ_pad_cuda.BLOCK), block_x=circ_pad_cuda.BLOCK
    )
    code = list(compile_for(kiln.build_target().architecture))
    return [kiln.Kernel(circ_pad_op.entry_name(x), code, launch, numbers)]
