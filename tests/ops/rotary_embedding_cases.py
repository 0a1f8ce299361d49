# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotary embeddings: both ways to pair, parts of a head, positions, odd numbers of pairs."""

import numpy as np
from bfloat16 import bfloat16_case
from case import Case


def _formula(x, interleaved, rotated, positions):
    data, cosines, sines = x[:3]
    if positions:
        rows = np.clip(x[3], 0, len(cosines) - 1)
        cosines, sines = cosines[rows], sines[rows]
    cosines, sines = cosines[:, None], sines[:, None]
    rotated = rotated or data.shape[-1]
    result = data.copy()
    if interleaved:
        one, other = slice(0, rotated, 2), slice(1, rotated, 2)
    else:
        one, other = slice(0, rotated // 2), slice(rotated // 2, rotated)
    a, b = data[..., one], data[..., other]
    result[..., one] = a * cosines - b * sines
    result[..., other] = a * sines + b * cosines
    return result


def _layer(network, x, interleaved, rotated, positions):
    layer = network.add_rotary_embedding(x[0], x[1], x[2], interleaved, rotated)
    if positions:
        layer.set_input(3, x[3])
    return layer.get_output(0)


def _tables(shape, rotated, batch=None):
    """Shapes of the data and of tables by place."""
    pairs = (rotated or shape[3]) // 2
    table = (batch or shape[0], shape[2], pairs)
    return (shape, table, table)


def _case(name, shapes, interleaved=False, rotated=0, positions=False, **options):
    # Two products of at most 4 that may cancel.
    options.setdefault("atol", 2e-6)
    options.setdefault("any_address", 0 not in shapes[0][0])
    return Case(
        name, shapes,
        lambda network, x, _: _layer(network, x, interleaved, rotated, positions),
        lambda x: _formula(x, interleaved, rotated, positions), **options,
    )  # fmt: skip


def _at(shape, rows, rotated=0):
    """Shapes of the data, of tables with this many rows, and of positions."""
    table = (rows, (rotated or shape[3]) // 2)
    return (shape, table, table, (shape[0], shape[2]))


SIZES = [_tables((2, 3, 5, 16), 0), _tables((1, 3, 2, 16), 0)]
CASES = []
for way, kind in enumerate(("halves", "interleaved")):
    CASES += [
        _case(kind, SIZES, bool(way)),
        _case(f"{kind}_in_part", [_tables((2, 2, 3, 48), 16)], bool(way), 16),
        _case(f"{kind}_of_odd_pairs", [_tables((2, 1, 3, 11), 6)], bool(way), 6),
        _case(f"{kind}_of_one_batch", [_tables((3, 2, 4, 8), 0, 1)], bool(way)),
        _case(f"{kind}_of_wide_heads", [_tables((1, 2, 3, 1200), 0)], bool(way)),
        _case(f"{kind}_at_positions", [_at((2, 3, 5, 16), 9), _at((1, 3, 7, 16), 9)], bool(way),
              positions=True, others={3: (np.int64, -3, 12)}),
        _case(f"{kind}_at_positions_int32", [_at((2, 3, 5, 20), 4, 8)], bool(way), 8,
              positions=True, others={3: (np.int32, 0, 3)}),
    ]  # fmt: skip
CASES += [
    _case("empty", [_tables((2, 3, 0, 8), 0)]),
    _case("without_heads", [_tables((2, 0, 3, 8), 0)]),
    bfloat16_case("halves", [_tables((2, 2, 3, 16), 0)],
                  lambda n, x: n.add_rotary_embedding(x[0], x[1], x[2], False, 0),
                  lambda x: _formula(x, False, 0, False), most=4.0),
]  # fmt: skip
