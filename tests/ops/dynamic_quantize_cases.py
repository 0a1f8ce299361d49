# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""DynamicQuantize: each pair of types that the API names. The result is dequantized, which reads
both outputs."""

import numpy as np
import tensorrt as trt
from case import Case
from narrow_types import LIMITS, NUMPY, quantized, spread


def _largest(x, blocks):
    """The largest magnitude of each block."""
    for axis, block in enumerate(blocks):
        size = x.shape[axis] if block == -1 else block
        starts = np.arange(0, x.shape[axis], max(size, 1))
        x = np.maximum.reduceat(np.abs(x), starts, axis)
    return x


def _case(name, shapes, blocks, to, scale_type, axis=None, factor=None, low=-2.0, high=2.0):
    def build(network, x, _):
        if axis is None:
            layer = network.add_dynamic_quantize_v2(x[0], blocks, to, scale_type)
        else:
            layer = network.add_dynamic_quantize(x[0], axis, blocks[axis], to, scale_type)
        scales = layer.get_output(1)
        if factor is not None:
            number = network.add_constant((), np.array(factor, np.float32)).get_output(0)
            layer.set_input(1, number)
            one = network.add_constant((1,) * len(blocks), np.ones((1,) * len(blocks), np.float32))
            wide = network.add_dequantize(scales, number, trt.float32).get_output(0)
            product = trt.ElementWiseOperation.PROD
            scales = network.add_elementwise(wide, one.get_output(0), product).get_output(0)
        back = network.add_dequantize(layer.get_output(0), scales, trt.float32)
        back.block_shape = blocks
        return back.get_output(0)

    def expected(x):
        data = x[0].astype(np.float32)
        number = np.float32(1 if factor is None else factor)
        exact = _largest(data, blocks) / (np.float32(LIMITS[to][1]) * number)
        if scale_type == trt.DataType.E8M0:
            scale = np.exp2(np.ceil(np.log2(exact))).astype(np.float32)
        elif scale_type == trt.fp8:
            scale = exact.astype(NUMPY[trt.fp8]).astype(np.float32)
        else:
            scale = exact
        full = spread(scale, data.shape, None, blocks) * number
        return (quantized(data, full, to) * full).astype(np.float64)

    return Case(name, shapes, build, expected, low=low, high=high)


CASES = [
    _case("nvfp4", [((4, 64),), ((2, 64),)], (1, 16), trt.fp4, trt.fp8, axis=1),
    _case("nvfp4_factor", [((4, 64),)], (1, 16), trt.fp4, trt.fp8, axis=1, factor=0.002),
    _case("nvfp4_rows", [((32, 6),)], (16, 1), trt.fp4, trt.fp8, axis=0),
    _case("mxfp8", [((2, 3, 64),)], (1, 1, 32), trt.fp8, trt.DataType.E8M0, axis=2),
    _case("fp8_2d", [((70, 140),)], (32, 64), trt.fp8, trt.float32),
    _case("fp8_rows", [((5, 140),)], (1, -1), trt.fp8, trt.float32),
    _case("fp8_runs", [((3, 5, 256),), ((1, 5, 256),)], (1, 1, 128), trt.fp8, trt.float32),
    _case("int8_long_runs", [((3, 6144),)], (1, 2048), trt.int8, trt.float32),
    _case("int8_rows", [((5, 144),)], (1, -1), trt.int8, trt.float32),
    _case("int8_whole", [((5, 16),)], (-1, -1), trt.int8, trt.float32),
    _case("int8_tensor", [((5, 14),)], (-1, -1), trt.int8, trt.float32),
    _case("odd_int4", [((3, 5),)], (1, 2), trt.int4, trt.float32),
]
