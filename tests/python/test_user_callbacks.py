# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Small interfaces that users implement: they are called, and their callers keep them alive."""

import numpy as np
import tensorrt as trt


def relu_network(builder):
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (2, 3))
    layer = network.add_activation(x, trt.ActivationType.RELU)
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    return network


def context_for(logger):
    builder = trt.Builder(logger)
    plan = builder.build_serialized_network(relu_network(builder), builder.create_builder_config())
    return trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()


def run(context):
    x, y = -np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)
    assert context.execute_v2([x.ctypes.data, y.ctypes.data])
    assert not y.any()


def test_logger_derived_from_console_logger(capfd):
    class Louder(trt.Logger):
        def __init__(self):
            super().__init__(trt.Logger.VERBOSE)
            self.seen = []

        def log(self, severity, msg):
            self.seen.append(msg)

    logger = Louder()
    builder = trt.Builder(logger)
    assert builder.build_serialized_network(
        builder.create_network(0), builder.create_builder_config()
    ) is None  # fmt: skip
    assert logger.seen
    assert not capfd.readouterr().err


def test_logger_without_log(monkeypatch):
    seen = []
    monkeypatch.setattr("sys.unraisablehook", seen.append)

    class Mute(trt.ILogger):
        pass

    builder = trt.Builder(Mute())
    builder.build_serialized_network(builder.create_network(0), builder.create_builder_config())
    assert "expected the method log" in str(seen[0].exc_value)


def test_error_recorder(logger):
    class Recorder(trt.IErrorRecorder):
        def __init__(self):
            super().__init__()
            self.errors = []

        def report_error(self, code, desc):
            self.errors.append((code, desc))
            return False

    recorder = Recorder()
    builder = trt.Builder(logger)
    builder.error_recorder = recorder
    assert builder.build_serialized_network(
        builder.create_network(0), builder.create_builder_config()
    ) is None  # fmt: skip
    code, text = recorder.errors[0]
    assert code in trt.ErrorCodeTRT
    assert "output" in text


class Times(trt.IProfiler):
    def report_layer_time(self, layer_name, ms):
        pass


class Monitor(trt.IProgressMonitor):
    def step_complete(self, phase_name, step):
        return True


class Allocator(trt.IOutputAllocator):
    def notify_shape(self, tensor_name, shape):
        pass


def test_what_is_set_is_kept_alive(logger):
    context = context_for(logger)
    config = trt.Builder(logger).create_builder_config()
    context.profiler = Times()
    assert type(context.profiler) is Times
    assert context.set_output_allocator("y", Allocator())
    assert type(context.get_output_allocator("y")) is Allocator
    config.progress_monitor = Monitor()
    assert type(config.progress_monitor) is Monitor
    assert not logger.errors()


def test_callbacks_of_output_allocators_can_be_reached_through_the_base(logger):
    class Grows(trt.IOutputAllocator):
        def __init__(self):
            super().__init__()
            self.shapes = {}
            self.none = super().reallocate_output("y", 0, 4, 1)

        def reallocate_output(self, tensor_name, memory, size, alignment):
            self.memory = np.empty(size + alignment, np.uint8)
            return -(-self.memory.ctypes.data // alignment) * alignment

        def reallocate_output_async(self, tensor_name, memory, size, alignment, stream):
            return super().reallocate_output_async(tensor_name, memory, size, alignment, stream)

        def notify_shape(self, tensor_name, shape):
            super().notify_shape(tensor_name, shape)
            self.shapes[tensor_name] = tuple(shape)

    builder = trt.Builder(logger)
    network = builder.create_network(0)
    places = network.add_non_zero(network.add_input("x", trt.float32, (5,))).get_output(0)
    places.name = "y"
    network.mark_output(places)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
    grows, x = Grows(), np.array([0, 1, 0, 2, 3], np.float32)
    assert grows.none is None
    context.set_tensor_address("x", x.ctypes.data)
    assert context.set_output_allocator("y", grows)
    assert context.execute_async_v3(0)
    assert grows.shapes == {"y": (1, 3)}
    assert not logger.errors()
