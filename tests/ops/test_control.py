# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Loops, conditionals and assertions: what is refused, and how decisions reach a run.

The tests use the default target; test_emulated.py runs them on the emulated GPU.
"""

import device_memory
import kiln
import numpy as np
import pytest
import tensorrt as trt
from case import Case, Engine, Logger
from loop_cases import LAST, LESS, PROD, SUM, both, constant, counted, extent, kept


@pytest.fixture
def quiet():
    """A logger of a test that expects errors."""
    return Logger()


class Bench:
    """A strongly typed network with an input of three numbers."""

    def __init__(self, logger):
        self.logger = logger
        self.builder = trt.Builder(logger)
        strongly_typed = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
        self.network = self.builder.create_network(strongly_typed)
        self.x = self.network.add_input("x", trt.float32, (3,))

    def plan(self, output, profile=None):
        self.network.mark_output(output)
        config = self.builder.create_builder_config()
        if profile is not None:
            config.add_optimization_profile(profile)
        return self.builder.build_serialized_network(self.network, config)

    def refusal(self, output):
        """The error of a build that fails."""
        assert self.plan(output) is None
        return self.logger.errors[-1]


@pytest.fixture
def bench(quiet):
    return Bench(quiet)


def doubling(bench, loop):
    """A recurrence that doubles x."""
    state = loop.add_recurrence(bench.x)
    state.set_input(1, both(bench.network, SUM, state.get_output(0), state.get_output(0)))
    return state


def run(engine, context, arrays):
    """The output y for inputs by name."""
    memory = device_memory.for_target()
    stream, buffers = memory.Stream(), []
    for name, array in arrays.items():
        host = engine.get_tensor_location(name) == trt.TensorLocation.HOST
        kind = device_memory.HostArray if host else memory.DeviceArray
        buffers.append(kind(np.asarray(array, order="C")))
        context.set_input_shape(name, np.shape(array))
        context.set_tensor_address(name, buffers[-1].ptr)
    if context.infer_shapes():
        return None
    shape = tuple(context.get_tensor_shape("y"))
    result = memory.DeviceArray(np.zeros(shape, trt.nptype(engine.get_tensor_dtype("y"))))
    context.set_tensor_address("y", result.ptr)
    if not context.execute_async_v3(stream.handle):
        return None
    stream.synchronize()
    return result.numpy()


def opened(bench, output, profile=None):
    output.name = "y"
    plan = bench.plan(output, profile)
    assert plan is not None, bench.logger.errors
    engine = trt.Runtime(bench.logger).deserialize_cuda_engine(plan)
    return engine, engine.create_execution_context()


def test_layers_know_their_loop(bench):
    loop = bench.network.add_loop()
    assert loop.name == ""
    loop.name = "outer"
    assert loop.name == "outer"
    count = constant(bench.network, 3, np.int32)
    limit = loop.add_trip_limit(count, trt.TripLimit.COUNT)
    iterator = loop.add_iterator(bench.x, 0, True)
    state = loop.add_recurrence(bench.x)
    output = loop.add_loop_output(state.get_output(0), LAST)
    assert all(layer.loop.name == "outer" for layer in (limit, iterator, state, output))
    assert (iterator.axis, iterator.reverse, tuple(iterator.get_output(0).shape)) == (0, True, ())
    iterator.reverse = False
    iterator.axis = -1
    assert "axis: expected an axis from 0 to 7, got -1" in bench.logger.errors[-1]
    assert (iterator.axis, iterator.reverse) == (0, False)
    assert (limit.num_outputs, limit.num_inputs, output.kind) == (0, 1, LAST)
    output.axis = 1
    assert output.axis == 1


def test_layers_know_their_conditional(bench):
    conditional = bench.network.add_if_conditional()
    conditional.name = "choice"
    condition = bench.network.add_input("c", trt.bool, ())
    inside = conditional.add_input(bench.x)
    output = conditional.add_output(bench.x, inside.get_output(0))
    layer = conditional.set_condition(condition)
    assert all(one.conditional.name == "choice" for one in (inside, output, layer))
    assert (output.num_inputs, layer.num_outputs) == (2, 0)
    assert output.get_input(2) is None
    output.set_input(2, bench.x)
    assert "input: expected 0 or 1, got 2" in bench.logger.errors[-1]
    assert conditional.set_condition(condition) is None
    assert "expected one condition, got a second one" in bench.logger.errors[-1]


def test_two_limits_of_a_kind(bench):
    loop = counted(bench.network, 3)
    count = constant(bench.network, 3, np.int32)
    assert loop.add_trip_limit(count, trt.TripLimit.COUNT) is None
    assert "expected at most one trip limit of each kind" in bench.logger.errors[-1]


def test_a_loop_needs_a_limit(bench):
    loop = bench.network.add_loop()
    state = doubling(bench, loop)
    text = bench.refusal(kept(loop, state.get_output(0), LAST))
    assert "its loop has no trip limit. Add one." in text


def test_a_recurrence_needs_a_next_value(bench):
    loop = counted(bench.network, 3)
    state = loop.add_recurrence(bench.x)
    text = bench.refusal(kept(loop, state.get_output(0), LAST))
    assert "input 1: expected the value for the next pass, got none" in text


def test_next_values_are_like_initial_ones(bench):
    loop = counted(bench.network, 3)
    state = loop.add_recurrence(bench.x)
    state.set_input(1, bench.network.add_cast(state.get_output(0), trt.float16).get_output(0))
    text = bench.refusal(kept(loop, state.get_output(0), LAST))
    assert "expected the initial and the next value to have the same type and shape" in text


def test_a_last_value_is_that_of_a_recurrence(bench):
    loop = counted(bench.network, 3)
    state = doubling(bench, loop)
    text = bench.refusal(kept(loop, state.get_input(1), LAST))
    assert "last value: expected the output of a recurrence of the same loop" in text


def test_a_stack_needs_a_length(bench):
    loop = counted(bench.network, 3)
    state = doubling(bench, loop)
    text = bench.refusal(kept(loop, state.get_output(0), trt.LoopOutput.CONCATENATE))
    assert "expected 2 inputs, got 1" in text


def test_the_length_of_a_stack_is_known(bench):
    loop = counted(bench.network, 3)
    state = doubling(bench, loop)
    data = bench.network.add_unary(bench.x, trt.UnaryOperation.EXP).get_output(0)
    data = bench.network.add_cast(data, trt.int32).get_output(0)
    total = bench.network.add_reduce(data, trt.ReduceOperation.SUM, 1, False).get_output(0)
    text = bench.refusal(kept(loop, state.get_output(0), trt.LoopOutput.REVERSE, total))
    assert "length (input 1): expected a value that is known before the layer runs" in text


def test_limits_are_scalars(bench):
    loop = bench.network.add_loop()
    loop.add_trip_limit(bench.x, trt.TripLimit.COUNT)
    state = doubling(bench, loop)
    text = bench.refusal(kept(loop, state.get_output(0), LAST))
    assert "count (input 0): expected a scalar of int32 or int64, got float32 [3]" in text


def test_nothing_leaves_a_loop_by_itself(bench):
    loop = counted(bench.network, 3)
    state = doubling(bench, loop)
    last = kept(loop, state.get_output(0), LAST)
    text = bench.refusal(both(bench.network, SUM, last, state.get_input(1)))
    assert "lies in a loop, but something outside reads its result" in text


def test_a_loop_does_not_need_its_own_result(bench):
    loop = counted(bench.network, 3)
    state = loop.add_recurrence(bench.x)
    last = kept(loop, state.get_output(0), LAST)
    state.set_input(1, both(bench.network, SUM, state.get_output(0), last))
    assert "depends on itself through a loop or a conditional" in bench.refusal(last)


def test_loops_nest(bench):
    first, second = counted(bench.network, 3), counted(bench.network, 2)
    a, b = first.add_recurrence(bench.x), second.add_recurrence(bench.x)
    mixed = both(bench.network, SUM, a.get_output(0), b.get_output(0))
    a.set_input(1, mixed)
    b.set_input(1, mixed)
    text = bench.refusal(
        both(
            bench.network,
            SUM,
            kept(first, a.get_output(0), LAST),
            kept(second, b.get_output(0), LAST),
        )
    )
    assert "depends on" in text


def test_a_conditional_needs_a_condition(bench):
    conditional = bench.network.add_if_conditional()
    text = bench.refusal(conditional.add_output(bench.x, bench.x).get_output(0))
    assert "its conditional has no condition. Set one." in text


def test_results_of_branches_are_alike(bench):
    conditional = bench.network.add_if_conditional()
    conditional.set_condition(bench.network.add_input("c", trt.bool, ()))
    other = bench.network.add_cast(bench.x, trt.float16).get_output(0)
    text = bench.refusal(conditional.add_output(bench.x, other).get_output(0))
    assert "results of both branches with the same type and rank, got float32 [3] and" in text


def longer(bench, tensor):
    """The tensor twice, one behind the other."""
    layer = bench.network.add_concatenation([tensor, tensor])
    layer.axis = 0
    return layer.get_output(0)


@pytest.mark.parametrize("more", [False, True], ids=["last", "then"])
def test_extents_that_data_decides(bench, more):
    """They are known when the branch has run; layers behind it run on them."""
    network = bench.network
    conditional = network.add_if_conditional()
    conditional.set_condition(network.add_input("c", trt.bool, ()))
    inside = conditional.add_input(bench.x).get_output(0)
    doubled = both(network, SUM, inside, inside)
    y = conditional.add_output(doubled, longer(bench, inside)).get_output(0)
    assert tuple(y.shape) == (-1,)
    if more:
        y = both(network, SUM, longer(bench, y), constant(network, [1], np.float32))
    _, context = opened(bench, y)
    memory = device_memory.for_target()
    stream = memory.Stream()
    x = np.array([1, 2, -3], np.float32)
    for chosen in (True, False, False, True):
        buffers = {"x": memory.DeviceArray(x), "c": memory.DeviceArray(np.array(chosen))}
        room = context.get_max_output_size("y") // 4
        buffers["y"] = memory.DeviceArray(np.full(room + 1, -7, np.float32))
        for name, buffer in buffers.items():
            context.set_tensor_address(name, buffer.ptr)
        assert context.execute_async_v3(stream.handle), bench.logger.errors
        stream.synchronize()
        want = 2 * x if chosen else np.concatenate([x, x])
        want = np.concatenate([want, want]) + 1 if more else want
        assert tuple(kiln.found_shape(context, "y")) == want.shape
        got = buffers["y"].numpy()
        np.testing.assert_array_equal(got[: len(want)], want)
        assert (got[len(want) :] == -7).all()


def test_extents_that_data_decides_in_a_loop(bench):
    network = bench.network
    loop = counted(network, 3)
    state = loop.add_recurrence(bench.x)
    state.set_input(1, both(network, SUM, state.get_output(0), bench.x))
    value = state.get_output(0)
    conditional = network.add_if_conditional()
    conditional.set_condition(network.add_input("c", trt.bool, ()))
    chosen = conditional.add_output(value, longer(bench, value)).get_output(0)
    total = network.add_reduce(chosen, trt.ReduceOperation.SUM, 1, False).get_output(0)
    length = constant(network, 3, np.int32)
    _, context = opened(bench, kept(loop, total, trt.LoopOutput.CONCATENATE, length))
    memory = device_memory.for_target()
    stream = memory.Stream()
    x = np.array([1, 2, -4], np.float32)
    for chosen in (True, False, True):
        buffers = {"x": memory.DeviceArray(x), "c": memory.DeviceArray(np.array(chosen))}
        buffers["y"] = memory.DeviceArray(np.zeros(3, np.float32))
        for name, buffer in buffers.items():
            context.set_tensor_address(name, buffer.ptr)
        assert context.execute_async_v3(stream.handle), bench.logger.errors
        stream.synchronize()
        want = x.sum() * np.array([1, 2, 3]) * (1 if chosen else 2)
        np.testing.assert_array_equal(buffers["y"].numpy(), want)


def test_an_assertion_is_false_at_build(bench):
    two, one = (constant(bench.network, number, np.int64) for number in (2, 1))
    bench.network.add_assertion(both(bench.network, LESS, two, one), "two below one")
    text = bench.refusal(both(bench.network, SUM, bench.x, bench.x))
    assert "expected its condition to be true, got false: two below one" in text


def test_an_assertion_that_nothing_refutes_costs_nothing(bench):
    two, one = (constant(bench.network, number, np.int64) for number in (2, 1))
    layer = bench.network.add_assertion(both(bench.network, LESS, one, two), "one below two")
    layer.message = "another text"
    assert layer.message == "another text"
    engine, _ = opened(bench, both(bench.network, SUM, bench.x, bench.x))
    assert engine.num_layers == 1


def test_an_assertion_of_shapes(quiet):
    def build(network, x, _):
        rows = extent(network, x[0], 0)
        limit = constant(network, 5, np.int64)
        network.add_assertion(both(network, LESS, rows, limit), "at most four rows")
        return both(network, SUM, x[0], x[0])

    case = Case("rows", [((3,),), ((7,),)], build, None)
    engine = Engine(case, np.float32, quiet, dynamic=True)
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(engine.run([x]), 2 * x)
    with pytest.raises(AssertionError):
        engine.run([np.ones(6, np.float32)])
    assert "expected its condition to be true, got false: at most four rows" in quiet.errors[-1]
    np.testing.assert_array_equal(engine.run([x]), 2 * x)


def test_an_assertion_of_data(quiet):
    def build(network, x, dtype):
        limit = constant(network, [5], dtype)
        network.add_assertion(both(network, LESS, x[0], limit), "all below five")
        return both(network, SUM, x[0], x[0])

    engine = Engine(Case("data", [((3,),)], build, None), np.float32, quiet, dynamic=False)
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(engine.run([x]), 2 * x)
    with pytest.raises(AssertionError):
        engine.run([3 * x])
    assert "expected its condition to be true, got false: all below five" in quiet.errors[-1]
    np.testing.assert_array_equal(engine.run([x]), 2 * x)


def test_an_assertion_in_a_loop(quiet):
    """It is checked in each pass."""

    def build(network, x, dtype):
        loop = counted(network, 3)
        state = loop.add_recurrence(x[0])
        limit = constant(network, [50], dtype)
        network.add_assertion(both(network, LESS, state.get_output(0), limit), "below fifty")
        state.set_input(1, both(network, SUM, state.get_output(0), state.get_output(0)))
        return kept(loop, state.get_output(0), LAST)

    engine = Engine(Case("data", [((2,),)], build, None), np.float32, quiet, dynamic=False)
    x = np.array([12, 1], np.float32)
    np.testing.assert_array_equal(engine.run([x]), 8 * x)
    with pytest.raises(AssertionError):
        engine.run([x + 1])
    assert "below fifty" in quiet.errors[-1]


def test_conditions_and_counts_stay_on_the_device(bench, logger):
    """As inputs; a count is a shape input if the profile says which values it has."""
    network = bench.network
    n, c = network.add_input("n", trt.int32, ()), network.add_input("c", trt.bool, ())
    loop = counted(network, n)
    last = kept(loop, doubling(bench, loop).get_output(0), LAST)
    conditional = network.add_if_conditional()
    conditional.set_condition(c)
    output = conditional.add_output(last, bench.x).get_output(0)
    engine, context = opened(bench, output)
    assert not engine.is_shape_inference_io("n")
    assert not engine.is_shape_inference_io("c")
    x = np.array([1, 2, -3], np.float32)
    for count, chosen in [(3, True), (0, True), (-2, True), (5, False), (9, True)]:
        arrays = {"x": x, "n": np.array(count, np.int32), "c": np.array(chosen)}
        want = x * 2 ** max(count, 0) if chosen else x
        np.testing.assert_array_equal(run(engine, context, arrays), want)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_known_condition_with_a_count_on_the_device(bench, goes_on):
    network = bench.network
    loop = counted(network, network.add_input("n", trt.int32, ()))
    loop.add_trip_limit(constant(network, goes_on, np.bool_), trt.TripLimit.WHILE)
    last = kept(loop, doubling(bench, loop).get_output(0), LAST)
    engine, context = opened(bench, last)
    x = np.array([1, 2, -3], np.float32)
    got = run(engine, context, {"x": x, "n": np.array(2, np.int32)})
    np.testing.assert_array_equal(got, 4 * x if goes_on else x)


def test_counts_of_a_profile(bench):
    network = bench.network
    n = network.add_input("n", trt.int64, ())
    loop = counted(network, n)
    state = doubling(bench, loop)
    result = kept(loop, state.get_output(0), trt.LoopOutput.CONCATENATE, n)
    profile = bench.builder.create_optimization_profile()
    profile.set_shape_input("n", (0,), (3,), (6,))
    engine, context = opened(bench, result, profile)
    assert engine.is_shape_inference_io("n")
    x = np.array([1, 2, -3], np.float32)
    for count in (2, 0, 6):
        got = run(engine, context, {"n": np.array(count, np.int64), "x": x})
        np.testing.assert_array_equal(got, [x * 2**i for i in range(count)] or np.zeros((0, 3)))
    with pytest.raises(RuntimeError, match="shape input 'n', element 0: expected a value from 0"):
        run(engine, context, {"n": np.array(7, np.int64), "x": x})


def test_an_iterator_has_a_slice_for_each_pass(bench):
    loop = counted(bench.network, bench.network.add_input("n", trt.int32, ()))
    part = loop.add_iterator(bench.x).get_output(0)
    state = loop.add_recurrence(constant(bench.network, 0, np.float32))
    state.set_input(1, both(bench.network, SUM, state.get_output(0), part))
    engine, context = opened(bench, kept(loop, state.get_output(0), LAST))
    x = np.array([1, 2, -4], np.float32)
    for count, total in [(3, -1), (2, 3), (0, 0)]:
        got = run(engine, context, {"x": x, "n": np.array(count, np.int32)})
        np.testing.assert_array_equal(got, np.float32(total))
    assert run(engine, context, {"x": x, "n": np.array(4, np.int32)}) is None
    assert (
        "expected tensor 'x' to have a slice for each pass, got 3 slices"
        in (bench.logger.errors[-1])
    )


def test_reverse_begins_at_the_last_pass(bench):
    """With fewer passes than slices, as the API says."""
    loop = counted(bench.network, 2)
    part = loop.add_iterator(bench.x, 0, True).get_output(0)
    length = constant(bench.network, 2, np.int32)
    engine, context = opened(bench, kept(loop, part, trt.LoopOutput.CONCATENATE, length))
    got = run(engine, context, {"x": np.array([1, 2, 3], np.float32)})
    np.testing.assert_array_equal(got, [2, 1])


def test_the_shortest_iterator_ends_a_loop_without_a_count(bench):
    network = bench.network
    z = network.add_input("z", trt.float32, (5,))
    loop = network.add_loop()
    loop.add_trip_limit(constant(network, True, np.bool_), trt.TripLimit.WHILE)
    product = both(
        network, PROD, loop.add_iterator(bench.x).get_output(0), loop.add_iterator(z).get_output(0)
    )
    length = constant(network, 4, np.int32)
    engine, context = opened(bench, kept(loop, product, trt.LoopOutput.CONCATENATE, length))
    arrays = {"x": np.array([1, 2, 3], np.float32), "z": np.array([4, 5, 6, 7, 8], np.float32)}
    np.testing.assert_array_equal(run(engine, context, arrays), [4, 10, 18, 0])


@pytest.mark.parametrize("flag", ["FP16", "BF16"])
def test_weakly_typed(logger, flag):
    """The values that a loop carries keep their type."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (4, 8))
    w = network.add_input("w", trt.float32, (8, 8))
    loop = counted(network, 3)
    state = loop.add_recurrence(x)
    none = trt.MatrixOperation.NONE
    product = network.add_matrix_multiply(state.get_output(0), none, w, none).get_output(0)
    state.set_input(1, product)
    y = kept(loop, state.get_output(0), LAST)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.set_flag(getattr(trt.BuilderFlag, flag))
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    rng = np.random.default_rng(3)
    arrays = {"x": rng.random((4, 8), np.float32), "w": rng.random((8, 8), np.float32)}
    got = run(engine, engine.create_execution_context(), arrays)
    want = arrays["x"].astype(np.float64)
    for _ in range(3):
        want = want @ arrays["w"]
    np.testing.assert_allclose(got, want, rtol=5e-2)


