# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of slice layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import shape_of


def slice_layer(bench):
    return bench.network.add_slice(bench.x, (0,) * 4, (1,) * 4, (1,) * 4)


def sliced(position):
    def call(bench, value):
        x = bench.network.add_input("two", trt.float32, (8, 8))
        given = [(0, 0), (1, 1), (1, 1)]
        given[position] = value
        layer = bench.network.add_slice(x, *given)
        return tuple((layer.start, layer.shape, layer.stride)[position])

    return call


ARGUMENTS = {
    "shape": {
        "INetworkDefinition.add_slice.start": sliced(0),
        "INetworkDefinition.add_slice.shape": sliced(1),
        "INetworkDefinition.add_slice.stride": sliced(2),
        "ISliceLayer.start": shape_of(slice_layer, "start"),
        "ISliceLayer.shape": shape_of(slice_layer, "shape"),
        "ISliceLayer.stride": shape_of(slice_layer, "stride"),
        "ISliceLayer.axes": shape_of(slice_layer, "axes"),
    },
}
