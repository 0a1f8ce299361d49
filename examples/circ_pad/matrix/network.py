# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The network of the digits, layer by layer through the network API."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorrt as trt
import tensorrt.plugin as trtp

from .forms import NAME, get_creator


def add_padding(
    network: trt.INetworkDefinition,
    tensor: trt.ITensor,
    model: str,
    pads: Sequence[int] = (1, 1, 1, 1),
) -> trt.ITensor:
    """Adds the plugin; by default it pads one pixel on each side of height and width."""
    values = np.array(pads, np.int32)
    if model == "decorated":
        layer = network.add_plugin(trtp.op.sample.circ_pad(tensor, pads=values))
        return layer.get_output(0)
    fields = trt.PluginFieldCollection([trt.PluginField("pads", values, trt.PluginFieldType.INT32)])
    creator = get_creator(model.removeprefix("v"))
    if isinstance(creator, trt.IPluginCreatorV3One):
        plugin_v3 = creator.create_plugin(NAME, fields, trt.TensorRTPhase.BUILD)
        return network.add_plugin_v3([tensor], [], plugin_v3).get_output(0)
    plugin_v2 = creator.create_plugin(NAME, fields)
    return network.add_plugin_v2([tensor], plugin_v2).get_output(0)


def add_convolution(
    network: trt.INetworkDefinition,
    tensor: trt.ITensor,
    kernel: npt.NDArray[Any],
    bias: npt.NDArray[Any],
) -> trt.ITensor:
    """Adds a 3x3 convolution without padding, and ReLU."""
    layer = network.add_convolution_nd(tensor, kernel.shape[0], kernel.shape[2:], kernel, bias)
    return network.add_activation(layer.get_output(0), trt.ActivationType.RELU).get_output(0)


def define(
    network: trt.INetworkDefinition, weights: Mapping[str, npt.NDArray[Any]], model: str
) -> None:
    """Adds input x [-1, 1, 8, 8] and all layers, and marks output y [-1, 10].

    weights must live until the engine is built: the network refers to them.
    """
    half = weights["linear_bias"].dtype == np.float16
    dtype = trt.float16 if half else trt.float32
    x = network.add_input("x", dtype, (-1, 1, 8, 8))

    padded = add_padding(network, x, model)
    maps = add_convolution(network, padded, weights["conv1_kernel"], weights["conv1_bias"])
    pooling = network.add_pooling_nd(maps, trt.PoolingType.MAX, (2, 2))
    pooling.stride_nd = (2, 2)
    padded = add_padding(network, pooling.get_output(0), model)
    maps = add_convolution(network, padded, weights["conv2_kernel"], weights["conv2_bias"])

    flatten = network.add_shuffle(maps)
    flatten.reshape_dims = (0, -1)  # 0 keeps the batch, -1 is the rest
    kernel = network.add_constant((256, 10), weights["linear_kernel"])
    bias = network.add_constant((1, 10), weights["linear_bias"])
    plain = trt.MatrixOperation.NONE
    product = network.add_matrix_multiply(flatten.get_output(0), plain, kernel.get_output(0), plain)
    logits = network.add_elementwise(
        product.get_output(0), bias.get_output(0), trt.ElementWiseOperation.SUM
    )
    softmax = network.add_softmax(logits.get_output(0))
    softmax.axes = 1 << 1
    y = softmax.get_output(0)
    y.name = "y"
    y.dtype = dtype
    network.mark_output(y)
