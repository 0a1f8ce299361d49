# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of pooling layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute, shape_of


def pooling(bench):
    return bench.network.add_pooling_nd(bench.x, trt.PoolingType.MAX, (1, 1))


ARGUMENTS = {
    "shape": {
        "INetworkDefinition.add_pooling_nd.window_size": lambda bench, value: tuple(
            bench.network.add_pooling_nd(bench.x, trt.PoolingType.MAX, value).window_size_nd
        ),
        "IPoolingLayer.window_size_nd": shape_of(pooling, "window_size_nd"),
        "IPoolingLayer.stride_nd": shape_of(pooling, "stride_nd"),
        "IPoolingLayer.padding_nd": shape_of(pooling, "padding_nd"),
    },
    "real": {"IPoolingLayer.blend_factor": attribute(pooling, "blend_factor")},
    "truth": {
        "IPoolingLayer.average_count_excludes_padding": attribute(
            pooling, "average_count_excludes_padding"
        ),
    },
}
