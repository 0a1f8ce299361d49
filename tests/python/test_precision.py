# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Precisions and output types of layers in weakly typed networks.

2049 and 4098 are no numbers of 16 bits: they tell in which type 2 * 2049 was computed.
"""

import warnings

import numpy as np
import pytest
import tensorrt as trt
from quantized_nets import Product, run

warnings.filterwarnings("ignore", category=DeprecationWarning)
X = np.array([2049, 1], np.float32)


@pytest.fixture
def builder(logger):
    return trt.Builder(logger)


@pytest.fixture
def config(builder):
    return builder.create_builder_config()


class Double:
    """y = x * 2 + 0; the product has the constraints."""

    def __init__(self, builder):
        self.network = builder.create_network(0)
        x = self.network.add_input("x", trt.float32, (2,))
        self.layer = self._add(trt.ElementWiseOperation.PROD, x, 2)
        self.layer.name = "double"
        self.last = self._add(trt.ElementWiseOperation.SUM, self.layer.get_output(0), 0)
        self.last.get_output(0).name = "y"
        self.network.mark_output(self.last.get_output(0))

    def _add(self, operation, tensor, number):
        constant = self.network.add_constant((1,), np.array([number], np.float32))
        return self.network.add_elementwise(tensor, constant.get_output(0), operation)


def result(logger, builder, config, net, x=X):
    plan = builder.build_serialized_network(net.network, config)
    assert plan is not None, logger.errors()
    return run(logger, plan, x=x)["y"]


def test_what_was_set_is_given_back(logger, builder):
    layer = Double(builder).layer
    assert not layer.precision_is_set and not layer.output_type_is_set(0)
    assert layer.precision == layer.get_output_type(0) == trt.float32
    layer.precision = trt.float16
    layer.set_output_type(0, trt.bfloat16)
    assert layer.precision_is_set and layer.output_type_is_set(0)
    assert (layer.precision, layer.get_output_type(0)) == (trt.float16, trt.bfloat16)
    layer.reset_precision()
    layer.reset_output_type(0)
    assert not layer.precision_is_set and not layer.output_type_is_set(0)
    assert layer.get_output_type(0) == trt.float32
    assert logger.errors() == ""


@pytest.mark.parametrize("flag", ["OBEY_PRECISION_CONSTRAINTS", "PREFER_PRECISION_CONSTRAINTS"])
@pytest.mark.parametrize(("dtype", "allow", "want"),
                         [(trt.float16, "FP16", 4096), (trt.bfloat16, "BF16", 4096),
                          (trt.float32, "FP16", 4098)])  # fmt: skip
def test_precision_binds(logger, builder, config, flag, dtype, allow, want):
    config.set_flag(getattr(trt.BuilderFlag, flag))
    config.set_flag(getattr(trt.BuilderFlag, allow))
    net = Double(builder)
    net.layer.precision = dtype
    np.testing.assert_array_equal(result(logger, builder, config, net), [want, 2])


def test_output_type_binds(logger, builder, config):
    config.set_flag(trt.BuilderFlag.FP16)
    config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)
    net = Double(builder)
    net.layer.set_output_type(0, trt.float16)
    np.testing.assert_array_equal(result(logger, builder, config, net), [4096, 2])


def test_all_layers_in_a_row_have_both(logger, builder, config):
    config.set_flag(trt.BuilderFlag.FP16)
    config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)
    net = Double(builder)
    for layer in (net.layer, net.last):
        layer.precision = trt.float16
        layer.set_output_type(0, trt.float16)
    np.testing.assert_array_equal(result(logger, builder, config, net), [4096, 2])


def test_without_a_flag_they_are_hints(logger, builder, config):
    config.set_flag(trt.BuilderFlag.FP16)
    net = Double(builder)
    net.layer.precision = trt.float16
    result(logger, builder, config, net)
    assert "precisions and output types of layers without effect" in logger.messages_text()


@pytest.mark.parametrize(
    ("dtype", "reason"),
    [(trt.float16, "BuilderFlag FP16 is not set"),
     (trt.int32, "it does not compute in this type"),
     (trt.int8, "it does not compute in this type")],
)  # fmt: skip
def test_what_cannot_be_obeyed(logger, builder, config, dtype, reason):
    net = Double(builder)
    net.layer.precision = dtype
    config.set_flag(trt.BuilderFlag.PREFER_PRECISION_CONSTRAINTS)
    np.testing.assert_array_equal(result(logger, builder, config, net), [4098, 2])
    assert f"ignored, because {reason}" in logger.messages_text()
    config.clear_flag(trt.BuilderFlag.PREFER_PRECISION_CONSTRAINTS)
    config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)
    assert builder.build_serialized_network(net.network, config) is None
    assert reason in logger.errors()


def test_int8_precision(logger, builder, config):
    """INT8 binds the layers that have it; others keep their type."""
    config.set_flag(trt.BuilderFlag.INT8)
    config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)
    x = np.random.default_rng(7).normal(0, 1, (4, 16)).astype(np.float32)
    for dtype, magnitude in ((trt.int8, 2.0), (trt.float32, None)):
        net = Product(builder)
        net.h.dynamic_range = (-2, 2)
        net.product.precision = dtype
        y = result(logger, builder, config, net, x)
        np.testing.assert_allclose(y, net.expected(x, magnitude), rtol=1e-5, atol=1e-5)


def test_an_identity_converts(logger, builder, config):
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (3,))
    layer = network.add_identity(x)
    layer.set_output_type(0, trt.int32)
    assert layer.get_output(0).dtype == trt.int32
    total = network.add_elementwise(layer.get_output(0), layer.get_output(0),
                                    trt.ElementWiseOperation.SUM)  # fmt: skip
    total.get_output(0).name = "y"
    network.mark_output(total.get_output(0))
    plan = builder.build_serialized_network(network, config)
    y = run(logger, plan, x=np.array([1.5, -2.5, 3], np.float32))["y"]
    assert y.dtype == np.int32
    np.testing.assert_array_equal(y, [2, -4, 6])


def test_an_output_of_the_network_has_the_type(logger, builder, config):
    net = Double(builder)
    net.last.set_output_type(0, trt.float16)
    assert net.last.get_output(0).dtype == trt.float16
    y = result(logger, builder, config, net)
    assert y.dtype == np.float16
    np.testing.assert_array_equal(y, [4096, 2])
