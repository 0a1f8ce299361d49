# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of dynamic quantize layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute, shape_of


def dynamic(bench):
    return bench.network.add_dynamic_quantize(bench.x, 3, 4, trt.fp8, trt.float32)


def added(bench, value):
    layer = bench.network.add_dynamic_quantize_v2(bench.x, value, trt.fp8, trt.float32)
    return tuple(layer.block_shape)


ARGUMENTS = {
    "integer": {
        f"IDynamicQuantizeLayer.{name}": attribute(dynamic, name) for name in ("axis", "block_size")
    },
    "shape": {
        "IDynamicQuantizeLayer.block_shape": shape_of(dynamic, "block_shape"),
        "INetworkDefinition.add_dynamic_quantize_v2.block_shape": added,
    },
}
