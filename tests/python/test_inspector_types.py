# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""LayerType of layers that became one kernel: that of the layer to which others were joined."""

import json

import numpy as np
import pytest
import tensorrt as trt


def described(logger, fill):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 8, 16, 16))
    network.mark_output(fill(network, x))
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    layers = json.loads(text)["Layers"]
    for layer in layers:  # trex draws no graph without it
        assert (layer.get("Origin") == "REFORMAT") == (layer["LayerType"] == "Reformat")
    return [layer for layer in layers if layer["LayerType"] != "Reformat"]


def relu(network, x):
    layer = network.add_activation(x, trt.ActivationType.RELU)
    layer.name = "relu"
    return layer.get_output(0)


def convolution(network, x):
    kernel = np.ones((8, 8, 3, 3), np.float32)
    layer = network.add_convolution_nd(x, 8, (3, 3), kernel)
    layer.name = "anchor"
    return relu(network, layer.get_output(0))


def product(network, x):
    w = network.add_constant((1, 1, 16, 16), np.ones((1, 1, 16, 16), np.float32)).get_output(0)
    none = trt.MatrixOperation.NONE
    layer = network.add_matrix_multiply(x, none, w, none)
    layer.name = "anchor"
    return relu(network, layer.get_output(0))


def pointwise(network, x):
    layer = network.add_unary(x, trt.UnaryOperation.SIN)
    layer.name = "anchor"
    return relu(network, layer.get_output(0))


@pytest.mark.parametrize(
    ("fill", "kind"),
    [(convolution, "Convolution"), (product, "MatrixMultiply"), (pointwise, "PointWise")],
)
def test_joined_layers(logger, fill, kind):
    layers = described(logger, fill)
    assert [layer["LayerType"] for layer in layers] == [kind]
    assert layers[0]["Name"] == "anchor + relu"
