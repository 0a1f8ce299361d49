# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""NVRTC's PTX, without a GPU."""

import pytest
from kiln.aot import aot_compilation

nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")

SOURCE = b"""
extern "C" __global__ void scale(float const* x, int n, float factor, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor;
}
"""


def succeeded(result):
    assert result[0] == nvrtc.nvrtcResult.NVRTC_SUCCESS, result
    return result[1] if len(result) > 1 else None


def test_a_kernel_of_nvrtc():
    try:
        program = succeeded(nvrtc.nvrtcCreateProgram(SOURCE, b"scale.cu", 0, [], []))
    except RuntimeError as error:
        pytest.skip(f"nvidia-cuda-nvrtc is not installed: {error}")
    with aot_compilation("cuda", "sm_90") as compilation:
        succeeded(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_90"]))
        text = b" " * succeeded(nvrtc.nvrtcGetPTXSize(program))
        succeeded(nvrtc.nvrtcGetPTX(program, text))
        ptx, cubin = compilation.completed([text])
    assert ptx.endswith(b"\0") and b".entry scale(" in ptx
    assert cubin.startswith(b"\x7fELF")
