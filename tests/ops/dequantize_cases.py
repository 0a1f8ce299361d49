# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Dequantize: of inputs of 8 bits, and of constants of each type."""

import numpy as np
import tensorrt as trt
from case import Case
from narrow_types import LIMITS, NUMPY, constant, spread

TYPES = {np.float32: trt.float32, np.float16: trt.float16}
ANY_ADDRESS = True


def _case(name, shapes, element=np.int8, axis=None, blocks=None, zero=None, **options):
    """Operands: x, scale."""

    def build(network, x, dtype):
        layer = network.add_dequantize(x[0], x[1], TYPES[dtype])
        if axis is not None:
            layer.axis = axis
        if blocks is not None:
            layer.block_shape = blocks
        if zero is not None:
            numbers = np.array(zero, element)
            layer.set_input(2, network.add_constant(numbers.shape, numbers).get_output(0))
        return layer.get_output(0)

    def expected(x):
        shift = 0 if zero is None else spread(np.array(zero), x[0].shape, axis, blocks)
        return (x[0].astype(np.float64) - shift) * spread(x[1], x[0].shape, axis, blocks)

    low, high = {np.uint8: (0, 255), np.int32: (-9999, 9999)}.get(element, (-128, 127))
    others = {0: (element, low, high), 1: (np.float32, 0.01, 0.05)}
    return Case(name, shapes, build, expected, types=tuple(TYPES), others=others, **options)


def _constant(name, of, shape, scale_shape, blocks=None):
    """x + dequantized constant, so that the engine has an input."""
    rng = np.random.default_rng(len(name))
    numbers = rng.uniform(*LIMITS[of], shape).astype(NUMPY[of])
    scale = rng.uniform(0.01, 0.05, scale_shape).astype(np.float32)

    def build(network, x, dtype):
        scales = network.add_constant(scale.shape, scale).get_output(0)
        layer = network.add_dequantize(constant(network, numbers, of), scales, TYPES[dtype])
        if blocks is not None:
            layer.block_shape = blocks
        added = network.add_elementwise(x[0], layer.get_output(0), trt.ElementWiseOperation.SUM)
        return added.get_output(0)

    def expected(x):
        weights = numbers.astype(np.float32) * spread(scale, shape, None, blocks)
        return x[0] + weights

    return Case(name, [(shape,)], build, expected, types=tuple(TYPES), atol=2e-3)


CASES = [
    _case("tensor", [((2, 3, 8, 5), ()), ((1, 3, 8, 5), ())]),
    _case("rank_0", [((), ())]),
    _case("empty", [((2, 3, 4), ()), ((2, 0, 4), ())]),
    _case("axis", [((2, 3, 8, 5), (3,)), ((4, 3, 8, 5), (3,))], axis=1),
    _case("last_axis", [((2, 3, 150), (150,))], axis=2),
    _case("runs", [((2, 3, 8, 8), (3,)), ((1, 3, 8, 8), (3,))], axis=1),
    _case("columns", [((6, 40, 64), (64,)), ((1, 40, 64), (64,))], axis=2),
    _case("columns_of_blocks", [((64, 48), (4, 48))]),
    _case("blocks", [((6, 64), (6, 4)), ((3, 64), (3, 4))]),
    _case("blocks_2d", [((6, 70), (2, 3))], blocks=(3, 32)),
    _case("zeros", [((2, 3, 8), (3,))], axis=1, zero=[-5, 0, 7]),
    _case("uint8", [((2, 3, 8, 5), ())], element=np.uint8, zero=128),
    _case("int32", [((2, 3, 8), (3,))], element=np.int32, axis=1),
    _case("int32_columns", [((6, 64), (64,))], element=np.int32, axis=1),
    _constant("int8", trt.int8, (3, 8), ()),
    _constant("int4", trt.int4, (3, 7), ()),
    _constant("int4_blocks", trt.int4, (6, 64), (6, 2)),
    _constant("fp8", trt.fp8, (3, 7), ()),
    _constant("fp4_blocks", trt.fp4, (4, 32), (4, 2)),
]
