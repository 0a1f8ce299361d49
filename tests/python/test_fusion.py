# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions with pointwise layers behind them, against NumPy."""

import json

import numpy as np
import pytest
import tensorrt as trt


def values(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


class Image:
    """A network with one input, whose first layer is a convolution with a window of one position.

    `wanted` is the result of `y` in NumPy. Inputs and outputs of the engine have their channels
    last if `channels_last`.
    """

    def __init__(self, logger, channels=16, maps=32, size=12, channels_last=False):
        self.logger = logger
        self.channels_last = channels_last
        self.builder = trt.Builder(logger)
        self.network = self.builder.create_network(0)
        self.data = values(1, channels, size, size)
        x = self.network.add_input("x", trt.float32, self.data.shape)
        kernel = values(maps, channels, 1, 1, seed=1)
        self.y = self.network.add_convolution_nd(x, maps, (1, 1), kernel).get_output(0)
        self.wanted = np.einsum("mc,bchw->bmhw", kernel[:, :, 0, 0], self.data)

    def sigmoid(self, tensor):
        return self.network.add_activation(tensor, trt.ActivationType.SIGMOID).get_output(0)

    def product(self, a, b):
        return self.network.add_elementwise(a, b, trt.ElementWiseOperation.PROD).get_output(0)

    def constant(self, array):
        return self.network.add_constant(array.shape, array).get_output(0)

    def run(self, *outputs):
        """The results, and the number of layers of the engine."""
        for tensor in outputs:
            self.network.mark_output(tensor)
        names = [tensor.name for tensor in outputs]
        config = self.builder.create_builder_config()
        data = self.data
        if self.channels_last:
            config.set_flag(trt.BuilderFlag.DIRECT_IO)
            data = np.ascontiguousarray(data.transpose(0, 2, 3, 1))
            for tensor in (self.network.get_input(0), *outputs):
                tensor.allowed_formats = 1 << int(trt.TensorFormat.HWC)
        plan = self.builder.build_serialized_network(self.network, config)
        assert plan is not None, self.logger.errors()
        engine = trt.Runtime(self.logger).deserialize_cuda_engine(plan)
        context = engine.create_execution_context()
        results = {name: np.empty(engine.get_tensor_shape(name), np.float32) for name in names}
        if self.channels_last:
            results = {
                name: np.empty_like(array.transpose(0, 2, 3, 1), order="C")
                for name, array in results.items()
            }
        for name, array in {"x": data, **results}.items():
            context.set_tensor_address(name, array.ctypes.data)
        assert context.execute_async_v3(0)
        inspector = engine.create_engine_inspector()
        text = inspector.get_engine_information(trt.LayerInformationFormat.JSON)
        layers = [name for name in json.loads(text)["Layers"] if "reformat" not in name]
        order = (0, 3, 1, 2) if self.channels_last else (0, 1, 2, 3)
        return [results[name].transpose(order) for name in names], len(layers)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("gate_first", [False, True])
def test_gate_joins_the_convolution(logger, gate_first):
    image = Image(logger)
    gate = image.sigmoid(image.y)
    z = image.product(gate, image.y) if gate_first else image.product(image.y, gate)
    (result,), layers = image.run(z)
    np.testing.assert_allclose(result, image.wanted * sigmoid(image.wanted), 1e-5, 1e-6)
    assert layers == 1


def test_gate_that_is_read_outside_joins_nothing(logger):
    image = Image(logger)
    gate = image.sigmoid(image.y)
    (result, gates), _ = image.run(image.product(image.y, gate), gate)
    np.testing.assert_allclose(gates, sigmoid(image.wanted), 1e-5, 1e-6)
    np.testing.assert_allclose(result, image.wanted * sigmoid(image.wanted), 1e-5, 1e-6)


@pytest.mark.parametrize("shape", [(1, 32, 12, 12), (1, 32, 1, 1), (1, 1, 12, 12), (1, 1, 1, 1)])
@pytest.mark.parametrize("operation", ["SUM", "PROD", "POW"])
def test_constants_in_the_format_of_a_convolution(logger, shape, operation):
    image = Image(logger, channels_last=True)
    factor = values(*shape, seed=2) + 2
    kind = getattr(trt.ElementWiseOperation, operation)
    squares = image.product(image.y, image.y)
    z = image.network.add_elementwise(squares, image.constant(factor), kind).get_output(0)
    (result,), _ = image.run(z)
    numpy = {"SUM": np.add, "PROD": np.multiply, "POW": np.power}[operation]
    np.testing.assert_allclose(result, numpy(image.wanted**2, factor), 2e-5, 1e-6)


class Residual(Image):
    """Adds to the result y of the convolution what a second one makes from it: `z`."""

    def __init__(self, logger):
        super().__init__(logger, size=40)
        kernel = values(32, 32, 3, 3, seed=3) / 16
        layer = self.network.add_convolution_nd(self.y, 32, (3, 3), kernel)
        layer.padding_nd = (1, 1)
        padded = np.pad(self.wanted, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        self.wanted_z = np.einsum("bchwij,mcij->bmhw", windows, kernel) + self.wanted
        self.z = self.sum(layer.get_output(0), self.y)

    def sum(self, a, b):
        return self.network.add_elementwise(a, b, trt.ElementWiseOperation.SUM).get_output(0)

    def last(self, tensor):
        """A convolution with identity weights, so that `tensor` is no output of the network."""
        kernel = np.eye(32, dtype=np.float32).reshape(32, 32, 1, 1)
        return self.network.add_convolution_nd(tensor, 32, (1, 1), kernel).get_output(0)


def check_residual(image, wanted, *outputs):
    results, _ = image.run(*outputs)
    for result, expected in zip(results, wanted, strict=True):
        np.testing.assert_allclose(result, expected, 1e-4, 2e-5)


def test_sum_takes_the_memory_of_its_term(logger):
    image = Residual(logger)
    check_residual(image, [image.wanted_z], image.last(image.z))


def test_term_that_is_read_later_keeps_its_memory(logger):
    image = Residual(logger)
    z = image.sum(image.last(image.z), image.last(image.y))
    check_residual(image, [image.wanted_z + image.wanted], z)


def test_term_that_is_an_output_keeps_its_memory(logger):
    image = Residual(logger)
    wanted = [image.wanted, image.wanted_z]
    check_residual(image, wanted, image.y, image.last(image.z))


def test_term_that_a_view_reads_later_keeps_its_memory(logger):
    image = Residual(logger)
    view = image.network.add_shuffle(image.y)
    view.reshape_dims = (1, 32, 1, 1600)
    wanted = [image.wanted.reshape(1, 32, 1, 1600), image.wanted_z]
    check_residual(image, wanted, image.last(view.get_output(0)), image.last(image.z))


def test_memory_of_residual_sums(logger):
    image = Residual(logger)
    image.network.mark_output(image.last(image.z))
    config = image.builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = image.builder.build_serialized_network(image.network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    workspace = max(layer["WorkspaceBytes"] for layer in json.loads(text)["Layers"])
    tensor = image.wanted.nbytes
    # Reformats of input and output may be among the steps; the sum needs one tensor, not two.
    assert engine.device_memory_size_v2 - workspace < 2.5 * tensor


@pytest.mark.parametrize("bfloat16", [False, True])
def test_a_scale_in_front_keeps_types_free(logger, bfloat16):
    """A scale of channels joins the convolution behind it, unless that would rule out bfloat16."""
    x, scale = values(1, 32, 28, 28), values(1, 32, 1, 1, seed=1)
    kernel = values(16, 32, 1, 1, seed=2)
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    inputs = [network.add_input(n, trt.float32, a.shape) for n, a in (("x", x), ("s", scale))]
    scaled = network.add_elementwise(*inputs, trt.ElementWiseOperation.PROD)
    y = network.add_convolution_nd(scaled.get_output(0), 16, (1, 1), kernel).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    if bfloat16:
        config.set_flag(trt.BuilderFlag.BF16)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    result = np.empty((1, 16, 28, 28), np.float32)
    for name, array in (("x", x), ("s", scale), ("y", result)):
        context.set_tensor_address(name, array.ctypes.data)
    assert context.execute_async_v3(0)
    wanted = np.einsum("mc,bchw->bmhw", kernel[:, :, 0, 0], x * scale)
    np.testing.assert_allclose(result, wanted, atol=0.1 if bfloat16 else 1e-5)
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    if bfloat16:
        assert not any(" + " in layer["Name"] for layer in json.loads(text)["Layers"])
