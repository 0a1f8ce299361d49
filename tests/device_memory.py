# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Buffers, streams and captures for tests that run on either target.

One test text serves both:

    memory = device_memory.for_target()
    x, y = memory.DeviceArray(numbers), memory.DeviceArray(numbers.shape, numbers.dtype)
    stream = memory.Stream()
    context.set_tensor_address("x", x.ptr)
    context.set_tensor_address("y", y.ptr)
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    np.testing.assert_array_equal(y.numpy(), numbers)

If the default target is cuda, for_target() returns these names for the GPU, through its driver or
the library that KILN_CUDA_DRIVER names. If it is cpu, it returns the same names over NumPy.
available() returns the reason why there is no GPU; "" if there is one.
"""

import ctypes
import functools
import os
from types import SimpleNamespace

import kiln
import numpy as np

NON_BLOCKING = 1
GLOBAL, RELAXED = 0, 2  # modes of a capture


class DeviceError(RuntimeError):
    """A call of the driver that failed; `code` is its number."""

    def __init__(self, function, code):
        super().__init__(f"{function}: CUDA error {code}")
        self.code = code


@functools.cache
def _driver():
    return ctypes.CDLL(os.environ.get("KILN_CUDA_DRIVER") or "libcuda.so.1")


def call(function, *arguments):
    """Calls the driver; numbers are passed as 64 bits."""
    wide = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
    code = getattr(_driver(), function)(*wide)
    if code != 0:
        raise DeviceError(function, code)


def emulated_calls(function):
    """Number of calls of a function of the emulated driver; None if the driver is a real one."""
    count = getattr(_driver(), "kilnEmulatedCalls", None)
    if count is None:
        return None
    count.restype = ctypes.c_ulonglong
    return count(function.encode())


@functools.cache
def _context():
    call("cuInit", 0)
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    return context


def _enter():
    """Makes the first GPU's primary context current, if the thread has none."""
    context = _context()
    current = ctypes.c_void_p()
    call("cuCtxGetCurrent", ctypes.byref(current))
    if not current:
        call("cuCtxSetCurrent", context)


@functools.cache
def available():
    """Why there is no GPU to test with; empty if there is one."""
    try:
        _context()
        count = ctypes.c_int()
        call("cuDeviceGetCount", ctypes.byref(count))
    except (OSError, DeviceError) as problem:
        return str(problem)
    return "" if count.value else "the driver finds no GPU"


def emulated():
    """Whether the driver is the one of tests/emulation."""
    return available() == "" and hasattr(_driver(), "kilnEmulatedReset")


def emulation():
    """The library of tests/emulation, for its kilnEmulated...() functions."""
    return _driver()


def _as_source(array, dtype):
    """Returns the values to copy (None if only a shape is given), the shape and the type."""
    if isinstance(array, np.ndarray | np.generic):
        array = np.asarray(array, order="C")
        return array, array.shape, array.dtype
    return None, tuple(array), np.dtype(dtype)


