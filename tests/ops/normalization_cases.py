# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Normalization: layer, instance and group normalization, other axes, broadcast scale and bias."""

import numpy as np
from case import Case


def _expected(axes, epsilon, groups):
    def expected(x):
        values, scale, bias = x
        shape = values.shape
        if values.size == 0:
            return values
        if groups > 1:
            values = values.reshape(shape[0], groups, -1)
            scale, bias = (np.repeat(v, shape[1] // v.shape[1], 1) for v in (scale, bias))
            along = (2,)
        else:
            along = axes
        mean = values.mean(axis=along, keepdims=True)
        variance = values.var(axis=along, keepdims=True)
        result = ((values - mean) / np.sqrt(variance + epsilon)).reshape(shape)
        return result * scale + bias

    return expected


def _case(name, shapes, axes, epsilon=1e-5, groups=1, v2=True, **settings):
    def build(network, x, _):
        add = network.add_normalization_v2 if v2 else network.add_normalization
        layer = add(x[0], x[1], x[2], sum(1 << axis for axis in axes))
        layer.epsilon = epsilon
        layer.num_groups = groups
        return layer.get_output(0)

    # Mean and variance are rounded to float32, and the division enlarges their errors.
    settings = {"atol": 3e-6, **settings}
    return Case(name, shapes, build, _expected(axes, epsilon, groups), **settings)


def _shapes(x, factor):
    return (x, factor, factor)


CASES = [
    _case(
        f"last_axis_of_{width}",
        [_shapes((2, 3, width), (1, 1, width)), _shapes((4, 5, width), (1, 1, width))],
        (2,),
    )
    for width in (1, 2, 7, 8, 96, 257, 768, 1500)
]
CASES += [
    _case("two_last_axes", [_shapes((3, 4, 5), (1, 4, 5))], (1, 2)),
    _case("all_axes", [_shapes((3, 4, 5), (3, 4, 5))], (0, 1, 2)),
    _case("vector", [_shapes((9,), (9,))], (0,)),
    _case("one_factor_for_all", [_shapes((4, 33), (1, 1))], (1,)),
    _case("factor_for_each_row", [_shapes((4, 33), (4, 1))], (1,)),
    _case("factor_for_each_element", [_shapes((4, 33), (4, 33))], (1,)),
    _case("factor_of_the_middle_axis", [_shapes((2, 6, 4), (1, 6, 1))], (1, 2)),
    _case("different_factors", [((2, 3, 8), (1, 1, 8), (1, 3, 1))], (1, 2)),
    _case("first_axis", [_shapes((6, 5), (1, 5))], (0,)),
    _case("channels", [_shapes((2, 6, 3, 5), (1, 6, 1, 1))], (1,)),
    _case("axes_with_a_gap", [_shapes((3, 4, 5), (3, 1, 5))], (0, 2)),
    _case("large_epsilon", [_shapes((4, 16), (1, 16))], (1,), epsilon=0.5),
    _case(
        "instance",
        [_shapes((2, 3, 4, 5), (1, 3, 1, 1)), _shapes((1, 3, 33, 65), (1, 3, 1, 1))],
        (2, 3),
    ),
    _case("instance_of_rank_3", [_shapes((2, 3, 40), (1, 3, 1))], (2,)),
    _case("long_rows", [_shapes((1, 2, 200, 201), (1, 2, 1, 1))], (2, 3)),
    _case("one_element", [_shapes((2, 3, 1), (1, 1, 1))], (2,)),
    _case("far_from_zero", [_shapes((3, 64), (1, 64))], (1,), low=100, high=101, atol=1e-2),
    _case("empty", [_shapes((0, 3), (1, 3))], (1,)),
    _case("empty_rows", [_shapes((3, 0), (1, 0))], (1,)),
]
CASES += [
    _case(
        f"groups_{groups}",
        [
            _shapes((2, 6, 4, 5), (1, 6, 1, 1)),
            _shapes((1, 6, 7, 3), (1, 6, 1, 1)),
        ],
        (2, 3),
        groups=groups,
    )
    for groups in (2, 3, 6)
]
CASES += [
    _case("factors_by_group", [_shapes((2, 6, 4, 5), (1, 3, 1, 1))], (2, 3), groups=3, v2=False),
    _case("factors_by_channel", [_shapes((2, 6, 4), (1, 6, 1))], (2,), groups=3, v2=False),
]
