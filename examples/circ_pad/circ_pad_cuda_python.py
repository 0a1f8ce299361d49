# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with cuda-python inside: CUDA C++ compiled by NVRTC, launched by the driver.

Both versions of the NumPy form, and the decorated one; importing this file registers all three.
"""

import ctypes
from functools import lru_cache
from typing import Any

import circ_pad_cuda
import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import kiln
import tensorrt as trt
import tensorrt.plugin as trtp
from cuda.bindings import driver, nvrtc

TYPES = (ctypes.c_void_p, *[ctypes.c_int] * 13, ctypes.c_void_p)  # the kernel's parameters


def checked(result: tuple[Any, ...]) -> Any:
    """Returns the values of a call besides its status; raises RuntimeError if it failed."""
    status, *values = result
    if status.value:
        raise RuntimeError(f"CUDA: {status}")
    return values[0] if len(values) == 1 else values


def compile_cubin() -> bytes:
    """Compiles the kernels for the GPU of this machine."""
    architecture = kiln.build_target().architecture
    program = checked(nvrtc.nvrtcCreateProgram(circ_pad_cuda.SOURCE.encode(), b"pad.cu", 0, [], []))
    options = [f"--gpu-architecture={architecture}".encode()]
    try:
        checked(nvrtc.nvrtcCompileProgram(program, len(options), options))
        cubin: bytes = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
        checked(nvrtc.nvrtcGetCUBIN(program, cubin))
        return cubin
    finally:
        checked(nvrtc.nvrtcDestroyProgram(program))


@lru_cache
def module() -> driver.CUmodule:
    """The kernels, loaded into the CUDA context that the engine made current."""
    return checked(driver.cuModuleLoadData(compile_cubin()))


@lru_cache
def kernel(name: str) -> driver.CUfunction:
    """One of the kernels."""
    return checked(driver.cuModuleGetFunction(module(), name.encode()))


def launch(x: int, y: int, dtype: trt.DataType, numbers: list[int], stream: int) -> None:
    """Runs the kernel; x and y are addresses. numbers: see circ_pad_cuda.scalars."""
    function = kernel(circ_pad_cuda.entry_name(dtype))
    grid, block = -(-numbers[0] // circ_pad_cuda.BLOCK), circ_pad_cuda.BLOCK
    values = ((x, *numbers, y), TYPES)
    checked(driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, values, 0))


class DriverPad:
    """The differences from the NumPy form."""

    pairs: list[circ_pad_v3.Pair]  # of the plugin class

    def prepare(self, shape: tuple[int, ...]) -> None:
        """Keeps the kernel's scalars."""
        self.numbers = circ_pad_cuda.scalars(shape, self.pairs)

    def pad(
        self,
        x_desc: trt.PluginTensorDesc,
        y_desc: trt.PluginTensorDesc,
        x: int,
        y: int,
        stream: int,
    ) -> None:
        """Computes y from x; both are addresses."""
        launch(x, y, x_desc.type, self.numbers, stream)


class DriverPadV2(DriverPad, circ_pad_v2.CircPadPlugin):
    """The layer as an IPluginV2DynamicExt."""


class DriverPadV3(DriverPad, circ_pad_v3.CircPadPlugin):
    """The layer as an IPluginV3."""


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    """Creates version "1"."""

    plugin = DriverPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    """Creates version "2"."""

    plugin = DriverPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """The layer as a decorated function."""
    shape, all_pads = circ_pad_op.key_of(x, pads)
    numbers = circ_pad_cuda.scalars(shape, circ_pad_v3.pairs_of(all_pads))
    launch(x.data_ptr, outputs[0].data_ptr, x.dtype, numbers, stream)
