# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""User objects that raise or return invalid values: the API call fails, the exception is shown, and
the process and the other objects keep working."""

import array

import numpy as np
import pytest
import tensorrt as trt
from test_user_callbacks import context_for, relu_network


class Boom(Exception):
    pass


def explode(*_):
    raise Boom("as told")


NOT_ADDRESSES = [explode, lambda *_: "text", lambda *_: -1, lambda *_: None, lambda *_: 2**80]


@pytest.fixture
def shown(monkeypatch):
    """The exceptions that no call could return."""
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda problem: seen.append(problem.exc_value))
    return seen


def plan_for(logger):
    builder = trt.Builder(logger)
    return bytes(
        builder.build_serialized_network(relu_network(builder), builder.create_builder_config())
    )


def test_logger_that_raises(shown):
    class Angry(trt.ILogger):
        def log(self, severity, msg):
            raise Boom(msg)

    logger = Angry()
    builder = trt.Builder(logger)
    assert builder.build_serialized_network(relu_network(builder), builder.create_builder_config())
    config = builder.create_builder_config()
    assert builder.build_serialized_network(builder.create_network(0), config) is None
    assert trt.Runtime(logger).deserialize_cuda_engine(b"junk") is None
    assert {type(problem) for problem in shown} == {Boom}


@pytest.mark.parametrize("answer", [explode, lambda *_: "text"], ids=range(2))
def test_recorder_that_fails(logger, shown, answer):
    recorder_class = type("Recorder", (trt.IErrorRecorder,), {"report_error": answer})
    runtime = trt.Runtime(logger)
    runtime.error_recorder = recorder_class()
    assert runtime.deserialize_cuda_engine(b"junk") is None
    assert shown
    assert "[plan]" in logger.errors()


@pytest.mark.parametrize("base", [trt.IGpuAllocator, trt.IGpuAsyncAllocator])
@pytest.mark.parametrize("answer", NOT_ADDRESSES, ids=range(len(NOT_ADDRESSES)))
def test_allocator_that_fails(logger, shown, base, answer):
    names = ("allocate", "allocate_async", "deallocate", "deallocate_async")
    allocator = type("Allocator", (base,), dict.fromkeys(names, answer))()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (2, 3))
    y = network.add_softmax(network.add_activation(x, trt.ActivationType.RELU).get_output(0))
    network.mark_output(y.get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    runtime = trt.Runtime(logger)
    runtime.gpu_allocator = allocator
    engine = runtime.deserialize_cuda_engine(plan)
    assert engine.create_execution_context() is None
    assert "the user's allocator gave no memory" in logger.errors()
    runtime.gpu_allocator = None
    del engine, allocator
    assert runtime.deserialize_cuda_engine(plan).create_execution_context()


BUFFERS = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "array": lambda data: array.array("B", data),
    "numpy": lambda data: np.frombuffer(data, np.uint8),
}

ANSWERS_OF_READERS = {
    "raises": explode,
    "none": lambda *_: None,
    "text": lambda *_: "text",
    "number": lambda *_: 7,
    "too many": lambda self, size, *_: bytes(size + 1),
    "with gaps": lambda self, size, *_: np.zeros((4, 4), np.uint8)[:, ::2],
    "at once at the end": lambda *_: b"",
}


@pytest.mark.parametrize("base", [trt.IStreamReader, trt.IStreamReaderV2])
@pytest.mark.parametrize("answer", ANSWERS_OF_READERS)
def test_reader_that_fails(logger, shown, base, answer):
    reader = type("Reader", (base,), {"read": ANSWERS_OF_READERS[answer]})()
    assert trt.Runtime(logger).deserialize_cuda_engine(reader) is None
    assert logger.errors()


@pytest.mark.parametrize("base", [trt.IStreamReader, trt.IStreamReaderV2])
@pytest.mark.parametrize("kind", BUFFERS)
def test_reader_of_any_buffer(logger, base, kind):
    plan = plan_for(logger)

    class Reader(base):
        at = 0

        def read(self, size, *_):
            piece = plan[self.at : self.at + min(size, 1000)]
            self.at += len(piece)
            return BUFFERS[kind](piece)

    engine = trt.Runtime(logger).deserialize_cuda_engine(Reader())
    assert engine is not None, logger.errors()


@pytest.mark.parametrize(
    "answer",
    [explode, lambda *_: None, lambda *_: "text", lambda *_: -1, lambda _, data: len(data) + 1],
    ids=range(5),
)
def test_writer_that_fails(logger, shown, answer):
    writer = type("Writer", (trt.IStreamWriter,), {"write": answer})()
    builder = trt.Builder(logger)
    config = builder.create_builder_config()
    assert not builder.build_serialized_network_to_stream(relu_network(builder), config, writer)
    assert "stream writer" in logger.errors()


@pytest.mark.parametrize("callback", ["phase_start", "step_complete", "phase_finish"])
@pytest.mark.parametrize("answer", [explode, lambda *_: "text"], ids=range(2))
def test_monitor_that_fails(logger, shown, callback, answer):
    callbacks = {
        "phase_start": lambda *_: None,
        "step_complete": lambda *_: True,
        "phase_finish": lambda *_: None,
        callback: answer,
    }
    builder = trt.Builder(logger)
    config = builder.create_builder_config()
    config.progress_monitor = type("Monitor", (trt.IProgressMonitor,), callbacks)()
    plan = builder.build_serialized_network(relu_network(builder), config)
    assert (plan is None) == (callback == "step_complete")
    assert bool(shown) == (answer is explode or callback == "step_complete")


@pytest.mark.parametrize("answer", NOT_ADDRESSES, ids=range(len(NOT_ADDRESSES)))
@pytest.mark.parametrize("name", ["reallocate_output", "reallocate_output_async"])
def test_output_allocator_that_fails(logger, shown, name, answer):
    allocator = type(
        "Allocator", (trt.IOutputAllocator,), {name: answer, "notify_shape": explode}
    )()
    context = context_for(logger)
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    assert context.set_output_allocator("y", allocator)
    assert not context.execute_async_v3(0)
    assert "output allocator gave no memory" in logger.errors()
    assert context.set_output_allocator("y", None)
    assert context.execute_v2([x.ctypes.data, y.ctypes.data])
    assert y.all()


def test_methods_that_are_no_functions(logger, shown):
    allocator = type(
        "Allocator",
        (trt.IOutputAllocator,),
        {"reallocate_output_async": 5, "reallocate_output": 6, "notify_shape": 7},
    )()
    context = context_for(logger)
    x = np.ones((2, 3), np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    assert context.set_output_allocator("y", allocator)
    assert not context.execute_async_v3(0)
    assert shown


def test_profiler_that_raises(logger, shown):
    context = context_for(logger)
    context.profiler = type("Times", (trt.IProfiler,), {"report_layer_time": explode})()
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    assert context.execute_v2([x.ctypes.data, y.ctypes.data])
    assert y.all()
    assert shown


def test_debug_listener_that_raises(logger, shown):
    builder = trt.Builder(logger)
    network = relu_network(builder)
    assert network.mark_debug(network.get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
    listener = type("Listener", (trt.IDebugListener,), {"process_debug_tensor": explode})()
    assert context.set_debug_listener(listener)
    context.set_all_tensors_debug_state(True)
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    assert not context.execute_v2([x.ctypes.data, y.ctypes.data])
    assert shown
    context.set_all_tensors_debug_state(False)
    assert context.execute_v2([x.ctypes.data, y.ctypes.data])
