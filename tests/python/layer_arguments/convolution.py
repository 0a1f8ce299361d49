# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of convolution layers: see accepted_arguments.py."""

import numpy as np
import tensorrt as trt
from accepted_bench import attribute, shape_of


def convolution(bench):
    kernel = np.zeros((1, 4, 1, 1), np.float32)
    return bench.network.add_convolution_nd(bench.x, 1, (1, 1), kernel)


def kernel_of_layer(bench, value):
    x = bench.network.add_input("image", trt.float32, (1, 4, 2, 2))
    layer = bench.network.add_convolution_nd(x, 1, (1, 1), value)
    return layer.kernel.tolist()


ARGUMENTS = {
    "shape": {
        "INetworkDefinition.add_convolution_nd.kernel_shape": lambda bench, value: tuple(
            bench.network.add_convolution_nd(
                bench.x, 1, value, np.zeros((1, 4, 2, 3), np.float32)
            ).kernel_size_nd
        ),
        "IConvolutionLayer.kernel_size_nd": shape_of(convolution, "kernel_size_nd"),
        "IConvolutionLayer.stride_nd": shape_of(convolution, "stride_nd"),
        "IConvolutionLayer.dilation_nd": shape_of(convolution, "dilation_nd"),
        "IConvolutionLayer.padding_nd": shape_of(convolution, "padding_nd"),
        "IConvolutionLayer.pre_padding": shape_of(convolution, "pre_padding"),
        "IConvolutionLayer.post_padding": shape_of(convolution, "post_padding"),
    },
    "integer": {
        "IConvolutionLayer.num_groups": attribute(convolution, "num_groups"),
        "IConvolutionLayer.num_output_maps": attribute(convolution, "num_output_maps"),
    },
    "weights": {
        "INetworkDefinition.add_convolution_nd.kernel": kernel_of_layer,
        "IConvolutionLayer.kernel": attribute(convolution, "kernel", lambda value: value.tolist()),
    },
}
