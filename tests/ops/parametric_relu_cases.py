# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ParametricReLU: slopes for each element, channel and tensor; infinities."""

import numpy as np
from bfloat16 import bfloat16_case
from case import Case

SHAPES = [
    ((2, 3, 4), (2, 3, 4)),
    ((2, 3, 4), (1, 3, 1)),
    ((5, 2, 3), (1, 1, 1)),
    ((0, 2, 3), (1, 2, 1)),
]
INFINITIES = np.array([np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, np.nan, 3.0])


def _formula(x):
    with np.errstate(invalid="ignore"):
        return np.where(x[0] < 0, x[1] * x[0], x[0])


def _layer(network, x):
    return network.add_parametric_relu(*x)


def _build(network, x, _):
    return _layer(network, x).get_output(0)


CASES = [
    Case("broadcast", SHAPES, _build, _formula),
    Case("infinities", [((8,), (8,))], _build, _formula,
         values={0: INFINITIES, 1: INFINITIES[::-1]}),
    bfloat16_case("channels", [((2, 3, 4), (1, 3, 1))], _layer, _formula, most=4.0),
]  # fmt: skip
