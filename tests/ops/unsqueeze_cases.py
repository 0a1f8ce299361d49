# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Unsqueeze: axes of extent 1 where a constant says, from either end."""

import numpy as np
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)


def _case(name, shapes, axes, axis_type=np.int64):
    def build(network, x, _):
        listed = np.array(axes, axis_type)
        constant = network.add_constant(listed.shape, listed).get_output(0)
        return network.add_unsqueeze(x[0], constant).get_output(0)

    return Case(
        name, shapes, build, lambda x: np.expand_dims(x[0], axes), types=TYPES, low=0, high=9
    )


CASES = [
    _case("front", [((3, 4),), ((5, 2),), ((0, 2),)], (0,)),
    _case("several", [((3, 4),), ((2, 7),)], (3, 0)),
    _case("from_the_end", [((2, 3),), ((6, 1),)], (-1, -3), np.int32),
    _case("of_a_scalar", [((),)], (0, 1)),
    _case("scalar_axis", [((4, 2),), ((7, 3),)], 1),
    _case("to_rank_8", [((2, 3, 4, 5, 6, 7),)], (0, 7)),
    _case("nothing", [((2, 3),), ((4, 5),)], ()),
]
