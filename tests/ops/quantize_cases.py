# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantize: each type, and scales for tensors, axes and blocks. Types that no engine gives as an
output here are dequantized by a scale of 1."""

import numpy as np
import tensorrt as trt
from case import Case
from narrow_types import NUMPY, quantized, spread

DIRECT = (trt.int8, trt.uint8)


def _case(name, shapes, to=trt.int8, axis=None, blocks=None, zero=None, types=None, **options):
    """Operands: x, scale. The scale is positive."""

    def build(network, x, _):
        layer = network.add_quantize(x[0], x[1], to)
        if axis is not None:
            layer.axis = axis
        if blocks is not None:
            layer.block_shape = blocks
        if zero is not None:
            numbers = np.array(zero, NUMPY[to])
            layer.set_input(2, network.add_constant(numbers.shape, numbers).get_output(0))
        if to in DIRECT:
            return layer.get_output(0)
        one = network.add_constant((), np.array(1.0, np.float32)).get_output(0)
        return network.add_dequantize(layer.get_output(0), one, trt.float32).get_output(0)

    def expected(x):
        shift = 0 if zero is None else spread(np.array(zero), x[0].shape, axis, blocks)
        numbers = quantized(x[0], spread(x[1], x[0].shape, axis, blocks), to, shift)
        return numbers.astype(NUMPY[to]) if to in DIRECT else numbers.astype(np.float64)

    scale = options.pop("scale", (0.01, 0.05))
    others = {1: (np.float32, *scale)}
    types = types or (np.float32, np.float16)
    return Case(name, shapes, build, expected, types=types, others=others, **options)


ANY_ADDRESS = True
TIES = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 126.5, 127.5, -128.5]
SHAPES = [((2, 3, 8, 5), ()), ((1, 3, 8, 5), ()), ((4, 3, 8, 5), ())]
CASES = [
    _case("tensor", SHAPES),
    _case(
        "ties",
        [((9,), ())],
        types=(np.float32,),
        values={0: TIES, 1: [1.0]},
    ),
    _case("one", [((2, 3, 8, 5), (1,))]),
    _case("rank_0", [((), ())]),
    _case("empty", [((2, 3, 4), ()), ((2, 0, 4), ())]),
    _case("axis", [((2, 3, 8, 5), (3,)), ((1, 3, 8, 5), (3,))], axis=1),
    _case("last_axis", [((2, 3, 8, 150), (150,))], axis=3),
    _case("same_rank", [((2, 3, 8, 5), (1, 3, 1, 1))]),
    _case("blocks", [((6, 64), (6, 4)), ((2, 64), (2, 4))]),
    _case("blocks_of_rows", [((64, 6), (4, 6))]),
    _case("blocks_2d", [((6, 70), (2, 3))], blocks=(3, 32)),
    _case("whole_rows", [((6, 70), (6, 1))], blocks=(1, -1)),
    _case("runs", [((2, 3, 8, 8), (3,)), ((1, 3, 8, 8), (3,))], axis=1),
    _case("long_runs", [((2, 3, 32, 64), (3,)), ((1, 3, 32, 64), (3,))], axis=1),
    _case("runs_and_rest", [((3, 4100), (3, 1))]),
    _case("columns", [((5, 40, 64), (64,)), ((1, 40, 64), (64,))], axis=2),
    _case("wide_columns", [((3, 2560), (2560,))], axis=1),
    _case("columns_of_blocks", [((64, 48), (4, 48))]),
    _case(
        "far",
        [((12,), ())],
        types=(np.float32,),
        values={0: [np.inf, -np.inf, 1e37, -1e37, 1e-40, 6.35, 6.36, -6.4, -6.45, 0.0, 1, 2]},
        scale=(0.05, 0.06),
    ),
    _case("tiny_scale", [((4, 64), ())], types=(np.float32,), scale=(1e-30, 2e-30)),
    _case("zero", [((2, 3, 8), ())], zero=-5),
    _case("zero_of_columns", [((6, 64), (64,))], axis=1, zero=list(range(-32, 32))),
    _case("zeros", [((2, 3, 8), (3,))], axis=1, zero=[-5, 0, 7]),
    _case("uint8", SHAPES, to=trt.uint8, zero=128),
    _case("fp8", SHAPES, to=trt.fp8, scale=(0.0001, 0.01)),
    _case("fp8_axis", [((2, 3, 8, 5), (3,))], to=trt.fp8, axis=1, scale=(0.0001, 0.01)),
    _case("fp8_columns", [((9, 64), (64,))], to=trt.fp8, axis=1, scale=(0.0001, 0.01)),
    _case("fp8_small", [((2, 3, 8, 5), ())], to=trt.fp8, scale=(100, 200)),
    _case("int4", [((3, 7), ()), ((2, 7), ())], to=trt.int4, scale=(0.1, 0.3)),
    _case("int4_blocks", [((6, 64), (6, 2))], to=trt.int4, scale=(0.1, 0.3)),
    _case("int4_columns", [((9, 64), (64,))], to=trt.int4, axis=1, scale=(0.1, 0.3)),
    _case("fp4", [((3, 7), ())], to=trt.fp4, scale=(0.1, 0.5)),
    _case("fp4_blocks", [((6, 2048), (6, 128))], to=trt.fp4, scale=(0.1, 0.5)),
]
