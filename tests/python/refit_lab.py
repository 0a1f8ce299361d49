# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Networks with weights, engines for refit, and runs of them, for test_refit.py."""

import sys
from pathlib import Path

import numpy as np
import tensorrt as trt

sys.path.insert(0, str(Path(__file__).parents[1]))

import device_memory

RNG = np.random.default_rng(5)
Flag = trt.BuilderFlag
Role = trt.WeightsRole


def floats(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def convolve(x, kernel, bias):
    """A convolution without padding, stride 1, in double precision."""
    size = kernel.shape[2:]
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), size, axis=(2, 3))
    return np.einsum("ncyxhw,ochw->noyx", windows, kernel) + bias.reshape(1, -1, 1, 1)


class Lab:
    """A network of one input 'x' and the output 'y'; weights stay alive with the object."""

    def __init__(self, logger, shape):
        self.logger = logger
        self.builder = trt.Builder(logger)
        self.network = self.builder.create_network(0)
        self.config = self.builder.create_builder_config()
        self.x = self.network.add_input("x", trt.float32, shape)
        self.kept = []

    def constant(self, name, values):
        self.kept.append(values)
        layer = self.network.add_constant(values.shape, values)
        layer.name = name
        return layer.get_output(0)

    def convolution(self, name, x, kernel, bias):
        self.kept += [kernel, bias]
        layer = self.network.add_convolution_nd(x, kernel.shape[0], kernel.shape[2:], kernel, bias)
        layer.name = name
        return layer.get_output(0)

    def elementwise(self, a, b, operation):
        return self.network.add_elementwise(a, b, operation).get_output(0)

    def product(self, a, b):
        none = trt.MatrixOperation.NONE
        return self.network.add_matrix_multiply(a, none, b, none).get_output(0)

    def plan(self, y, *flags):
        if y is not None:
            y.name = "y"
            self.network.mark_output(y)
        for flag in flags:
            self.config.set_flag(flag)
        plan = self.builder.build_serialized_network(self.network, self.config)
        assert plan is not None, self.logger.errors()
        return bytes(plan)


class Opened:
    """An engine and its context."""

    def __init__(self, logger, plan):
        self.logger = logger
        self.runtime = trt.Runtime(logger)
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        assert self.engine is not None, logger.errors()
        self.context = None
        self.memory = device_memory.for_target()

    def refitter(self):
        return trt.Refitter(self.engine, self.logger)

    def run(self, x):
        if self.context is None:
            self.context = self.engine.create_execution_context()
            assert self.context is not None, self.logger.errors()
        y = np.empty(tuple(self.engine.get_tensor_shape("y")), np.float32)
        inputs, outputs = self.memory.DeviceArray(x), self.memory.DeviceArray(y.shape, y.dtype)
        stream = self.memory.Stream()
        self.context.set_tensor_address("x", inputs.ptr)
        self.context.set_tensor_address("y", outputs.ptr)
        assert self.context.execute_async_v3(stream.handle)
        stream.synchronize()
        return outputs.numpy().copy()