needs_graphs = pytest.mark.skipif(not device_memory.on_cuda(), reason="the target has no graphs")


def bound(engine, context, arrays, output_shape):
    """Buffers of all tensors, bound to the context."""
    memory = device_memory.for_target()
    buffers = {name: memory.DeviceArray(array) for name, array in arrays.items()}
    buffers["y"] = memory.DeviceArray(np.zeros(output_shape, np.float32))
    for name, buffer in buffers.items():
        assert context.set_tensor_address(name, buffer.ptr)
    return buffers


@needs_graphs
def test_a_capture_records_the_passes(bench):
    """Slices, stacks and states that exchange their memory have fixed addresses in a graph."""
    loop = counted(bench.network, 3)
    part = loop.add_iterator(bench.x).get_output(0)
    state = loop.add_recurrence(constant(bench.network, 1, np.float32))
    after = both(bench.network, SUM, state.get_output(0), part)
    state.set_input(1, after)
    length = constant(bench.network, 4, np.int32)
    engine, context = opened(bench, kept(loop, after, trt.LoopOutput.CONCATENATE, length))
    x = np.array([1, 2, -4], np.float32)
    buffers = bound(engine, context, {"x": x}, (4,))
    stream = device_memory.Stream()
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    np.testing.assert_array_equal(buffers["y"].numpy(), [2, 4, 0, 0])
    graph = stream.capture(lambda: context.execute_async_v3(stream.handle))
    for _ in range(2):
        graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(buffers["y"].numpy(), [2, 4, 0, 0])


