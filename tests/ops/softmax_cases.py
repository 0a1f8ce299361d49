# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""SoftMax: each axis, the default axis, a long axis."""

import numpy as np
from case import Case


def _case(name, shapes, axis, sets_axis=True):
    def build(network, x, _):
        layer = network.add_softmax(x[0])
        if sets_axis:
            layer.axes = 1 << axis
        return layer.get_output(0)

    def expected(x):
        power = np.exp(x[0] - x[0].max(axis=axis, keepdims=True, initial=-np.inf))
        return power / power.sum(axis=axis, keepdims=True)

    # A float32 sum of n terms has an error of about n / 2 units in the last place.
    return Case(name, shapes, build, expected, low=-4, high=4, atol=1e-7)


CASES = [
    _case(f"axis_{axis}", [((2, 3, 4, 5),), ((1, 3, 4, 5),), ((2, 7, 4, 33),)], axis)
    for axis in range(4)
]
CASES += [
    _case("default_of_rank_4", [((2, 3, 4, 5),)], 1, sets_axis=False),
    _case("default_of_rank_2", [((4, 5),)], 0, sets_axis=False),
    _case("vector", [((9,),), ((1,),), ((1000,),)], 0),
    _case("empty", [((0, 3),)], 1),
]
