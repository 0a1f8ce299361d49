# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds models of benchmarks/models, runs them on the default target, compares with torch."""

import re
import sys
from pathlib import Path

import kiln as trt
import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

import device_memory


class Errors(trt.ILogger):
    def __init__(self):
        super().__init__()
        self.texts = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.texts.append(message)


class Outputs(trt.IOutputAllocator):
    """Memory for outputs whose extents are known after the run."""

    def __init__(self, memory):
        super().__init__()
        self.memory, self.arrays, self.shapes = memory, {}, {}

    def reallocate_output_async(self, tensor_name, memory, size, alignment, stream):
        self.arrays[tensor_name] = self.memory.DeviceArray((size,), np.uint8)
        return self.arrays[tensor_name].ptr

    def notify_shape(self, tensor_name, shape):
        self.shapes[tensor_name] = tuple(shape)

    def result(self, name, dtype):
        shape = self.shapes[name]
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if count == 0:
            return np.empty(shape, dtype)
        return self.arrays[name].numpy()[:count].view(dtype).reshape(shape)


def build(serialized, errors, flags=(), shapes=()):
    """The plan; None if the model is refused. `shapes`: name, smallest, usual and largest shape."""
    builder = trt.Builder(errors)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, errors)
    if not parser.parse(serialized):
        return None
    config = builder.create_builder_config()
    for flag in flags:
        config.set_flag(flag)
    if shapes:
        profile = builder.create_optimization_profile()
        for name, *bounds in shapes:
            profile.set_shape(name, *bounds)
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)


def run(engine, data):
    """Results by name, for arrays by name; those that the engine does not read are left out."""
    memory = device_memory.for_target()
    context = engine.create_execution_context()
    names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
    arrays = {name: memory.DeviceArray(data[name]) for name in names if name in data}
    for name, array in arrays.items():
        assert context.set_input_shape(name, array.shape)
    late = Outputs(memory)
    results = [name for name in names if name not in arrays]
    for name in results:
        shape = tuple(context.get_tensor_shape(name))
        if -1 in shape:
            assert context.set_output_allocator(name, late)
        else:
            arrays[name] = memory.DeviceArray(shape, trt.nptype(engine.get_tensor_dtype(name)))
    for name, array in arrays.items():
        assert context.set_tensor_address(name, array.ptr)
    stream = memory.Stream()
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    return {
        name: arrays[name].numpy()
        if name in arrays
        else late.result(name, trt.nptype(engine.get_tensor_dtype(name)))
        for name in results
    }


def expected(model, data):
    """The outputs by name, from torch in float64."""
    module = model.module().double()
    with torch.no_grad():
        result = module(*(v.double() if v.is_floating_point() else v for v in data.values()))
    result = result if isinstance(result, tuple) else (result,)
    return {n: v.numpy() for n, v in zip(model.outputs, result, strict=True)}


def compare(results, wanted, tolerance):
    """Each output differs by `tolerance` of its largest value at most."""
    for name, values in wanted.items():
        assert results[name].shape == values.shape, name
        limit = tolerance * np.abs(values).max(initial=0)
        np.testing.assert_allclose(results[name], values, 0, limit, err_msg=name)


def open_engine(serialized, **settings):
    """Builds a model that must be accepted."""
    errors = Errors()
    plan = build(serialized, errors, **settings)
    assert plan is not None, errors.texts
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    assert engine is not None, errors.texts
    return engine


def as_arrays(data):
    return {name: value.numpy() for name, value in data.items()}


def check(model, serialized, data=None, tolerance=2e-6, **settings):
    """Builds and runs; each output differs by `tolerance` of its largest value at most."""
    engine = open_engine(serialized, **settings)
    data = data or model.data()
    compare(run(engine, as_arrays(data)), expected(model, data), tolerance)


def extents(model):
    """The extents to run a model at: its own, and the least and the largest of a profile."""
    return [{}] + [
        {label: bounds[i] for label, bounds in model.ranges.items()} for i in (0, 1) if model.ranges
    ]


def check_extents(model, serialized, tolerance=2e-6, **settings):
    """check() at all extents of the profile."""
    engine = open_engine(serialized, shapes=model.profile(), **settings)
    for sizes in extents(model):
        data = model.data(**sizes)
        compare(run(engine, as_arrays(data)), expected(model, data), tolerance)


def missing_operators(serialized):
    """The operators that the parser says it does not support."""
    errors = Errors()
    network = trt.Builder(errors).create_network(0)
    parsed = trt.OnnxParser(network, errors).parse(serialized)
    text = "\n".join(errors.texts)
    found = set(re.findall(r"operator (\w+) of ONNX", text))
    found |= set(re.findall(r"\((\w+)\): no operator of ONNX has that name", text))
    assert found or parsed, errors.texts
    return found
