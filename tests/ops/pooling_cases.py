# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Pooling: each type, padding mode and way to count padding."""

import functools

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case
from window import padding, windows

LINE = [((2, 3, 17),), ((1, 3, 40),)]
CUBE = [((1, 2, 5, 6, 7),), ((2, 2, 9, 4, 5),)]
SHAPES = [((1, 2, 9, 8),), ((3, 2, 7, 11),), ((1, 2, 4, 4),)]
ROWS = [((2, 3, 9, 16),), ((1, 2, 6, 272),), ((5, 2, 5, 8),)]  # of whole vectors


def _counts(shape, mode, size, stride, before, after):
    """Number of positions of each window within the padded input."""
    per_axis = []
    for i in range(len(size)):
        first, last, output = padding(
            mode, shape[2 + i], size[i], stride[i], 1, before[i], after[i]
        )
        starts = np.arange(output) * stride[i] - first
        ends = np.minimum(starts + size[i], shape[2 + i] + last)
        per_axis.append(np.maximum(ends - starts, 0))
    return functools.reduce(np.multiply.outer, per_axis)


def _case(name, kind, size, stride, mode="EXPLICIT_ROUND_DOWN", before=None, after=None,
          excludes=True, blend=0.25, shapes=SHAPES):  # fmt: skip
    ones, zeros = (1,) * len(size), (0,) * len(size)
    before, after = before or zeros, after or zeros
    spatial = tuple(range(-len(size), 0))

    def build(network, x, _):
        layer = network.add_pooling_nd(x[0], getattr(trt.PoolingType, kind), size)
        layer.stride_nd = stride
        layer.pre_padding, layer.post_padding = before, after
        layer.padding_mode = getattr(trt.PaddingMode, mode)
        layer.average_count_excludes_padding = excludes
        layer.blend_factor = blend
        return layer.get_output(0)

    def expected(x):
        seen = windows(x[0], mode, size, stride, ones, before, after, np.nan)
        inside = (~np.isnan(seen)).sum(axis=spatial)
        count = inside if excludes else _counts(x[0].shape, mode, size, stride, before, after)
        largest = np.where(np.isnan(seen), -np.inf, seen).max(axis=spatial)
        mean = np.nansum(seen, axis=spatial) / np.maximum(count, 1)
        return {
            "MAX": largest,
            "AVERAGE": mean,
            "MAX_AVERAGE_BLEND": (1 - blend) * largest + blend * mean,
        }[kind]

    return Case(name, shapes, build, expected, atol=1e-6, any_address=shapes is ROWS)


CASES = [
    _case(f"{kind.lower()}_{mode.lower()}", kind, (3, 2), (2, 2), mode)
    for kind in ("MAX", "AVERAGE", "MAX_AVERAGE_BLEND")
    for mode in ("EXPLICIT_ROUND_DOWN", "EXPLICIT_ROUND_UP", "SAME_UPPER", "SAME_LOWER")
]
CASES += [
    _case("max_padded", "MAX", (3, 3), (1, 2), before=(1, 2), after=(2, 0)),
    _case("mean_without_padding", "AVERAGE", (3, 3), (2, 1), before=(1, 2), after=(2, 0)),
    _case("mean_with_padding", "AVERAGE", (3, 3), (2, 1), before=(1, 2), after=(2, 0),
          excludes=False),
    _case("mean_with_same_padding", "AVERAGE", (3, 3), (2, 2), "SAME_LOWER", excludes=False),
    _case("line", "MAX_AVERAGE_BLEND", (3,), (2,), before=(1,), after=(2,), shapes=LINE),
    _case("cube_max", "MAX", (2, 3, 2), (2, 1, 2), before=(1, 2, 0), shapes=CUBE),
    _case("cube_mean", "AVERAGE", (3, 2, 2), (1, 2, 3), before=(1, 0, 1), after=(2, 1, 0),
          excludes=False, shapes=CUBE),
    _case("rows_max", "MAX", (3, 3), (2, 2), before=(1, 1), after=(1, 1), shapes=ROWS),
    _case("rows_max_of_neighbours", "MAX", (3, 3), (1, 1), before=(1, 1), after=(1, 1),
          shapes=ROWS),
    _case("rows_max_of_five", "MAX", (5, 5), (1, 1), before=(2, 2), after=(2, 2), shapes=ROWS),
    _case("rows_max_from_first", "MAX", (2, 4), (1, 1), shapes=ROWS),
    _case("rows_mean", "AVERAGE", (3, 3), (1, 1), shapes=ROWS),
    _case("rows_mean_padded", "AVERAGE", (3, 3), (1, 1), before=(1, 1), after=(1, 1), shapes=ROWS),
    _case("rows_of_wide_windows", "AVERAGE", (2, 5), (1, 2), before=(0, 2), after=(0, 1),
          excludes=False, shapes=ROWS),
    _case("rows_of_windows_apart", "MAX", (1, 1), (2, 2), shapes=ROWS),
    _case("rows_of_large_windows", "AVERAGE", (8, 8), (1, 1), shapes=[((2, 40, 8, 8),)]),
    _case("tiles_of_large_windows", "AVERAGE", (3, 14), (1, 2), shapes=[((2, 3, 20, 45),)]),
    _case("rows_cube", "MAX", (2, 2, 2), (2, 2, 2), shapes=[((1, 3, 4, 6, 16),)]),
]  # fmt: skip
CASES += [
    bfloat16_case("max", [((1, 2, 8, 16),), ((3, 2, 5, 7),)],
                  lambda n, x: n.add_pooling_nd(x[0], trt.PoolingType.MAX, (2, 2)),
                  lambda x: np.lib.stride_tricks.sliding_window_view(
                      x[0], (2, 2), axis=(2, 3)).max(axis=(-1, -2))),
    bfloat16_case("mean", [((1, 2, 8, 9),), ((3, 2, 5, 7),)],
                  lambda n, x: n.add_pooling_nd(x[0], trt.PoolingType.AVERAGE, (2, 2)),
                  lambda x: np.lib.stride_tricks.sliding_window_view(
                      x[0], (2, 2), axis=(2, 3)).mean(axis=(-1, -2))),
]  # fmt: skip
