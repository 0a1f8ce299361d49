# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Squeeze: axes of extent 1 that a constant lists, from either end."""

import numpy as np
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)


def _case(name, shapes, axes, axis_type=np.int64):
    def build(network, x, _):
        listed = np.array(axes, axis_type)
        constant = network.add_constant(listed.shape, listed).get_output(0)
        return network.add_squeeze(x[0], constant).get_output(0)

    return Case(name, shapes, build, lambda x: np.squeeze(x[0], axes), types=TYPES, low=0, high=9)


CASES = [
    _case("front", [((1, 3, 4),), ((1, 5, 2),), ((1, 0, 2),)], (0,)),
    _case("several", [((1, 3, 1, 4, 1),), ((1, 2, 1, 5, 1),)], (2, 0)),
    _case("from_the_end", [((2, 1, 3, 1),), ((6, 1, 1, 1),)], (-1, -3), np.int32),
    _case("to_a_scalar", [((1, 1),)], (0, 1)),
    _case("scalar_axis", [((4, 1),), ((7, 1),)], 1),
    _case("nothing", [((2, 3),), ((4, 5),)], ()),
]
