# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditionals: decided by data and by shapes, with other branches, in loops and around them."""

import numpy as np
import tensorrt as trt
from case import Case
from loop_cases import (
    CONCATENATE,
    LAST,
    LESS,
    PROD,
    SUB,
    SUM,
    both,
    constant,
    counted,
    extent,
    kept,
)


def _choice(network, condition, then, otherwise):
    """One result of a conditional."""
    conditional = network.add_if_conditional()
    conditional.set_condition(condition)
    return conditional.add_output(then, otherwise).get_output(0)


def _by_input(network, x, _):
    """The condition is an input on the device; one branch is softmax, the other a product."""
    conditional = network.add_if_conditional()
    conditional.name = "choice"
    conditional.set_condition(x[1])
    inside = conditional.add_input(x[0]).get_output(0)
    softmax = network.add_softmax(inside)
    softmax.axes = 2
    return conditional.add_output(
        softmax.get_output(0), both(network, PROD, inside, x[0])
    ).get_output(0)


def _softmax(x):
    e = np.exp(x - x.max(1, keepdims=True)) if x.size else x
    return e / e.sum(1, keepdims=True) if x.size else x


def _by_data(network, x, dtype):
    """A branch that gives what it gets, a constant in the other; sum of x decides."""
    total = network.add_reduce(x[0], trt.ReduceOperation.SUM, 1, False).get_output(0)
    condition = both(network, LESS, constant(network, 0, dtype), total)
    return _choice(network, condition, x[0], constant(network, [1, 2, 3], dtype))


def _by_rows(network, x, _):
    """Rows above 4: twice x; else its square."""
    rows = extent(network, x[0], 0)
    condition = both(network, LESS, constant(network, 4, np.int64), rows)
    return _choice(
        network, condition, both(network, SUM, x[0], x[0]), both(network, PROD, x[0], x[0])
    )


def _by_shape(network, x, _):
    """Rows above 2: twice x; else x behind itself. Extents follow from the condition, too."""
    rows = extent(network, x[0], 0)
    condition = both(network, LESS, constant(network, 2, np.int64), rows)
    whole = both(network, SUM, x[0], x[0])
    return _choice(network, condition, whole, network.add_concatenation([x[0]] * 2).get_output(0))


def _by_shape_expected(x):
    return 2 * x[0] if len(x[0]) > 2 else np.concatenate([x[0]] * 2)


def _several(network, x, _):
    """Two results, a nested conditional, and a layer that both branches read."""
    outer, inner = network.add_if_conditional(), network.add_if_conditional()
    outer.set_condition(x[1])
    inner.set_condition(x[2])
    both_read = both(network, SUM, x[0], x[0])
    twice = both(network, SUM, both_read, both_read)
    chosen = inner.add_output(twice, both(network, PROD, x[0], x[0])).get_output(0)
    a = outer.add_output(chosen, both_read).get_output(0)
    b = outer.add_output(x[0], both(network, SUB, x[0], both_read)).get_output(0)
    return both(network, SUM, a, b)


def _several_expected(x):
    if x[1]:
        return (4 * x[0] if x[2] else x[0] * x[0]) + x[0]
    return 2 * x[0] - x[0]


def _in_a_loop(network, x, dtype):
    """Collatz steps of each element: halves an even number, else 3 n + 1."""
    loop = counted(network, 6)
    state = loop.add_recurrence(x[0])
    value = state.get_output(0)
    two, three, one = (constant(network, number, dtype) for number in (2, 3, 1))
    half = network.add_elementwise(value, two, trt.ElementWiseOperation.FLOOR_DIV).get_output(0)
    rest = both(network, SUB, value, both(network, PROD, half, two))
    is_odd = both(network, LESS, constant(network, 0, dtype), rest)
    conditional = network.add_if_conditional()
    conditional.set_condition(is_odd)
    inside = conditional.add_input(value).get_output(0)
    grown = both(network, SUM, both(network, PROD, inside, three), one)
    less = network.add_elementwise(inside, two, trt.ElementWiseOperation.FLOOR_DIV).get_output(0)
    after = conditional.add_output(grown, less).get_output(0)
    state.set_input(1, after)
    return kept(loop, after, CONCATENATE, constant(network, 6, np.int32))


def _in_a_loop_expected(x):
    state, states = int(x[0]), []
    for _ in range(6):
        state = 3 * state + 1 if state % 2 else state // 2
        states.append(state)
    return np.array(states, x[0].dtype)


def _around_a_loop(network, x, _):
    """A loop in one branch; its body reads tensors from outside of the branch."""
    conditional = network.add_if_conditional()
    conditional.set_condition(x[1])
    start = conditional.add_input(x[0]).get_output(0)
    loop = counted(network, 3)
    state = loop.add_recurrence(start)
    state.set_input(1, both(network, SUM, both(network, SUM, state.get_output(0), x[0]), start))
    last = kept(loop, state.get_output(0), LAST)
    return conditional.add_output(last, network.add_identity(start).get_output(0)).get_output(0)


BOOL = {1: (np.bool_, 0, 1)}
BOOLS = {1: (np.bool_, 0, 1), 2: (np.bool_, 0, 1)}
NUMBERS = (np.float32, np.float16, np.int32, np.int64)


def _pair(name, shapes, build, expected, others, **more):
    """A case for each value of the conditions."""
    numbers = list(others)
    for bits in range(2 ** len(numbers)):
        values = {number: [bool(bits >> i & 1)] for i, number in enumerate(numbers)}
        yield Case(f"{name}_{bits}", shapes, build, expected, others=others, values=values, **more)


CASES = [
    *_pair(
        "input",
        [((3, 4), ()), ((5, 2), ()), ((0, 2), ())],
        _by_input,
        lambda x: _softmax(x[0]) if x[1] else x[0] * x[0],
        BOOL,
        atol=2e-3,
    ),
    Case("data_true", [((3,),)], _by_data, lambda x: x[0], values={0: [1, 0, 2]}, types=NUMBERS),
    Case(
        "data_false",
        [((3,),)],
        _by_data,
        lambda x: np.array([1, 2, 3], x[0].dtype),
        values={0: [-1, 0, 1]},
        types=NUMBERS,
    ),
    Case(
        "shape",
        [((3, 4),), ((6, 4),), ((5, 4),)],
        _by_rows,
        lambda x: 2 * x[0] if len(x[0]) > 4 else x[0] * x[0],
        types=NUMBERS,
    ),
    Case(
        "extents",
        [((3, 4),), ((1, 4),), ((2, 4),), ((5, 4),)],
        _by_shape,
        _by_shape_expected,
        types=NUMBERS,
    ),
    *_pair(
        "several",
        [((3, 4), (), ()), ((5, 4), (), ())],
        _several,
        _several_expected,
        BOOLS,
        types=NUMBERS,
        atol=2e-3,
    ),
    Case(
        "in_a_loop",
        [((),)],
        _in_a_loop,
        _in_a_loop_expected,
        values={0: [13]},
        types=(np.int32, np.int64),
    ),
    *_pair(
        "around_a_loop",
        [((3, 4), ()), ((5, 4), ())],
        _around_a_loop,
        lambda x: 7 * x[0] if x[1] else x[0],
        BOOL,
        types=NUMBERS,
        atol=2e-2,
    ),
]
