# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Ragged softmax: rows without elements, with some, with all; bounds outside of the row."""

import numpy as np
from bfloat16 import bfloat16_case
from case import Case


def _formula(x, bounds):
    counts = np.arange(x.shape[-1]) < bounds
    powers = np.where(counts, np.exp(x - x.max(axis=-1, keepdims=True, initial=-9)), 0)
    return powers / np.maximum(powers.sum(axis=-1, keepdims=True), 1e-300)


def _case(name, shapes, bounds=np.int32, low=0):
    def build(network, x, _):
        return network.add_ragged_softmax(x[0], x[1]).get_output(0)

    others = {1: (bounds, low, shapes[0][0][-1] - low)}
    return Case(name, shapes, build, lambda x: _formula(*x), others=others, atol=1e-6)


ROWS = [((1, 5, 7), (1, 5, 1)), ((3, 2, 9), (3, 2, 1))]
CASES = [
    _case("rows", ROWS),
    _case("rank_2", [((6, 8), (6, 1)), ((2, 40), (2, 1))]),
    _case("rank_4", [((2, 3, 4, 5), (2, 3, 4, 1))]),
    _case("int64", ROWS, bounds=np.int64),
    _case("outside", ROWS, low=-3),
    _case("long", [((1, 3, 1500), (1, 3, 1))]),
    _case(
        "rows_of_packs",
        [((2, 5, 72), (2, 5, 1)), ((1, 3, 1024), (1, 3, 1)), ((1, 3, 300), (1, 3, 1))],
    ),
    _case("longer", [((1, 2, 9000), (1, 2, 1)), ((1, 3, 20001), (1, 3, 1))]),
    _case("of_nothing", [((1, 0, 4), (1, 0, 1))]),
]


def _layer(network, x):
    bounds = network.add_constant((1, 3, 1), np.array([2, 0, 6], np.int32)).get_output(0)
    return network.add_ragged_softmax(x[0], bounds)


CASES += [
    bfloat16_case("rows", [((1, 3, 6),)], _layer,
                  lambda x: _formula(x[0], np.array([2, 0, 6])[:, None]), most=1.0),
]  # fmt: skip
