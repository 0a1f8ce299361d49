# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Loops: counted, while, iterators, recurrences and all kinds of results, against NumPy loops."""

import numpy as np
import tensorrt as trt
from case import TRT_TYPES, Case

SUM, PROD, SUB = (getattr(trt.ElementWiseOperation, name) for name in ("SUM", "PROD", "SUB"))
LESS = trt.ElementWiseOperation.LESS
LAST, CONCATENATE, REVERSE = (
    getattr(trt.LoopOutput, name) for name in ("LAST_VALUE", "CONCATENATE", "REVERSE")
)


def constant(network, values, dtype):
    values = np.array(values, dtype)
    return network.add_constant(values.shape, values).get_output(0)


def both(network, operation, a, b):
    return network.add_elementwise(a, b, operation).get_output(0)


def extent(network, tensor, axis):
    """An extent of a tensor as a scalar."""
    shape = network.add_shape(tensor).get_output(0)
    return network.add_gather(shape, constant(network, axis, np.int32), 0).get_output(0)


def counted(network, count):
    """A loop with a number of passes: a number, or a tensor."""
    loop = network.add_loop()
    if isinstance(count, int):
        count = constant(network, count, np.int32)
    assert loop.add_trip_limit(count, trt.TripLimit.COUNT).kind == trt.TripLimit.COUNT
    return loop


def kept(loop, tensor, kind, length=None, axis=0):
    """A result of a loop."""
    layer = loop.add_loop_output(tensor, kind, axis)
    if length is not None:
        layer.set_input(1, length)
    return layer.get_output(0)


def _doubled(count):
    def build(network, x, _):
        loop = counted(network, count)
        state = loop.add_recurrence(x[0])
        twice = both(network, SUM, state.get_output(0), state.get_output(0))
        state.set_input(1, both(network, SUM, twice, x[0]))
        return kept(loop, state.get_output(0), LAST)

    def expected(x):
        state = x[0]
        for _ in range(count):
            state = 2 * state + x[0]
        return state

    return build, expected


def _recurrent(axis, reverse, kind, out_axis):
    """h = tanh(x_t W + h U) over the passes."""

    def build(network, x, _):
        length = extent(network, x[0], axis)
        loop = counted(network, length)
        loop.name = "cell"
        part = loop.add_iterator(x[0], axis, reverse).get_output(0)
        state = loop.add_recurrence(x[1])
        none = trt.MatrixOperation.NONE
        inner = network.add_matrix_multiply(part, none, x[2], none).get_output(0)
        carried = network.add_matrix_multiply(state.get_output(0), none, x[3], none).get_output(0)
        after = network.add_activation(both(network, SUM, inner, carried), trt.ActivationType.TANH)
        state.set_input(1, after.get_output(0))
        if kind == LAST:
            return kept(loop, state.get_output(0), LAST)
        return kept(loop, after.get_output(0), kind, length, out_axis)

    def expected(x):
        steps = np.moveaxis(x[0], axis, 0)
        state, states = x[1], []
        for part in steps[::-1] if reverse else steps:
            state = np.tanh(part @ x[2] + state @ x[3])
            states.append(state)
        if kind == LAST:
            return state
        stack = np.array(states).reshape((len(states), *x[1].shape))
        return np.moveaxis(stack[::-1] if kind == REVERSE else stack, 0, out_axis)

    return build, expected


def _while(most):
    """Doubles until the first element reaches 100, at most `most` times."""

    def build(network, x, dtype):
        loop = network.add_loop()
        if most is not None:
            loop.add_trip_limit(constant(network, most, np.int64), trt.TripLimit.COUNT)
        state = loop.add_recurrence(x[0])
        first = network.add_slice(state.get_output(0), (0,), (1,), (1,)).get_output(0)
        limit = constant(network, [100], dtype)
        scalar = network.add_shuffle(both(network, LESS, first, limit))
        scalar.reshape_dims = ()
        loop.add_trip_limit(scalar.get_output(0), trt.TripLimit.WHILE)
        two = constant(network, [2], dtype)
        state.set_input(1, both(network, PROD, state.get_output(0), two))
        return kept(loop, state.get_output(0), LAST)

    def expected(x):
        state, count = x[0].copy(), 0
        while state[0] < 100 and (most is None or count < most):
            state, count = 2 * state, count + 1
        return state

    return build, expected


def _while_kept(length):
    """Counts up while below x; keeps the counter of each pass in a stack of `length`."""

    def build(network, x, dtype):
        loop = network.add_loop()
        loop.add_trip_limit(constant(network, 50, np.int32), trt.TripLimit.COUNT)
        counter = loop.add_recurrence(constant(network, 0, dtype))
        goes_on = both(network, LESS, counter.get_output(0), x[0])
        loop.add_trip_limit(goes_on, trt.TripLimit.WHILE)
        counter.set_input(1, both(network, SUM, counter.get_output(0), constant(network, 1, dtype)))
        number = constant(network, length, np.int32)
        return kept(loop, counter.get_output(0), CONCATENATE, number)

    def expected(x):
        passes = min(int(np.ceil(max(x[0], 0))), 50)
        stack = np.zeros(length, x[0].dtype)
        stack[: min(passes, length)] = np.arange(min(passes, length))
        return stack

    return build, expected


