# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of deconvolution layers: see accepted_arguments.py."""

import numpy as np
import tensorrt as trt
from accepted_bench import attribute, shape_of


def deconvolution(bench):
    kernel = np.zeros((4, 1, 1, 1), np.float32)
    return bench.network.add_deconvolution_nd(bench.x, 1, (1, 1), kernel)


def kernel_of_layer(bench, value):
    x = bench.network.add_input("image", trt.float32, (1, 4, 2, 2))
    layer = bench.network.add_deconvolution_nd(x, 1, (1, 1), value)
    return layer.kernel.tolist()


ARGUMENTS = {
    "shape": {
        "INetworkDefinition.add_deconvolution_nd.kernel_shape": lambda bench, value: tuple(
            bench.network.add_deconvolution_nd(
                bench.x, 1, value, np.zeros((4, 1, 2, 3), np.float32)
            ).kernel_size_nd
        ),
        "IDeconvolutionLayer.kernel_size_nd": shape_of(deconvolution, "kernel_size_nd"),
        "IDeconvolutionLayer.stride_nd": shape_of(deconvolution, "stride_nd"),
        "IDeconvolutionLayer.dilation_nd": shape_of(deconvolution, "dilation_nd"),
        "IDeconvolutionLayer.padding_nd": shape_of(deconvolution, "padding_nd"),
        "IDeconvolutionLayer.pre_padding": shape_of(deconvolution, "pre_padding"),
        "IDeconvolutionLayer.post_padding": shape_of(deconvolution, "post_padding"),
    },
    "integer": {
        "IDeconvolutionLayer.num_groups": attribute(deconvolution, "num_groups"),
        "IDeconvolutionLayer.num_output_maps": attribute(deconvolution, "num_output_maps"),
    },
    "weights": {
        "INetworkDefinition.add_deconvolution_nd.kernel": kernel_of_layer,
        "IDeconvolutionLayer.kernel": attribute(
            deconvolution, "kernel", lambda value: value.tolist()
        ),
    },
}
