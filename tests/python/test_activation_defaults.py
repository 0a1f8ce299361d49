# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of activations that a program does not set."""

import kiln
import numpy as np
import pytest
import tensorrt as trt

X = np.linspace(-3, 3, 25, dtype=np.float32)


def results(kind, **parameters):
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    layer = network.add_activation(network.add_input("x", trt.float32, X.shape), kind)
    for name, value in parameters.items():
        setattr(layer, name, value)
    network.mark_output(layer.get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
    x, y = kiln.DeviceArray(X), kiln.DeviceArray.empty(X.shape)
    assert context.execute_v2([x, y])
    return layer, y.numpy()


def selu(x, alpha=1.6732632423543772, scale=1.0507009873554805):
    return scale * np.where(x > 0, x, alpha * np.expm1(x))


def test_selu_has_the_usual_constants():
    layer, y = results(trt.ActivationType.SELU)
    assert (layer.alpha, layer.beta) == (pytest.approx(1.6732632), pytest.approx(1.0507010))
    np.testing.assert_allclose(y, selu(X), rtol=1e-5, atol=1e-6)
    _, y = results(trt.ActivationType.SELU, alpha=0.5, beta=2.0)
    np.testing.assert_allclose(y, selu(X, 0.5, 2.0), rtol=1e-5, atol=1e-6)


def test_others_have_zero():
    layer, y = results(trt.ActivationType.LEAKY_RELU)
    assert (layer.alpha, layer.beta) == (0.0, 0.0)
    np.testing.assert_array_equal(y, np.maximum(X, 0))