@needs_graphs
@pytest.mark.parametrize("kind", ["count", "while", "choice", "assertion"])
def test_decisions_by_data_cannot_be_captured(bench, kind):
    network = bench.network
    total = network.add_reduce(bench.x, trt.ReduceOperation.SUM, 1, False).get_output(0)
    limit = constant(network, 9, np.float32)
    if kind == "count":
        count = network.add_cast(total, trt.int32).get_output(0)
        output = kept(loop := counted(network, count), doubling(bench, loop).get_output(0), LAST)
    elif kind == "while":
        loop = network.add_loop()
        state = doubling(bench, loop)
        current = state.get_output(0)
        grown = network.add_reduce(current, trt.ReduceOperation.SUM, 1, False).get_output(0)
        loop.add_trip_limit(both(network, LESS, grown, limit), trt.TripLimit.WHILE)
        output = kept(loop, current, LAST)
    elif kind == "choice":
        conditional = network.add_if_conditional()
        conditional.set_condition(both(network, LESS, total, limit))
        square = both(network, PROD, bench.x, bench.x)
        output = conditional.add_output(bench.x, square).get_output(0)
    else:
        network.add_assertion(both(network, LESS, total, limit), "small")
        output = both(network, PROD, bench.x, bench.x)
    engine, context = opened(bench, output)
    bound_to = bound(engine, context, {"x": np.array([1, 2, -1], np.float32)}, (3,))
    stream = device_memory.Stream()
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    before = bound_to["y"].numpy()
    done = []
    stream.capture(lambda: done.append(context.execute_async_v3(stream.handle)))
    assert done == [False]
    assert "the host decides by a value that the device computes" in bench.logger.errors[-1]
    assert "Run this engine without a capture." in bench.logger.errors[-1]
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    np.testing.assert_array_equal(bound_to["y"].numpy(), before)
