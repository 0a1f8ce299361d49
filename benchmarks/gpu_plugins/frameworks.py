# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The same padding in each framework, as launch(x, y, shape, dtype, stream) with addresses.

The plugin's enqueue calls it, both in the engine and in the direct call.
"""

import functools

import numpy as np
import source
import torch
from cuda.bindings import driver

TORCH_TYPES = {np.dtype("float32"): torch.float32, np.dtype("float16"): torch.float16}


class Memory:
    """Memory at an address, for frameworks that take __cuda_array_interface__."""

    def __init__(self, address, shape, dtype):
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": tuple(shape),
            "typestr": np.dtype(dtype).str,
            "version": 3,
        }


@functools.lru_cache(maxsize=64)
def torch_view(address, shape, dtype):
    return torch.as_tensor(Memory(address, shape, dtype), device="cuda")


@functools.lru_cache(maxsize=64)
def torch_stream(stream):
    return torch.cuda.ExternalStream(stream)


def by_torch(x, y, shape, dtype, stream):
    given = torch_view(x, shape, dtype)
    wanted = torch_view(y, source.padded(shape), dtype)
    with torch.cuda.stream(torch_stream(stream)):
        wanted.copy_(torch.nn.functional.pad(given, (source.PAD,) * 4, mode="circular"))


@functools.cache
def triton_kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(x, height, width, pad, count, y, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        wide = width + 2 * pad
        high = height + 2 * pad
        column = (at % wide - pad + width) % width
        row = (at // wide % high - pad + height) % height
        plane = at // wide // high
        value = tl.load(x + (plane * height + row) * width + column, mask=inside)
        tl.store(y + at, value, mask=inside)

    return kernel


def by_triton(x, y, shape, dtype, stream):
    given = torch_view(x, shape, dtype)
    wanted = torch_view(y, source.padded(shape), dtype)
    with torch.cuda.stream(torch_stream(stream)):
        triton_kernel()[(source.grid_of(shape) // 4 + 1,)](
            given, *source.numbers_of(shape), wanted, BLOCK=4 * source.BLOCK
        )


@functools.cache
def cupy_kernel(dtype):
    import cupy

    return cupy.RawKernel(source.text_for(dtype), source.NAME)


@functools.lru_cache(maxsize=64)
def cupy_view(address, shape, dtype):
    import cupy

    memory = cupy.cuda.UnownedMemory(address, int(np.prod(shape)) * np.dtype(dtype).itemsize, None)
    return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))


@functools.lru_cache(maxsize=64)
def cupy_stream(stream):
    import cupy

    return cupy.cuda.ExternalStream(stream)


def by_cupy(x, y, shape, dtype, stream):
    numbers = tuple(np.int32(number) for number in source.numbers_of(shape))
    arguments = (cupy_view(x, shape, dtype), *numbers, cupy_view(y, source.padded(shape), dtype))
    with cupy_stream(stream):
        cupy_kernel(dtype)((source.grid_of(shape),), (source.BLOCK,), arguments)


@functools.cache
def numba_kernel():
    from numba import cuda

    @cuda.jit
    def kernel(x, height, width, pad, count, y):
        at = cuda.grid(1)
        if at < count:
            wide = width + 2 * pad
            high = height + 2 * pad
            column = (at % wide - pad + width) % width
            row = (at // wide % high - pad + height) % height
            plane = at // wide // high
            y[at] = x[(plane * height + row) * width + column]

    return kernel


@functools.lru_cache(maxsize=64)
def numba_view(address, count, dtype):
    from numba import cuda

    return cuda.as_cuda_array(Memory(address, (count,), dtype), sync=False)


@functools.lru_cache(maxsize=64)
def numba_stream(stream):
    from numba import cuda

    return cuda.external_stream(stream)


def by_numba(x, y, shape, dtype, stream):
    numbers = [np.int32(number) for number in source.numbers_of(shape)]
    given = numba_view(x, int(np.prod(shape)), dtype)
    wanted = numba_view(y, int(numbers[-1]), dtype)
    launcher = numba_kernel()[source.grid_of(shape), source.BLOCK, numba_stream(stream)]
    launcher(given, *numbers, wanted)


@functools.cache
def driver_kernel(dtype):
    module = source.succeeded(driver.cuModuleLoadData(source.cubin(dtype, source.architecture())))
    return module, source.succeeded(driver.cuModuleGetFunction(module, source.NAME.encode()))


def by_cuda_python(x, y, shape, dtype, stream):
    import ctypes

    numbers = source.numbers_of(shape)
    kinds = (ctypes.c_void_p, *(ctypes.c_int,) * len(numbers), ctypes.c_void_p)
    _, kernel = driver_kernel(dtype)
    source.succeeded(
        driver.cuLaunchKernel(
            kernel, source.grid_of(shape), 1, 1, source.BLOCK, 1, 1, 0, stream,
            ((x, *numbers, y), kinds), 0,
        )
    )  # fmt: skip


ALL = {
    "Torch": by_torch,
    "Triton": by_triton,
    "Numba": by_numba,
    "cuda-python": by_cuda_python,
    "CuPy": by_cupy,
}

EMPTY = "nothing"
LAUNCHES = ALL | {EMPTY: lambda x, y, shape, dtype, stream: None}