class DeviceArray:
    """Memory of the GPU for an array, or for a shape and a type; freed with the object.

    ptr: its address. Empty arrays have one too.
    """

    def __init__(self, array, dtype=None):
        source, self.shape, self.dtype = _as_source(array, dtype)
        self.nbytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        _enter()
        address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(address), max(self.nbytes, 1))
        self.ptr = address.value
        if source is not None:
            self.set(source)

    def set(self, array):
        """Copies values there, and waits."""
        array = np.ascontiguousarray(array, self.dtype)
        assert array.nbytes == self.nbytes
        if self.nbytes:
            call("cuMemcpyHtoD_v2", self.ptr, ctypes.c_void_p(array.ctypes.data), self.nbytes)
            synchronize()  # the copy may be pending, and not all streams wait for it
        return self

    def fill(self, byte):
        """Sets every byte, and waits."""
        if self.nbytes:
            call("cuMemsetD8_v2", self.ptr, ctypes.c_ubyte(byte), self.nbytes)
            synchronize()
        return self

    def numpy(self):
        """A copy of the values. Waits only for the default stream: synchronize other streams
        first."""
        result = np.empty(self.shape, self.dtype)
        _enter()
        if self.nbytes:
            call("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), self.ptr, self.nbytes)
        return result

    def __del__(self):
        if getattr(self, "ptr", 0):
            _enter()
            _driver().cuMemFree_v2(ctypes.c_uint64(self.ptr))


class PinnedArray:
    """Host memory that the GPU reads and writes in place; `array` is NumPy's view of it."""

    def __init__(self, array, dtype=None):
        source, shape, dtype = _as_source(array, dtype)
        count = int(np.prod(shape, dtype=np.int64))
        _enter()
        address = ctypes.c_void_p()
        nbytes = max(count * dtype.itemsize, 1)
        call("cuMemHostAlloc", ctypes.byref(address), nbytes, ctypes.c_uint(1))
        self.ptr = address.value
        view = (ctypes.c_ubyte * nbytes).from_address(self.ptr)
        self.array = np.frombuffer(view, dtype, count).reshape(shape)
        if source is not None:
            self.array[...] = source

    def __del__(self):
        if getattr(self, "ptr", 0):
            _enter()
            _driver().cuMemFreeHost(ctypes.c_void_p(self.ptr))


class Stream:
    """A stream of the GPU. `handle` is what execute_async_v3() takes."""

    def __init__(self, non_blocking=True):
        _enter()
        stream = ctypes.c_void_p()
        flags = ctypes.c_uint(NON_BLOCKING if non_blocking else 0)
        call("cuStreamCreate", ctypes.byref(stream), flags)
        self.handle = stream.value

    def synchronize(self):
        """Waits for its work. Raises DeviceError if some of it failed."""
        _enter()
        call("cuStreamSynchronize", self.handle)

    def capture(self, record, mode=GLOBAL):
        """Calls record() while the stream captures; returns the Graph."""
        _enter()
        call("cuStreamBeginCapture_v2", self.handle, ctypes.c_int(mode))
        graph = ctypes.c_void_p()
        try:
            record()
        finally:
            end = _driver().cuStreamEndCapture
            code = end(ctypes.c_void_p(self.handle), ctypes.byref(graph))
        if code != 0:
            raise DeviceError("cuStreamEndCapture", code)
        return Graph(graph)

    def __del__(self):
        if getattr(self, "handle", 0):
            _enter()
            _driver().cuStreamDestroy_v2(ctypes.c_void_p(self.handle))


class Graph:
    """What a capture recorded, ready to be launched."""

    def __init__(self, graph):
        self.executable = ctypes.c_void_p()
        try:
            call("cuGraphInstantiateWithFlags", ctypes.byref(self.executable), graph, 0)
        finally:
            _driver().cuGraphDestroy(graph)

    def launch(self, stream):
        """Launches the graph on a Stream."""
        _enter()
        call("cuGraphLaunch", self.executable, stream.handle)

    def __del__(self):
        if getattr(self, "executable", None):
            _enter()
            _driver().cuGraphExecDestroy(self.executable)


def synchronize():
    """Waits for all work of the GPU."""
    _enter()
    call("cuCtxSynchronize")


class HostArray:
    """DeviceArray on the cpu target, and memory for shape tensors on both targets."""

    def __init__(self, array, dtype=None):
        source, self.shape, self.dtype = _as_source(array, dtype)
        self._array = np.empty(self.shape, self.dtype) if source is None else source.copy("C")
        self.nbytes = self._array.nbytes
        self._empty = np.empty(64, np.uint8)  # the address of empty arrays
        self.ptr = (self._array if self.nbytes else self._empty).ctypes.data

    def set(self, array):
        self._array[...] = np.asarray(array).reshape(self.shape)
        return self

    def fill(self, byte):
        if self.nbytes:
            ctypes.memset(self.ptr, byte, self.nbytes)
        return self

    def numpy(self):
        return self._array.copy()


class _HostPinnedArray(HostArray):
    """PinnedArray on the cpu target."""

    @property
    def array(self):
        return self._array


class _HostStream:
    """Stream on the cpu target, where work is done when a call returns."""

    handle = 0

    def __init__(self, non_blocking=True):
        pass

    def synchronize(self):
        pass


def on_cuda():
    """Whether engines are built for cuda by default."""
    return kiln.default_target().split(":")[0] == "cuda"


def for_target():
    """The names of this module for the default target."""
    names = ["DeviceArray", "PinnedArray", "Stream", "synchronize", "available"]
    if on_cuda():
        return SimpleNamespace(**{name: globals()[name] for name in names})
    return SimpleNamespace(
        DeviceArray=HostArray,
        PinnedArray=_HostPinnedArray,
        Stream=_HostStream,
        synchronize=lambda: None,
        available=lambda: "",
    )
