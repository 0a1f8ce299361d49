# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Circular padding of the last two axes in CUDA C++, compiled by NVRTC."""

import functools

import numpy as np
from cuda.bindings import driver, nvrtc

NAME = "circ_pad"
BLOCK = 256
PAD = 1
C_TYPES = {np.dtype("float32"): "unsigned int", np.dtype("float16"): "unsigned short"}

TEXT = """
extern "C" __global__ void circ_pad(ELEMENT const* x, int height, int width, int pad, int count,
                                    ELEMENT* y) {
    int const at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) {
        return;
    }
    int const wide = width + 2 * pad;
    int const high = height + 2 * pad;
    int const column = (at % wide - pad + width) % width;
    int const row = (at / wide % high - pad + height) % height;
    int const plane = at / wide / high;
    y[at] = x[(plane * height + row) * width + column];
}
"""


def succeeded(result):
    """Checks the status of a cuda.bindings result and returns its values."""
    status, *values = result
    if int(status) != 0:
        raise RuntimeError(str(status))
    return values[0] if len(values) == 1 else values


def padded(shape):
    """The output's shape."""
    return (*shape[:-2], shape[-2] + 2 * PAD, shape[-1] + 2 * PAD)


def grid_of(shape):
    """Number of blocks for an input of this shape."""
    return -(-int(np.prod(padded(shape))) // BLOCK)


def numbers_of(shape):
    """The scalar arguments."""
    return shape[-2], shape[-1], PAD, int(np.prod(padded(shape)))


def text_for(dtype):
    """The source for one element type."""
    return TEXT.replace("ELEMENT", C_TYPES[np.dtype(dtype)])


@functools.cache
def cubin(dtype, architecture):
    """Compiles machine code for an architecture, for example "sm_90"."""
    program = succeeded(nvrtc.nvrtcCreateProgram(text_for(dtype).encode(), b"pad.cu", 0, [], []))
    options = [f"--gpu-architecture={architecture}".encode()]
    succeeded(nvrtc.nvrtcCompileProgram(program, len(options), options))
    code = b" " * succeeded(nvrtc.nvrtcGetCUBINSize(program))
    succeeded(nvrtc.nvrtcGetCUBIN(program, code))
    return code


def architecture():
    """Architecture of the current GPU."""
    device = succeeded(driver.cuCtxGetDevice())
    attribute = driver.CUdevice_attribute
    major = attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    minor = attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
    numbers = [succeeded(driver.cuDeviceGetAttribute(a, device)) for a in (major, minor)]
    return "sm_{}{}".format(*numbers)
