# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One row of an op's table, and how it runs through builder, plan and context."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import device_memory
import numpy as np
import tensorrt as trt

# One rounding to the type at the end, several in float32 before. Cases with long sums set atol.
TOLERANCE = {np.float32: (1e-6, 2e-6), np.float16: (1e-6, 1.0e-3)}
TRT_TYPES = {
    np.float32: trt.float32,
    np.float16: trt.float16,
    np.int32: trt.int32,
    np.int64: trt.int64,
    np.int8: trt.int8,
    np.uint8: trt.uint8,
    np.bool_: trt.bool,
}


@dataclass
class Case:
    """build(network, tensors, dtype) adds layers and returns the output tensor;
    expected(arrays) computes it from float64 arrays (integers stay integers).

    shapes: sets of input shapes. The first is built as a static network; with more than one, a
    dynamic network is built too, unknown along each axis where the sets differ, and runs all.
    values: {index: numbers} of inputs that are not random; repeated to fill the shape.
    any_address: also runs at addresses that are not aligned; see also case_tables.py.
    """

    name: str
    shapes: list[tuple[tuple[int, ...], ...]]
    build: Callable
    expected: Callable
    types: tuple = (np.float32, np.float16)
    low: float = -2.0
    high: float = 2.0
    atol: float = 0.0
    others: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    any_address: bool = False

    def type_of(self, index, dtype):
        """The type of an input: the row's, or that of `others`, {index: (type, low, high)}."""
        return self.others[index][0] if index in self.others else dtype

    def arrays(self, shapes, dtype):
        """Reproducible inputs of these shapes."""
        rng = np.random.default_rng(zlib.crc32(f"{self.name}{shapes}".encode()))
        ranges = [self.others.get(i, (dtype, self.low, self.high)) for i in range(len(shapes))]
        return [
            np.resize(np.array(self.values[i], of[0]), shape)
            if i in self.values
            else _random(rng, shape, *of)
            for i, (shape, of) in enumerate(zip(shapes, ranges, strict=True))
        ]


def _random(rng, shape, dtype, low, high):
    if dtype is np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(int(low), int(high), shape, endpoint=True).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


def wide(array):
    """Floats as float64, everything else as it is."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array


class Logger(trt.ILogger):
    """Keeps errors, so that a failing row shows them."""

    def __init__(self):
        super().__init__()
        self.errors = []

    def log(self, severity, msg):
        if severity <= trt.ILogger.ERROR:
            self.errors.append(msg)


def build(case, dtype, logger, dynamic):
    """The plan of a case, for one shape set (static) or for all of them (dynamic)."""
    builder = trt.Builder(logger)
    strongly_typed = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
    network = builder.create_network(strongly_typed)
    config = builder.create_builder_config()
    sets = case.shapes if dynamic else case.shapes[:1]
    profile = builder.create_optimization_profile()
    tensors = []
    for index, of_input in enumerate(zip(*sets, strict=True)):
        extents = list(zip(*of_input, strict=True))
        shape = tuple(axis[0] if len(set(axis)) == 1 else -1 for axis in extents)
        element = TRT_TYPES[case.type_of(index, dtype)]
        tensors.append(network.add_input(f"x{index}", element, shape))
        least, most = tuple(map(min, extents)), tuple(map(max, extents))
        # The optimum is one of the sets: the build may run it, and its shapes must fit together.
        profile.set_shape(f"x{index}", least, of_input[-1], most)
    config.add_optimization_profile(profile)
    output = case.build(network, tensors, dtype)
    assert output is not None, "the layer was refused"
    output.name = "y"
    network.mark_output(output)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, "the build failed"
    return plan


class Engine:
    """A case that can be run: see build()."""

    def __init__(self, case, dtype, logger, dynamic):
        plan = build(case, dtype, logger, dynamic)
        self.engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        self.memory = device_memory.for_target()
        self.stream = self.memory.Stream()

    def run(self, arrays, shift=0):
        """The output for these inputs, which begin `shift` elements into their memory."""
        kept = []
        for index, array in enumerate(arrays):
            name = f"x{index}"
            array = np.asarray(array, order="C")  # keeps rank 0
            assert self.context.set_input_shape(name, array.shape)
            kept.append(self._buffer(name, array, shift))
        shape = tuple(self.context.get_tensor_shape("y"))
        dtype = np.dtype(trt.nptype(self.engine.get_tensor_dtype("y")))
        result = self._buffer("y", np.zeros(shape, dtype), shift)
        assert self.context.execute_async_v3(self.stream.handle)
        self.stream.synchronize()
        return result.numpy()

    def _buffer(self, name, array, shift):
        """Memory for a tensor, on the host if the engine reads or writes it there."""
        host = self.engine.get_tensor_location(name) == trt.TensorLocation.HOST
        kind = device_memory.HostArray if host else self.memory.DeviceArray
        buffer = Shifted(kind, array, shift) if shift else kind(array)
        self.context.set_tensor_address(name, buffer.ptr)
        return buffer


class Shifted:
    """An array that begins some elements into its memory and ends with it."""

    def __init__(self, kind, array, elements):
        self.elements, self.shape = elements, array.shape
        self.memory = kind(np.concatenate([np.zeros(elements, array.dtype), array.ravel()]))
        self.ptr = self.memory.ptr + elements * array.dtype.itemsize

    def numpy(self):
        everything = self.memory.numpy()
        assert not everything[: self.elements].any(), "written before the beginning"
        return everything[self.elements :].reshape(self.shape)


def check(case, arrays, got):
    """Compares one run with the reference."""
    want = case.expected([wide(array) for array in arrays])
    assert got.shape == want.shape
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
        return
    atol, rtol = TOLERANCE[got.dtype.type]
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=rtol, atol=atol + case.atol)
