# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ReverseSequence: each order of the axes, lengths of 0, 1 and beyond the axis, every type."""

import numpy as np
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)


def _case(name, shapes, batch=1, sequence=0, length=(np.int32, -1, 9)):
    def build(network, x, _):
        layer = network.add_reverse_sequence(x[0], x[1])
        layer.batch_axis, layer.sequence_axis = batch, sequence
        return layer.get_output(0)

    def expected(x):
        result = np.moveaxis(x[0], (batch, sequence), (0, 1)).copy()
        for row, given in zip(result, x[1], strict=True):
            count = min(max(given, 0), len(row))
            row[:count] = row[:count][::-1].copy()
        return np.moveaxis(result, (0, 1), (batch, sequence))

    # An empty tensor cannot begin behind its memory.
    return Case(name, shapes, build, expected, types=TYPES, low=0, high=99,
                others={1: length}, any_address=0 not in shapes[0][0])  # fmt: skip


CASES = [
    _case("time_first", [((7, 5), (5,)), ((9, 40), (40,))]),
    _case("batch_first", [((5, 7), (5,)), ((40, 9), (40,))], 0, 1),
    _case("rows", [((4, 5, 33), (5,)), ((8, 2, 64), (2,))]),
    _case("batch_first_rows", [((5, 4, 33), (5,)), ((2, 8, 64), (2,))], 0, 1,
          length=(np.int64, 0, 8)),
    _case("rows_of_words", [((4, 5, 32), (5,)), ((8, 2, 64), (2,))]),
    _case("apart", [((2, 5, 3, 4, 2), (5,))], 1, 3),
    _case("sequence_last", [((2, 5, 3, 300), (2,))], -4, -1, length=(np.int64, 250, 2**40)),
    _case("sequence_first", [((300, 2, 3, 2), (2,))], -1, 0, length=(np.int32, 250, 400)),
    _case("empty", [((0, 5), (5,)), ((3, 5), (5,))]),
]  # fmt: skip
