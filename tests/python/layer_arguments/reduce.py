# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of reduce layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute


def reduce(bench):
    return bench.network.add_reduce(bench.x, trt.ReduceOperation.SUM, 1, False)


def reduced_axes(bench, value):
    return bench.network.add_reduce(bench.x, trt.ReduceOperation.SUM, value, True).axes


def kept_dims(bench, value):
    return bench.network.add_reduce(bench.x, trt.ReduceOperation.SUM, 1, value).keep_dims


ARGUMENTS = {
    "mask": {
        "INetworkDefinition.add_reduce.axes": reduced_axes,
        "IReduceLayer.axes": attribute(reduce, "axes"),
    },
    "truth": {
        "INetworkDefinition.add_reduce.keep_dims": kept_dims,
        "IReduceLayer.keep_dims": attribute(reduce, "keep_dims"),
    },
}
