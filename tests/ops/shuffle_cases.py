# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shuffle: transposes, reshapes with 0 and -1, both together."""

import numpy as np
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int8)


def _case(name, shapes, first=None, reshape=None, second=None, **more):
    def build(network, x, _):
        layer = network.add_shuffle(x[0])
        if first is not None:
            layer.first_transpose = first
        if reshape is not None:
            layer.reshape_dims = reshape
        if second is not None:
            layer.second_transpose = second
        return layer.get_output(0)

    def expected(x):
        result = x[0] if first is None else x[0].transpose(first)
        if reshape is not None:
            dims = [result.shape[i] if d == 0 else d for i, d in enumerate(reshape)]
            if -1 in dims:
                others = int(np.prod([d for d in dims if d != -1]))
                dims[dims.index(-1)] = result.size // others
            result = result.reshape(dims)
        return result if second is None else result.transpose(second)

    more = {"types": TYPES} | more
    return Case(name, shapes, build, expected, low=-9, high=9, **more)


CASES = [
    _case("nothing", [((2, 3),), ((4, 3),)]),
    _case("channels_last", [((2, 3, 4, 5),), ((1, 3, 9, 7),)], first=(0, 2, 3, 1)),
    _case("flatten", [((2, 3, 4, 5),), ((7, 3, 4, 5),), ((1, 3, 4, 5),)], reshape=(0, -1)),
    _case("merge_all", [((2, 3),), ((5, 4),)], reshape=(-1,)),
    _case("split", [((6, 10),), ((12, 10),)], reshape=(-1, 2, 10)),
    _case(
        "all_three", [((2, 3, 4),), ((5, 3, 4),), ((1, 3, 4),)],
        first=(1, 0, 2), reshape=(0, 0, 2, 2), second=(3, 1, 0, 2),
    ),
    _case("to_scalar", [((1, 1),)], reshape=()),
    _case("matrices", [((2, 70, 132),), ((3, 65, 33),), ((2, 0, 33),)], first=(0, 2, 1)),
    _case("to_pixels", [((2, 3, 40, 50),), ((1, 3, 64, 64),)], first=(0, 2, 3, 1)),
    _case("from_pixels", [((2, 40, 50, 3),), ((1, 64, 64, 3),)], first=(0, 3, 1, 2)),
    _case("rows_kept", [((6, 9, 70),), ((3, 4, 64),), ((3, 4, 5),)], first=(1, 0, 2)),
    _case("small_matrices", [((50, 4, 6),), ((30, 2, 2),)], first=(0, 2, 1)),
    _case("reversed", [((5, 20, 6, 30),), ((4, 16, 2, 32),)], first=(3, 2, 1, 0)),
    _case("windows", [((2, 5, 32, 6, 64),), ((1, 3, 17, 7, 19),), ((2, 3, 16, 2, 130),)],
          first=(0, 3, 1, 4, 2)),
    # Many elements: blocks in registers.
    _case("blocks", [((8, 8, 32, 8, 64),)], first=(0, 3, 1, 4, 2), types=(np.float16,),
          any_address=True),
    _case("blocks_of_any_extent", [((361, 72, 40),)], first=(0, 2, 1), types=(np.float16,)),
    _case("blocks_of_short_axes", [((2050, 64, 8),)], first=(0, 2, 1), types=(np.float16,)),
    _case("pixel_shuffle", [((2, 3, 2, 2, 5, 144),), ((1, 3, 3, 4, 6, 100),)],
          first=(0, 1, 4, 2, 5, 3)),
    _case(
        "patches", [((1, 3, 32, 48),), ((2, 3, 16, 64),)],
        first=(0, 2, 3, 1), reshape=(0, 4, -1, 0), second=(0, 2, 1, 3),
    ),
]  # fmt: skip
