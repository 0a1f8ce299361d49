# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Padding: zeros around, and elements cut off, at the last two axes."""

import numpy as np
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8)


def _padded(x, before, after):
    for axis, first, last in zip((-2, -1), before, after, strict=True):
        x = np.moveaxis(x, axis, -1)
        end = x.shape[-1] + min(last, 0)
        x = x[..., max(-first, 0) : max(end, 0)]
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(max(first, 0), max(last, 0))])
        x = np.moveaxis(x, -1, axis)
    return x


def _case(name, shapes, before, after):
    return Case(
        name, shapes,
        lambda network, x, _: network.add_padding_nd(x[0], before, after).get_output(0),
        lambda x: _padded(x[0], before, after), types=TYPES, low=1, high=9,
    )  # fmt: skip


IMAGES = [((2, 3, 5, 4),), ((1, 3, 6, 9),), ((0, 3, 5, 4),)]
CASES = [
    _case("zeros", IMAGES, (1, 2), (3, 0)),
    _case("cut", IMAGES, (-1, 0), (-2, -3)),
    _case("both", IMAGES, (2, -1), (-3, 2)),
    _case("nothing", IMAGES, (0, 0), (0, 0)),
    _case("rank_3", [((2, 3, 4),), ((2, 5, 6),)], (1, 1), (1, 1)),
    _case("rank_2", [((3, 4),)], (0, 1), (2, 0)),
]
