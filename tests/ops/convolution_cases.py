# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolution: strides, padding modes, dilation, groups; weights of the layer or tensors."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case
from window import windows

RNG = np.random.default_rng(3)


def convolved(seen, kernel):
    """Windows [batch, channels, spatial..., size...] times kernel [maps, channels, size...]."""
    rank = kernel.ndim - 2
    spatial, size = "uvw"[:rank], "ijk"[:rank]
    return np.einsum(f"nc{spatial}{size},mc{size}->nm{spatial}", seen, kernel)


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
    kernel = RNG.integers(-16, 16, (maps, channels // groups, *size)) / 16
    bias = RNG.integers(-16, 16, maps) / 16

    def build(network, x, dtype):
        weights = np.ascontiguousarray(kernel.astype(dtype))
        extra = np.ascontiguousarray(bias.astype(dtype)) if has_bias else trt.Weights()
        layer = network.add_convolution_nd(x[0], maps, size, weights, extra)
        layer.stride_nd, layer.dilation_nd, layer.num_groups = stride, dilation, groups
        layer.pre_padding, layer.post_padding = before, after
        layer.padding_mode = getattr(trt.PaddingMode, mode)
        return layer.get_output(0)

    def expected(x):
        seen = windows(x[0], mode, size, stride, dilation, before, after, 0.0)
        parts = [
            convolved(part, weights)
            for part, weights in zip(
                np.split(seen, groups, axis=1), np.split(kernel, groups), strict=True
            )
        ]
        return np.concatenate(parts, axis=1) + (bias.reshape(-1, *ones) if has_bias else 0)

    # float32 sums of at most 150 products of magnitude 2.
    return Case(name, shapes, build, expected, atol=5e-5)


def _tensor_case():
    def build(network, x, _):
        layer = network.add_convolution_nd(x[0], 4, (3, 3), trt.Weights(), trt.Weights())
        layer.set_input(1, x[1])
        layer.set_input(2, x[2])
        return layer.get_output(0)

    def expected(x):
        seen = windows(x[0], "EXPLICIT_ROUND_DOWN", (3, 3), (1, 1), (1, 1), (0, 0), (0, 0), 0.0)
        return convolved(seen, x[1]) + x[2][:, None, None]

    shapes = [((1, 3, 6, 7), (4, 3, 3, 3), (4,)), ((2, 3, 9, 5), (4, 3, 3, 3), (4,))]
    return Case("kernel_and_bias_tensors", shapes, build, expected, atol=5e-5)


LINE = [((1, 4, 23),), ((3, 4, 90),), ((2, 4, 11),)]
CUBE = [((1, 4, 5, 6, 7),), ((2, 4, 6, 5, 9),)]
PLAIN = [((1, 3, 8, 9),), ((2, 3, 11, 7),), ((5, 3, 8, 8),)]
CASES = [
    _case("pointwise", PLAIN, 5, (1, 1)),
    _case("square", PLAIN, 5, (3, 3), before=(1, 1), after=(1, 1)),
    _case("no_bias", PLAIN, 5, (3, 2), has_bias=False),
    _case("strided", PLAIN, 4, (3, 3), stride=(2, 3), before=(1, 0), after=(0, 2)),
    _case("dilated", PLAIN, 4, (2, 3), dilation=(3, 2)),
    _case("groups", [((1, 6, 8, 9),), ((3, 6, 5, 5),)], 4, (3, 3), groups=2),
    _case("depthwise", [((1, 6, 8, 9),)], 6, (3, 3), groups=6, before=(1, 1), after=(1, 1)),
    _case(
        "depthwise_strided",
        [((1, 6, 17, 40),), ((2, 6, 8, 9),)],
        12,
        (3, 3),
        stride=(2, 2),
        groups=6,
        before=(1, 1),
        after=(0, 1),
    ),
    _case("many_maps", [((1, 16, 9, 10),), ((4, 16, 8, 8),)], 70, (3, 3), before=(1, 1)),
    _tensor_case(),
    _case("line", LINE, 5, (3,), stride=(2,), before=(1,), after=(2,)),
    _case("line_dilated_groups", LINE, 4, (4,), dilation=(3,), groups=2, has_bias=False),
    _case("line_same", LINE, 3, (4,), stride=(3,), mode="SAME_UPPER"),
    _case("cube", CUBE, 5, (3, 2, 3), before=(1, 0, 1), after=(0, 1, 2)),
    _case("cube_strided", CUBE, 4, (2, 3, 2), stride=(2, 1, 2), dilation=(2, 1, 3), groups=2),
    _case("cube_same", CUBE, 3, (3, 3, 2), stride=(2, 2, 1), mode="SAME_LOWER"),
]
CASES += [
    _case(mode.lower(), PLAIN, 3, (4, 3), stride=(2, 2), mode=mode)
    for mode in ("EXPLICIT_ROUND_UP", "SAME_UPPER", "SAME_LOWER")
]


def _bfloat16_layer(network, x):
    layer = network.add_convolution_nd(x[0], 4, (3, 3), trt.Weights(), trt.Weights())
    layer.set_input(1, x[1])
    return layer


def _bfloat16_formula(x):
    view = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), axis=(2, 3))
    return np.einsum("nchwij,mcij->nmhw", view, x[1])


CASES += [
    bfloat16_case("plain", [((1, 2, 8, 9), (4, 2, 3, 3)), ((3, 2, 5, 7), (4, 2, 3, 3))],
                  _bfloat16_layer, _bfloat16_formula, most=40.0),
]  # fmt: skip
