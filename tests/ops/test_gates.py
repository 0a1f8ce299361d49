# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""act(x Wg + bg) * (x Wu + bu) against NumPy, as two products and as one with halves.

tests/compiler/join_gates_test.cpp checks which products become one.
"""

import math

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from case import Logger

INNER = 24
ROUNDING = {None: 2e-6, "FP16": 4e-3, "BF16": 3e-2}


@pytest.fixture
def logger():
    return Logger()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "silu": lambda x: x * sigmoid(x),
    "gelu": lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "relu": lambda x: np.maximum(x, 0),
}


class Gate:
    """The network. `form`: two products `apart`, or one of twice the width whose result is cut in
    `halves` or in `swapped` halves."""

    def __init__(self, form, activation, width, bias):
        generator = np.random.default_rng(width)
        shapes = [(1, INNER, width)] * 2 + [(1, 1, width)] * 2
        values = [generator.standard_normal(s).astype(np.float32) / 4 for s in shapes]
        self.weights, self.biases = values[:2], values[2:]
        self.form, self.activation, self.width, self.bias = form, activation, width, bias

    def add(self, network, x):
        self.network = network
        if self.form == "apart":
            gate, up = (
                self.product(x, w, b) for w, b in zip(self.weights, self.biases, strict=True)
            )
        else:
            order = -1 if self.form == "swapped" else 1
            whole = (np.concatenate(part[::order], 2) for part in (self.weights, self.biases))
            both = self.product(x, *whole)
            gate, up = [self.half(both, begin) for begin in (0, self.width)][::order]
        return self.times(self.activated(gate), up)

    def constant(self, array):
        array = np.ascontiguousarray(array)
        return self.network.add_constant(array.shape, array).get_output(0)

    def product(self, x, weights, bias):
        none = trt.MatrixOperation.NONE
        layer = self.network.add_matrix_multiply(x, none, self.constant(weights), none)
        if not self.bias:
            return layer.get_output(0)
        inputs = (layer.get_output(0), self.constant(bias))
        return self.network.add_elementwise(*inputs, trt.ElementWiseOperation.SUM).get_output(0)

    def half(self, tensor, begin):
        layer = self.network.add_slice(tensor, (0, 0, begin), (0, 0, 0), (1, 1, 1))
        extents = self.network.add_shape(tensor).get_output(0)
        least = self.constant(np.array([2**30, 2**30, self.width], np.int64))
        size = self.network.add_elementwise(extents, least, trt.ElementWiseOperation.MIN)
        layer.set_input(2, size.get_output(0))
        return layer.get_output(0)

    def times(self, a, b):
        return self.network.add_elementwise(a, b, trt.ElementWiseOperation.PROD).get_output(0)

    def activated(self, x):
        kinds = {"gelu": "GELU_ERF", "relu": "RELU", "silu": "SIGMOID"}
        kind = getattr(trt.ActivationType, kinds[self.activation])
        y = self.network.add_activation(x, kind).get_output(0)
        return self.times(y, x) if self.activation == "silu" else y

    def expected(self, x):
        gate, up = (
            x.astype(np.float64) @ w + (b if self.bias else 0)
            for w, b in zip(self.weights, self.biases, strict=True)
        )
        return ACTIVATIONS[self.activation](gate) * up


def run(logger, gate, sizes, flag=None):
    """Checks batches of these numbers of rows."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    if flag is not None:
        config.set_flag(getattr(trt.BuilderFlag, flag))
    dynamic = len(sizes) > 1
    x = network.add_input("x", trt.float32, (2, -1 if dynamic else sizes[0], INNER))
    if dynamic:
        profile = builder.create_optimization_profile()
        profile.set_shape("x", *((2, rows, INNER) for rows in sorted(sizes)))
        config.add_optimization_profile(profile)
    y = gate.add(network, x)
    y.name = "y"
    network.mark_output(y)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    memory = device_memory.for_target()
    stream = memory.Stream()
    for rows in sizes:
        values = np.random.default_rng(rows).standard_normal((2, rows, INNER)).astype(np.float32)
        want = gate.expected(values)
        source = memory.DeviceArray(values)
        target = memory.DeviceArray(np.full(want.shape, np.nan, np.float32))
        assert context.set_input_shape("x", values.shape)
        assert context.set_tensor_address("x", source.ptr)
        assert context.set_tensor_address("y", target.ptr)
        assert context.execute_async_v3(stream.handle), logger.errors
        stream.synchronize()
        tolerance = ROUNDING[flag] * np.abs(want).max()
        np.testing.assert_allclose(target.numpy(), want, rtol=0, atol=tolerance)
    return engine


@pytest.mark.parametrize("bias", [False, True], ids=["plain", "bias"])
@pytest.mark.parametrize("form", ["apart", "halves", "swapped"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_numbers(logger, activation, form, bias):
    for width in (16, 13):
        run(logger, Gate(form, activation, width, bias), [5])


@pytest.mark.parametrize("form", ["apart", "halves"])
@pytest.mark.parametrize("flag", ["FP16", "BF16"])
def test_narrow_types(logger, form, flag):
    run(logger, Gate(form, "silu", 24, True), [5], flag)


@pytest.mark.parametrize("form", ["apart", "halves", "swapped"])
def test_dynamic_rows(logger, form):
    run(logger, Gate(form, "silu", 16, True), [5, 40, 1])


@pytest.mark.parametrize("form", ["halves", "swapped"])
def test_halves_are_not_copied(logger, form):
    assert run(logger, Gate(form, "silu", 16, False), [40]).num_layers == 2