def _nested(network, x, dtype):
    """y[r] = sum over c of x[r, c] * (sum of the row sums before), plus the shared vector."""
    zero = constant(network, 0, dtype)
    rows, columns = extent(network, x[0], 0), extent(network, x[0], 1)
    outer = counted(network, rows)
    row = outer.add_iterator(x[0]).get_output(0)
    total = outer.add_recurrence(zero)
    inner = counted(network, columns)
    element = inner.add_iterator(row).get_output(0)
    own = inner.add_recurrence(zero)
    scaled = both(network, PROD, element, total.get_output(0))
    own.set_input(1, both(network, SUM, both(network, SUM, own.get_output(0), scaled), element))
    result = kept(inner, own.get_output(0), LAST)
    total.set_input(1, result)
    return kept(outer, result, CONCATENATE, rows)


def _nested_expected(x):
    total, results = 0.0, []
    for row in x[0]:
        own = 0.0
        for element in row:
            own = own + element * total + element
        total = own
        results.append(own)
    return np.array(results)


def _indexed(network, x, _):
    """A counter picks a row: sum of x[i] * i."""
    count = extent(network, x[0], 0)
    loop = counted(network, count)
    counter = loop.add_recurrence(constant(network, 0, np.int32))
    one = constant(network, 1, np.int32)
    counter.set_input(1, both(network, SUM, counter.get_output(0), one))
    row = network.add_gather(x[0], counter.get_output(0), 0).get_output(0)
    factor = network.add_cast(counter.get_output(0), x[0].dtype).get_output(0)
    factor = network.add_shuffle(factor)
    factor.reshape_dims = (1,)
    total = loop.add_recurrence(x[1])
    scaled = both(network, PROD, row, factor.get_output(0))
    total.set_input(1, both(network, SUM, total.get_output(0), scaled))
    return kept(loop, total.get_output(0), LAST)


def _exchanged(network, x, _):
    """(a, b) becomes (b, a + b); an invariant product is not computed in the loop."""
    loop = counted(network, 7)
    a, b = loop.add_recurrence(x[0]), loop.add_recurrence(x[1])
    a.set_input(1, b.get_output(0))
    b.set_input(1, both(network, SUM, a.get_output(0), b.get_output(0)))
    invariant = both(network, PROD, x[0], x[1])
    last = kept(loop, b.get_output(0), LAST)
    return both(
        network, SUM, both(network, SUM, kept(loop, a.get_output(0), LAST), last), invariant
    )


def _exchanged_expected(x):
    a, b = x
    for _ in range(7):
        a, b = b, a + b
    return a + b + x[0] * x[1]


def _mapped(axis, reverse, kind, out_axis, share):
    """A loop without recurrences: each slice times 3, plus a shared tensor."""

    def build(network, x, dtype):
        length = extent(network, x[0], axis)
        loop = counted(network, length)
        part = loop.add_iterator(x[0], axis, reverse).get_output(0)
        rank = len(x[0].shape) - 1
        three = constant(network, np.full((1,) * rank, 3), dtype)
        part = both(network, PROD, part, three)
        if share:
            part = both(network, SUM, part, x[1])
        return kept(loop, part, kind, length, out_axis)

    def expected(x):
        steps = np.moveaxis(x[0], axis, 0)
        steps = steps[::-1] if reverse else steps
        steps = steps * np.array(3, x[0].dtype) + (x[1] if share else np.array(0, x[0].dtype))
        return np.moveaxis(steps[::-1] if kind == REVERSE else steps, 0, out_axis)

    return build, expected


def _what_enters(network, x, _):
    """Results that no layer of the body makes: the state, a slice and a tensor from outside."""
    length = extent(network, x[0], 0)
    loop = counted(network, length)
    part = loop.add_iterator(x[0]).get_output(0)
    state = loop.add_recurrence(x[1])
    state.set_input(1, part)
    states = kept(loop, state.get_output(0), CONCATENATE, length)
    parts = kept(loop, part, REVERSE, length)
    shared = kept(loop, x[1], CONCATENATE, length, 1)
    turned = network.add_shuffle(shared)
    turned.first_transpose = (1, 0)
    last = network.add_shuffle(kept(loop, state.get_output(0), LAST))
    last.reshape_dims = (1, -1)
    total = both(network, SUM, both(network, SUM, states, parts), turned.get_output(0))
    return both(network, SUM, total, last.get_output(0))


def _what_enters_expected(x):
    states = np.concatenate([x[1][None], x[0][:-1]]) if len(x[0]) else x[0]
    last = x[0][-1] if len(x[0]) else x[1]
    return states + x[0][::-1] + np.broadcast_to(x[1], x[0].shape) + last


