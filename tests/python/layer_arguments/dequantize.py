# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of dequantize layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute, shape_of


def dequantize(bench):
    x = bench.network.add_input("codes", trt.int8, (4, 4, 8, 8))
    scale = bench.network.add_input("scale", trt.float32, ())
    return bench.network.add_dequantize(x, scale, trt.float32)


ARGUMENTS = {
    "integer": {"IDequantizeLayer.axis": attribute(dequantize, "axis")},
    "shape": {"IDequantizeLayer.block_shape": shape_of(dequantize, "block_shape")},
}
