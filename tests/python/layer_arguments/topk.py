# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of top-k layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute


def topk(bench):
    return bench.network.add_topk(bench.x, trt.TopKOperation.MAX, 1, 1)


ARGUMENTS = {
    "integer": {
        "INetworkDefinition.add_topk.k": lambda bench, value: (
            bench.network.add_topk(bench.x, trt.TopKOperation.MAX, value, 1).k
        ),
        "ITopKLayer.k": attribute(topk, "k"),
    },
    "mask": {
        "INetworkDefinition.add_topk.axes": lambda bench, value: (
            bench.network.add_topk(bench.x, trt.TopKOperation.MAX, 1, value).axes
        ),
        "ITopKLayer.axes": attribute(topk, "axes"),
    },
}
