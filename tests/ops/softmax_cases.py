# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""SoftMax: each axis, the default axis, a long axis."""

import numpy as np
from bfloat16 import bfloat16_case
from case import Case


def _formula(x, axis):
    power = np.exp(x[0] - x[0].max(axis=axis, keepdims=True, initial=-np.inf))
    return power / power.sum(axis=axis, keepdims=True)


def _layer(network, x, axis=None):
    layer = network.add_softmax(x[0])
    if axis is not None:
        layer.axes = 1 << axis
    return layer


def _case(name, shapes, axis, sets_axis=True):
    # A float32 sum of n terms has an error of about n / 2 units in the last place.
    return Case(
        name, shapes,
        lambda network, x, _: _layer(network, x, axis if sets_axis else None).get_output(0),
        lambda x: _formula(x, axis), low=-4, high=4, atol=1e-7,
    )  # fmt: skip


CASES = [
    _case(f"axis_{axis}", [((2, 3, 4, 5),), ((1, 3, 4, 5),), ((2, 7, 4, 33),)], axis)
    for axis in range(4)
]
CASES += [
    _case("default_of_rank_4", [((2, 3, 4, 5),)], 1, sets_axis=False),
    _case("default_of_rank_2", [((4, 5),)], 0, sets_axis=False),
    _case("vector", [((9,),), ((1,),), ((1000,),)], 0),
    # On a GPU, 45 KiB for the columns and 4 KiB for their sums: more than is there unasked.
    _case("held_columns", [((2, 720, 16),)], 1),
    _case("empty", [((0, 3),)], 1),
]
CASES += [
    bfloat16_case("rows", [((3, 70),), ((9, 70),)], lambda n, x: _layer(n, x, 1),
                  lambda x: _formula(x, 1), most=1.0),
]  # fmt: skip
