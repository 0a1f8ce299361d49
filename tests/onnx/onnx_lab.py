# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs models through Kiln and through ONNX Runtime, for tests of whole graphs."""

import sys
from pathlib import Path

import kiln as trt
import numpy as np
import onnx.parser

import onnx

sys.path.insert(0, str(Path(__file__).parents[1]))

import device_memory


class Messages(trt.ILogger):
    """Keeps the texts of errors and warnings."""

    def __init__(self):
        super().__init__()
        self.errors = []
        self.warnings = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.errors.append(message)
        elif severity == trt.ILogger.Severity.WARNING:
            self.warnings.append(message)


def model_of(text, opset=17, ir_version=10):
    """A model from ONNX's text form, of a graph and functions."""
    header = f'<ir_version: {ir_version}, opset_import: ["" : {opset}, "local" : 1]>\n'
    return onnx.parser.parse_model(header + text)


def parsed(model, messages):
    """(network, parser, builder) of a model or its file; the network is None if refused."""
    builder = trt.Builder(messages)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    parser = trt.OnnxParser(network, messages)
    if isinstance(model, Path):
        done = parser.parse_from_file(str(model))
    else:
        done = parser.parse(model if isinstance(model, bytes) else model.SerializeToString())
    return (network if done else None), parser, builder


def refused(model):
    """The errors of a model that must be refused."""
    messages = Messages()
    network, parser, _ = parsed(model, messages)
    assert network is None
    return [parser.get_error(i) for i in range(parser.num_errors)]


def built(model, feeds, messages, ranges=None, opened=True):
    """An engine for a model, or its plan; its unknown extents are those of `feeds` at most.

    ranges: the least and the largest numbers of inputs that are shapes; else 0 to 10.
    """
    network, _, builder = parsed(model, messages)
    assert network is not None, messages.errors
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    dynamic = False
    for i in range(network.num_inputs):
        tensor = network.get_input(i)
        shape = feeds[tensor.name].shape
        if tensor.is_shape_tensor:
            values = np.ceil(feeds[tensor.name]).astype(np.int64).flatten().tolist()
            least, most = (ranges or {}).get(tensor.name, (0, max([10, *values])))
            profile.set_shape_input(
                tensor.name, [least] * len(values), values, [most] * len(values)
            )
            dynamic = True
        if -1 in tensor.shape:
            least = [a if a >= 0 else min(1, b) for a, b in zip(tensor.shape, shape, strict=True)]
            profile.set_shape(tensor.name, least, shape, shape)
            dynamic = True
    if dynamic:
        config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, messages.errors
    return trt.Runtime(messages).deserialize_cuda_engine(plan) if opened else plan


class Results(trt.IOutputAllocator):
    """Memory for outputs, also of unknown size."""

    def __init__(self):
        super().__init__()
        self.memory, self.shapes = {}, {}

    def reallocate_output_async(self, name, memory, size, alignment, stream):
        self.memory[name] = device_memory.for_target().DeviceArray((max(8, size),), np.uint8)
        return self.memory[name].ptr

    def notify_shape(self, name, shape):
        self.shapes[name] = tuple(shape)

    def array(self, name, dtype):
        count = int(np.prod(self.shapes[name]))
        return self.memory[name].numpy().view(dtype)[:count].reshape(self.shapes[name])


def run(model, feeds, messages=None):
    """The outputs of Kiln, by name."""
    messages = messages or Messages()
    return run_engine(built(model, feeds, messages), feeds, messages)


def run_engine(engine, feeds, messages):
    """The outputs of an engine, by name."""
    context = engine.create_execution_context()
    results = Results()
    memory = device_memory.for_target()
    stream = memory.Stream()
    arrays = {name: memory.DeviceArray(np.asarray(array)) for name, array in feeds.items()}
    names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
    for name in names:
        if engine.get_tensor_mode(name) == trt.TensorIOMode.OUTPUT:
            assert context.set_output_allocator(name, results)
            continue
        if -1 in tuple(engine.get_tensor_shape(name)):
            assert context.set_input_shape(name, arrays[name].shape)
        host = engine.get_tensor_location(name) == trt.TensorLocation.HOST
        address = np.ascontiguousarray(feeds[name]).ctypes.data if host else arrays[name].ptr
        assert context.set_tensor_address(name, address)
    assert context.execute_async_v3(stream.handle), messages.errors
    stream.synchronize()
    return {
        name: results.array(name, trt.nptype(engine.get_tensor_dtype(name)))
        for name in names
        if name not in arrays
    }


def expected(model, feeds):
    """The outputs of ONNX Runtime, by name."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    names = [output.name for output in model.graph.output]
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    values = session.run(names, feeds)
    return {name: np.asarray(value) for name, value in zip(names, values, strict=True)}


def check(model, feeds, tolerance=1e-5, taken=None, wanted=None, ranges=None):
    """Compares Kiln with ONNX Runtime, or with `wanted`. taken: what Kiln gets for `feeds`."""
    wanted = wanted or expected(model, feeds)
    messages = Messages()
    engine = built(model, taken or feeds, messages, ranges)
    results = run_engine(engine, taken or feeds, messages)
    for name, want in wanted.items():
        assert results[name].shape == want.shape
        np.testing.assert_allclose(
            results[name].astype(np.float64),
            want.astype(np.float64),
            rtol=tolerance,
            atol=tolerance,
            err_msg=name,
        )
    return results
