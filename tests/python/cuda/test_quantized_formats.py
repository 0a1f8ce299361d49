# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantization of tensors with channels last. Times decide whether the format changes in between;
tests/targets/cuda/ops/quantize_test.cpp shows that it need not."""

import numpy as np
import pytest
import tensorrt as trt
from quantized_nets import run

SHAPE = (4, 64, 15, 15)
LAST = 1 << int(trt.TensorFormat.HWC)


def constant(network, array):
    return network.add_constant(array.shape, array).get_output(0)


def built(logger, fill, source, result):
    """A plan with channels last at both ends."""
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", source, SHAPE)
    y = fill(network, x)
    y.name = "y"
    network.mark_output(y)
    assert y.dtype == result
    x.allowed_formats = y.allowed_formats = LAST
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    assert plan is not None, logger.errors()
    return plan


def channels_last(x):
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


@pytest.mark.parametrize("channels", [False, True])
@pytest.mark.parametrize("wide", [np.float32, np.float16])
def test_quantize(logger, wide, channels):
    rng = np.random.default_rng(1)
    scale = rng.uniform(0.01, 0.05, (SHAPE[1],) if channels else ()).astype(np.float32)

    def fill(network, x):
        layer = network.add_quantize(x, constant(network, scale), trt.int8)
        layer.axis = 1
        return layer.get_output(0)

    source = trt.float32 if wide == np.float32 else trt.float16
    plan = built(logger, fill, source, trt.int8)
    x = rng.normal(0, 2, SHAPE).astype(wide)
    y = run(logger, plan, x=channels_last(x).reshape(SHAPE))["y"]
    spread = scale.reshape(-1, 1, 1) if channels else scale
    expected = np.clip(np.rint(x.astype(np.float32) / spread), -128, 127)
    np.testing.assert_array_equal(y.reshape(4, 15, 15, 64), channels_last(expected))


@pytest.mark.parametrize("channels", [False, True])
def test_dequantize(logger, channels):
    rng = np.random.default_rng(2)
    scale = rng.uniform(0.01, 0.05, (SHAPE[1],) if channels else ()).astype(np.float32)

    def fill(network, x):
        layer = network.add_dequantize(x, constant(network, scale), trt.float32)
        layer.axis = 1
        return layer.get_output(0)

    plan = built(logger, fill, trt.int8, trt.float32)
    x = rng.integers(-128, 128, SHAPE).astype(np.int8)
    y = run(logger, plan, x=channels_last(x).reshape(SHAPE))["y"]
    expected = x.astype(np.float32) * (scale.reshape(-1, 1, 1) if channels else scale)
    np.testing.assert_array_equal(y.reshape(4, 15, 15, 64), channels_last(expected))