def _given(network, x, _):
    """The number of passes is data of the device: a sum that kernels compute."""
    count = network.add_reduce(x[1], trt.ReduceOperation.SUM, 1, False).get_output(0)
    loop = counted(network, count)
    state = loop.add_recurrence(x[0])
    state.set_input(1, both(network, SUM, state.get_output(0), x[0]))
    return kept(loop, state.get_output(0), LAST)


INTEGERS = (np.int32, np.int64)
ANY = (np.float32, np.float16, np.int32, np.int64, np.int8)
RNN = [((5, 2, 3), (2, 4), (3, 4), (4, 4)), ((1, 3, 3), (3, 4), (3, 4), (4, 4))]
EMPTY = ((0, 2, 3), (2, 4), (3, 4), (4, 4))
BATCH_FIRST = [((2, 5, 3), (2, 4), (3, 4), (4, 4)), ((3, 2, 3), (3, 4), (3, 4), (4, 4))]
MAPS = [((4, 3, 5), (1, 1)), ((1, 6, 2), (1, 1)), ((3, 0, 2), (1, 1))]

CASES = [
    Case("fixed", [((4,),), ((9,),), ((0,),)], *_doubled(3), types=(np.float32, np.float16)),
    Case("even", [((2, 3),), ((5, 3),)], *_doubled(4), types=ANY[:4], low=-3, high=3),
    Case("no_passes", [((4,),), ((1,),)], *_doubled(0), types=ANY[:4]),
    Case("one_pass", [((4,),), ((1,),)], *_doubled(1), types=ANY[:4]),
    Case("rnn_last", [*RNN, EMPTY], *_recurrent(0, False, LAST, 0), atol=2e-3),
    Case("rnn_stack", [*RNN, EMPTY], *_recurrent(0, False, CONCATENATE, 0), atol=2e-3),
    Case("rnn_reverse", RNN, *_recurrent(0, True, REVERSE, 0), atol=2e-3),
    Case("rnn_batch", BATCH_FIRST, *_recurrent(1, False, CONCATENATE, 1), atol=2e-3),
    Case("rnn_batch_back", BATCH_FIRST, *_recurrent(1, True, CONCATENATE, 2), atol=2e-3),
    Case("while", [((3,),), ((7,),)], *_while(None), values={0: [1, -1, 2]}, types=ANY[:4]),
    Case("while_not", [((3,),), ((7,),)], *_while(None), values={0: [100, 1]}, types=ANY[:4]),
    Case("while_most", [((3,),), ((1,),)], *_while(4), values={0: [1, -1]}, types=ANY[:4]),
    Case("while_ends", [((3,),), ((1,),)], *_while(40), values={0: [9, -1]}, types=ANY[:4]),
    Case("stack_longer", [((),)], *_while_kept(9), values={0: [4]}, types=ANY[:4]),
    Case("stack_shorter", [((),)], *_while_kept(3), values={0: [7]}, types=ANY[:4]),
    Case("stack_empty", [((),)], *_while_kept(4), values={0: [-1]}, types=ANY[:4]),
    Case(
        "nested",
        [((4, 3),), ((1, 6),), ((2, 0),)],
        _nested,
        _nested_expected,
        low=-1,
        high=1,
        atol=2e-3,
    ),
    Case(
        "indexed",
        [((4, 3), (3,)), ((6, 3), (3,)), ((0, 3), (3,))],
        _indexed,
        lambda x: x[1] + (x[0] * np.arange(len(x[0]), dtype=x[0].dtype)[:, None]).sum(0),
        atol=4e-3,
        types=ANY[:4],
    ),
    Case(
        "exchanged",
        [((2, 3), (2, 3)), ((5, 3), (5, 3))],
        _exchanged,
        _exchanged_expected,
        atol=3e-2,
        types=ANY[:4],
    ),
    Case("map", MAPS, *_mapped(0, False, CONCATENATE, 0, True), types=ANY, low=0, high=3),
    Case("map_axis", MAPS, *_mapped(1, False, CONCATENATE, 2, True), types=ANY, low=0, high=3),
    Case("map_back", MAPS, *_mapped(2, True, CONCATENATE, 0, True), types=ANY, low=0, high=3),
    Case("map_stack_back", MAPS, *_mapped(2, True, REVERSE, 1, True), types=ANY, low=0, high=3),
    Case(
        "scalars",
        [((5,),), ((1,),), ((0,),)],
        *_mapped(0, False, REVERSE, 0, False),
        types=ANY,
        low=0,
        high=3,
    ),
    Case(
        "what_enters",
        [((4, 3), (3,)), ((1, 3), (3,)), ((0, 3), (3,))],
        _what_enters,
        _what_enters_expected,
        atol=2e-3,
        types=ANY[:4],
    ),
    Case(
        "given",
        [((3,), (2,)), ((5,), (4,))],
        _given,
        lambda x: x[0] * (1 + x[1].sum()),
        others={1: (np.int32, 0, 3)},
        atol=5e-2,
        types=ANY[:4],
    ),
]
assert set(TRT_TYPES) >= set(ANY)
