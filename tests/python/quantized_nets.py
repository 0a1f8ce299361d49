# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Weakly typed networks for tests of precision and of INT8, and how they run."""

import device_memory
import numpy as np
import tensorrt as trt


def run(logger, plan, **inputs):
    """The outputs of a plan, or of an engine, by name."""
    engine = plan
    if not isinstance(plan, trt.ICudaEngine):
        engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    memory = device_memory.for_target()
    stream = memory.Stream()
    buffers = {}
    for i in range(engine.num_io_tensors):
        name = engine.get_tensor_name(i)
        if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT:
            context.set_input_shape(name, inputs[name].shape)
            array = inputs[name]
        else:
            dtype = trt.nptype(engine.get_tensor_dtype(name))
            array = np.zeros(tuple(context.get_tensor_shape(name)), dtype)
        buffers[name] = memory.DeviceArray(np.ascontiguousarray(array))
        context.set_tensor_address(name, buffers[name].ptr)
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    return {name: buffer.numpy() for name, buffer in buffers.items() if name not in inputs}


def quantized(x, magnitude, axes=None):
    """x after int8 and back, by a scale of magnitude / 127; by channel, if axes are reduced."""
    if axes is not None:
        magnitude = np.abs(x).max(axis=axes, keepdims=True)
    scale = np.asarray(magnitude, np.float32) / np.float32(127)
    return np.clip(np.rint(x.astype(np.float32) / scale), -128, 127) * scale


class Product:
    """y = relu(x) @ w, with names 'x', 'h' and 'y'."""

    def __init__(self, builder, flags=0):
        rng = np.random.default_rng(3)
        self.w = rng.normal(0, 1, (16, 8)).astype(np.float32)
        self.network = builder.create_network(flags)
        self.x = self.network.add_input("x", trt.float32, (4, 16))
        self.relu = self.network.add_activation(self.x, trt.ActivationType.RELU)
        self.h = self.relu.get_output(0)
        self.h.name = "h"
        self.kept = trt.Weights(self.w.copy())
        weights = self.network.add_constant(self.w.shape, self.kept).get_output(0)
        none = trt.MatrixOperation.NONE
        self.product = self.network.add_matrix_multiply(self.h, none, weights, none)
        self.product.name = "product"
        self.y = self.product.get_output(0)
        self.y.name = "y"
        self.network.mark_output(self.y)

    def expected(self, x, magnitude=None):
        h = np.maximum(x, 0)
        if magnitude is None:
            return h @ self.w
        return quantized(h, magnitude) @ quantized(self.w, None, axes=0)
