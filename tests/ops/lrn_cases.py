# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""LRN: windows of each size, at the edges of few channels, odd extents."""

import numpy as np
from bfloat16 import bfloat16_case
from case import Case

SHAPES = [((2, 7, 3, 5),), ((1, 3, 4, 6),), ((3, 9, 1, 2),)]
# The documented example: channel c holds c.
DOCUMENTED = np.arange(5).repeat(4)


def _formula(x, window, alpha, beta, k):
    x = x[0]
    axis = x.ndim - 3
    squares = np.moveaxis(x * x, axis, 0)
    sums = np.zeros_like(squares)
    for channel in range(len(squares)):
        begin = channel - (window - 1) // 2
        sums[channel] = squares[max(begin, 0) : max(begin + window, 0)].sum(axis=0)
    return x / (k + alpha / window * np.moveaxis(sums, 0, axis)) ** beta


def _layer(network, x, parameters):
    return network.add_lrn(x[0], *parameters)


def _case(name, parameters, shapes=SHAPES, **options):
    return Case(
        name, shapes, lambda network, x, _: _layer(network, x, parameters).get_output(0),
        lambda x: _formula(x, *parameters), **options,
    )  # fmt: skip


CASES = [
    _case(f"window_{size}", (size, 0.3, 0.75, 1.0), any_address=True)
    for size in (1, 2, 3, 5, 15, 99)
]
CASES += [
    _case("documented", (3, 1.0, 1.0, 0.1), [((1, 5, 2, 2),)], values={0: DOCUMENTED}),
    _case("rank_3", (3, 0.5, 2.0, 2.0), [((5, 4, 6),), ((2, 1, 1),)]),
    _case("rank_5", (5, 2.0, 0.5, 1.5), [((2, 3, 6, 4, 5),)]),
    _case("of_wide_planes", (5, 1e-4, 0.75, 1.0), [((2, 6, 20, 31),)], any_address=True),
    _case("empty", (3, 1.0, 1.0, 1.0), [((2, 0, 3, 3),)]),
]
CASES += [
    bfloat16_case("planes", [((2, 6, 5, 7),)], lambda n, x: _layer(n, x, (3, 0.5, 0.75, 1.0)),
                  lambda x: _formula(x, 3, 0.5, 0.75, 1.0), most=1.0),
]  # fmt: skip
