# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of quantize layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute, shape_of


def quantize(bench):
    scale = bench.network.add_input("scale", trt.float32, ())
    return bench.network.add_quantize(bench.x, scale, trt.int8)


ARGUMENTS = {
    "integer": {"IQuantizeLayer.axis": attribute(quantize, "axis")},
    "shape": {"IQuantizeLayer.block_shape": shape_of(quantize, "block_shape")},
}
