# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Deconvolution: strides, dilation, groups, padding and its modes; weights or tensors.

The reference adds each input element, times the kernel, to the places of the output that it
reaches.
"""

import itertools

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

RNG = np.random.default_rng(5)


def deconvolved(x, kernel, stride, dilation, groups, padding):
    """padding: (before, after) of each axis."""
    size = kernel.shape[2:]
    spans = [1 + d * (k - 1) for d, k in zip(dilation, size, strict=True)]
    extents = [(i - 1) * s + k for i, s, k in zip(x.shape[2:], stride, spans, strict=True)]
    full = np.zeros((x.shape[0], kernel.shape[1] * groups, *extents))
    of_groups = zip(
        np.split(x, groups, axis=1), np.split(kernel, groups), np.split(full, groups, 1),
        strict=True,
    )  # fmt: skip
    for part, weights, target in of_groups:
        for at in itertools.product(*map(range, size)):
            places = [
                slice(k * d, k * d + (i - 1) * s + 1, s)
                for k, d, i, s in zip(at, dilation, x.shape[2:], stride, strict=True)
            ]
            factors = weights[(slice(None), slice(None), *at)]
            target[(slice(None), slice(None), *places)] += np.einsum(
                "nc...,cm->nm...", part, factors
            )
    inner = [slice(b, e - a) for (b, a), e in zip(padding, extents, strict=True)]
    return full[(slice(None), slice(None), *inner)]


def _padding(mode, size, stride, dilation, before, after):
    if not mode.startswith("SAME"):
        return list(zip(before, after, strict=True))
    result = []
    for k, s, d in zip(size, stride, dilation, strict=True):
        total = max(1 + d * (k - 1) - s, 0)
        less = total // 2
        result.append((less, total - less) if mode == "SAME_UPPER" else (total - less, less))
    return result


def _case(name, shapes, maps, size, stride=None, dilation=None, groups=1, before=None,
          after=None, mode="EXPLICIT_ROUND_DOWN", has_bias=True):  # fmt: skip
    ones, zeros = (1,) * len(size), (0,) * len(size)
    stride, dilation, before, after = (
        stride or ones,
        dilation or ones,
        before or zeros,
        after or zeros,
    )
    channels = shapes[0][0][1]
    # Multiples of 1/16 are exact in float16.
    kernel = RNG.integers(-16, 16, (channels, maps // groups, *size)) / 16
    bias = RNG.integers(-16, 16, maps) / 16

    def build(network, x, dtype):
        weights = np.ascontiguousarray(kernel.astype(dtype))
        extra = np.ascontiguousarray(bias.astype(dtype)) if has_bias else trt.Weights()
        layer = network.add_deconvolution_nd(x[0], maps, size, weights, extra)
        layer.stride_nd, layer.dilation_nd, layer.num_groups = stride, dilation, groups
        layer.pre_padding, layer.post_padding = before, after
        layer.padding_mode = getattr(trt.PaddingMode, mode)
        return layer.get_output(0)

    def expected(x):
        padding = _padding(mode, size, stride, dilation, before, after)
        result = deconvolved(x[0], kernel, stride, dilation, groups, padding)
        return result + (bias.reshape(-1, *ones) if has_bias else 0)

    # float32 sums of at most 150 products of magnitude 2.
    return Case(name, shapes, build, expected, atol=5e-5)


def _tensor_case(name, stride):
    def build(network, x, _):
        layer = network.add_deconvolution_nd(x[0], 4, (3, 3), trt.Weights(), trt.Weights())
        layer.set_input(1, x[1])
        layer.set_input(2, x[2])
        layer.stride_nd = stride
        return layer.get_output(0)

    def expected(x):
        padding = [(0, 0), (0, 0)]
        return deconvolved(x[0], x[1], stride, (1, 1), 1, padding) + x[2][:, None, None]

    shapes = [((1, 3, 6, 7), (3, 4, 3, 3), (4,)), ((2, 3, 9, 5), (3, 4, 3, 3), (4,))]
    return Case(name, shapes, build, expected, atol=5e-5)


def _followed_case(groups, dtype, atol):
    """Factors and summands of the maps, and an activation, behind the layer."""
    kernel = RNG.integers(-16, 16, (6, 4 // groups, 3, 2)) / 16
    scale, shift = RNG.integers(-16, 16, (2, 1, 4, 1, 1)) / 16

    def build(network, x, dtype):
        layer = network.add_deconvolution_nd(x[0], 4, (3, 2), kernel.astype(dtype))
        layer.stride_nd, layer.num_groups, layer.pre_padding = (2, 3), groups, (1, 0)
        y = layer.get_output(0)
        for values, operation in ((scale, "PROD"), (shift, "SUM")):
            constant = network.add_constant(values.shape, values.astype(dtype)).get_output(0)
            y = network.add_elementwise(y, constant, getattr(trt.ElementWiseOperation, operation))
            y = y.get_output(0)
        y = network.add_activation(y, trt.ActivationType.RELU).get_output(0)
        half = network.add_constant((1, 1, 1, 1), np.full((1, 1, 1, 1), 0.5, dtype)).get_output(0)
        return network.add_elementwise(half, y, trt.ElementWiseOperation.SUB).get_output(0)

    def expected(x):
        y = deconvolved(x[0], kernel, (2, 3), (1, 1), groups, [(1, 0), (0, 0)])
        return 0.5 - np.maximum(y * scale + shift, 0)

    shapes = [((1, 6, 4, 5),), ((2, 6, 3, 7),)]
    return Case(f"followed_groups_{groups}", shapes, build, expected, types=(dtype,), atol=atol)


LINE = [((1, 4, 13),), ((3, 4, 40),), ((2, 4, 11),)]
CUBE = [((1, 4, 3, 4, 5),), ((2, 4, 4, 3, 2),)]
PLAIN = [((1, 3, 8, 9),), ((2, 3, 11, 7),), ((5, 3, 8, 8),)]
CASES = [
    _case("pointwise", PLAIN, 5, (1, 1)),
    _case("square", PLAIN, 5, (3, 3), before=(1, 1), after=(1, 1)),
    _case("no_bias", PLAIN, 5, (3, 2), has_bias=False),
    _case("twice", PLAIN, 4, (2, 2), stride=(2, 2)),
    _case("twice_padded", PLAIN, 4, (4, 4), stride=(2, 2), before=(1, 1), after=(1, 1)),
    _case("strided", PLAIN, 4, (3, 3), stride=(2, 3), before=(1, 0), after=(0, 2)),
    _case("beyond_kernel", PLAIN, 4, (2, 3), stride=(3, 4), before=(1, 0), after=(0, 1)),
    _case("dilated", PLAIN, 4, (2, 3), dilation=(3, 2)),
    _case("dilated_strided", PLAIN, 4, (3, 3), stride=(2, 3), dilation=(3, 2), before=(1, 2)),
    _case("much_padding", PLAIN, 4, (3, 3), before=(4, 3), after=(3, 3)),
    _case("much_padding_strided", PLAIN, 4, (3, 3), stride=(2, 2), before=(5, 4), after=(4, 6)),
    _case("groups", [((1, 6, 8, 9),), ((3, 6, 5, 5),)], 4, (3, 3), groups=2),
    _case("groups_strided", [((1, 6, 8, 9),)], 4, (4, 3), stride=(2, 2), groups=2),
    _case("depthwise", [((1, 6, 8, 9),)], 6, (4, 4), stride=(2, 2), groups=6, before=(1, 1)),
    _case("one_element", [((2, 3, 1, 1),)], 4, (5, 4), stride=(2, 2)),
    _tensor_case("kernel_and_bias_tensors", (1, 1)),
    _tensor_case("kernel_and_bias_tensors_strided", (2, 2)),
    _followed_case(1, np.float32, 5e-5),
    _followed_case(2, np.float32, 5e-5),
    # Rounds the sums before the factors, or the products of factors and weights.
    _followed_case(2, np.float16, 2e-2),
    _case("line", LINE, 5, (3,), stride=(2,), before=(1,), after=(2,)),
    _case("line_same", LINE, 3, (4,), stride=(3,), mode="SAME_UPPER"),
    _case("cube", CUBE, 5, (3, 2, 3), before=(1, 0, 1), after=(0, 1, 2)),
    _case("cube_strided", CUBE, 4, (2, 3, 2), stride=(2, 1, 2), dilation=(2, 1, 3), groups=2),
    _case("cube_same", CUBE, 3, (3, 3, 2), stride=(2, 2, 3), mode="SAME_LOWER"),
    _case("round_up", PLAIN, 3, (4, 3), stride=(2, 2), mode="EXPLICIT_ROUND_UP"),
    _case("same_upper", PLAIN, 3, (4, 3), stride=(2, 2), mode="SAME_UPPER"),
    _case("same_lower", PLAIN, 3, (4, 3), stride=(2, 2), mode="SAME_LOWER"),
    _case("same_narrow", PLAIN, 3, (1, 2), stride=(2, 3), mode="SAME_LOWER"),
]


def _bfloat16_layer(network, x):
    layer = network.add_deconvolution_nd(x[0], 4, (3, 3), trt.Weights(), trt.Weights())
    layer.set_input(1, x[1])
    layer.stride_nd = (2, 2)
    return layer


def _bfloat16_formula(x):
    return deconvolved(x[0], x[1], (2, 2), (1, 1), 1, [(0, 0), (0, 0)])


CASES += [
    bfloat16_case("strided", [((1, 2, 5, 6), (2, 4, 3, 3)), ((3, 2, 5, 4), (2, 4, 3, 3))],
                  _bfloat16_layer, _bfloat16_formula, most=40.0),
]  # fmt: skip
