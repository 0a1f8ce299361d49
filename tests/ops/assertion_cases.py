# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Assertions that hold; those that do not are in test_control.py."""

import numpy as np
from case import Case
from loop_cases import LESS, SUM, both, constant, extent


def _of_shapes(network, x, _):
    rows = extent(network, x[0], 0)
    network.add_assertion(both(network, LESS, rows, constant(network, 9, np.int64)), "many rows")
    return both(network, SUM, x[0], x[0])


def _of_data(network, x, dtype):
    limit = constant(network, [7], dtype)
    layer = network.add_assertion(both(network, LESS, x[0], limit), "too large")
    assert layer.message == "too large"
    assert layer.num_outputs == 0
    return both(network, SUM, x[0], x[0])


CASES = [
    Case("of_shapes", [((3, 2),), ((8, 2),)], _of_shapes, lambda x: 2 * x[0]),
    Case(
        "of_data",
        [((3,),), ((5,),), ((0,),)],
        _of_data,
        lambda x: 2 * x[0],
        types=(np.float32, np.float16, np.int32, np.int64),
    ),
]
