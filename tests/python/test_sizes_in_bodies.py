# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that find sizes, in loops and conditionals: each pass and each branch has its own.

Also run on the emulated GPU: cuda/test_cuda_sizes_in_bodies.py.
"""

import device_memory
import kiln
import numpy as np
import pytest
import tensorrt as trt

STRONG = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
SUM = trt.ElementWiseOperation.SUM


class Net:
    def __init__(self, logger):
        self.logger = logger
        self.builder = trt.Builder(logger)
        self.network = self.builder.create_network(STRONG)

    def constant(self, value, dtype):
        value = np.asarray(value, dtype)
        return self.network.add_constant(value.shape, value).get_output(0)

    def picked(self, row):
        """The elements of a vector that are not 0, of an extent that the run finds."""
        n = self.network
        found = n.add_non_zero(row).get_output(0)  # [1, n]
        flat = n.add_reduce(found, trt.ReduceOperation.SUM, 1, False).get_output(0)
        return n.add_gather(row, flat, 0).get_output(0)

    def total(self, values):
        """The sum of squares, which fuses with nothing that knows the extent."""
        n = self.network
        square = n.add_elementwise(values, values, trt.ElementWiseOperation.PROD).get_output(0)
        return n.add_reduce(square, trt.ReduceOperation.SUM, 1, False).get_output(0)

    def count(self, values):
        n = self.network
        shape = n.add_shape(values).get_output(0)
        return n.add_cast(shape, trt.float32).get_output(0)

    def loop(self, passes):
        loop = self.network.add_loop()
        loop.add_trip_limit(passes, trt.TripLimit.COUNT)
        return loop

    def output(self, tensor, name):
        tensor.name = name
        self.network.mark_output(tensor)

    def open(self):
        plan = self.builder.build_serialized_network(
            self.network, self.builder.create_builder_config()
        )
        assert plan is not None, self.logger.errors()
        self.engine = trt.Runtime(self.logger).deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        return self

    def run(self, **inputs):
        memory = device_memory.for_target()
        stream = memory.Stream()
        held = {}
        for i in range(self.engine.num_io_tensors):
            name = self.engine.get_tensor_name(i)
            array = inputs.get(name, np.full(64, -7, np.float32))
            held[name] = memory.DeviceArray(np.ascontiguousarray(array))
            self.context.set_tensor_address(name, held[name].ptr)
        assert self.context.execute_async_v3(stream.handle), self.logger.errors()
        stream.synchronize()
        results = {}
        for name in held.keys() - inputs.keys():
            shape = tuple(kiln.found_shape(self.context, name))
            results[name] = held[name].numpy()[: int(np.prod(shape))].reshape(shape)
        return results


def rows(*counts, width=16):
    """Rows with so many elements that are not 0."""
    rng = np.random.default_rng(len(counts))
    made = np.zeros((len(counts), width), np.float32)
    for row, count in zip(made, counts, strict=True):
        row[rng.permutation(width)[:count]] = rng.normal(3, 1, count)
    return made


def squares(row):
    return (row[row != 0] ** 2).sum()


CASES = [(3, 0, 16), (16, 16, 16), (0, 0, 0), (1, 2, 3)]


@pytest.mark.parametrize("counts", CASES)
def test_each_pass_finds_its_size(logger, counts):
    net = Net(logger)
    x = net.network.add_input("x", trt.float32, (3, 16))
    three = net.constant(3, np.int32)
    loop = net.loop(three)
    row = loop.add_iterator(x, 0).get_output(0)
    picked = net.picked(row)
    sums = loop.add_recurrence(net.constant(0, np.float32))
    sums.set_input(
        1, net.network.add_elementwise(sums.get_output(0), net.total(picked), SUM).get_output(0)
    )
    net.output(
        loop.add_loop_output(sums.get_output(0), trt.LoopOutput.LAST_VALUE, 0).get_output(0), "sum"
    )
    stack = loop.add_loop_output(net.count(picked), trt.LoopOutput.CONCATENATE, 0)
    stack.set_input(1, three)
    net.output(stack.get_output(0), "counts")
    net.open()
    for order in (counts, counts[::-1]):
        data = rows(*order)
        got = net.run(x=data)
        np.testing.assert_array_equal(got["counts"].ravel(), order)
        np.testing.assert_allclose(got["sum"], sum(map(squares, data)), rtol=1e-4)


@pytest.mark.parametrize("counts", CASES)
def test_a_branch_that_is_not_taken_finds_nothing(logger, counts):
    net = Net(logger)
    n = net.network
    x = n.add_input("x", trt.float32, (3, 16))
    c = n.add_input("c", trt.bool, ())

    def row(number):
        return n.add_gather(x, net.constant(number, np.int32), 0).get_output(0)

    before, first, second, behind = row(0), row(0), row(1), row(2)
    early = net.total(net.picked(before))
    condition = n.add_if_conditional()
    condition.set_condition(c)
    first = net.total(net.picked(condition.add_input(first).get_output(0)))
    second = net.total(net.picked(condition.add_input(second).get_output(0)))
    minus = n.add_unary(second, trt.UnaryOperation.NEG).get_output(0)
    result = condition.add_output(first, minus).get_output(0)
    net.output(n.add_elementwise(result, early, SUM).get_output(0), "y")
    late = net.picked(behind)
    net.output(net.total(late), "late")
    net.output(net.count(late), "counts")
    net.open()
    data = rows(*counts)
    for flag in (True, False, False, True):
        got = net.run(x=data, c=np.asarray(flag))
        wanted = squares(data[0]) + (squares(data[0]) if flag else -squares(data[1]))
        np.testing.assert_allclose(got["y"], wanted, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(got["late"], squares(data[2]), rtol=1e-4)
        assert got["counts"] == counts[2]


@pytest.mark.parametrize("passes", [0, 1, 3])
def test_loops_in_loops(logger, passes):
    """The inner loop finds a size in each pass; the outer one runs 0 or more times."""
    net = Net(logger)
    n = net.network
    x = n.add_input("x", trt.float32, (3, 16))
    p = n.add_input("p", trt.int32, ())
    outer = net.loop(p)
    total = outer.add_recurrence(net.constant([0], np.float32))
    inner = net.loop(net.constant(3, np.int32))
    row = inner.add_iterator(x, 0).get_output(0)
    scaled = n.add_elementwise(row, total.get_output(0), SUM).get_output(0)
    value = inner.add_recurrence(total.get_output(0))
    found = net.total(net.picked(n.add_activation(scaled, trt.ActivationType.RELU).get_output(0)))
    found = n.add_shuffle(found)
    found.reshape_dims = (1,)
    bounded = n.add_activation(found.get_output(0), trt.ActivationType.TANH).get_output(0)
    value.set_input(1, n.add_elementwise(value.get_output(0), bounded, SUM).get_output(0))
    last = inner.add_loop_output(value.get_output(0), trt.LoopOutput.LAST_VALUE, 0).get_output(0)
    total.set_input(1, last)
    net.output(
        outer.add_loop_output(total.get_output(0), trt.LoopOutput.LAST_VALUE, 0).get_output(0), "y"
    )
    net.output(
        net.count(net.picked(n.add_gather(x, net.constant(1, np.int32), 0).get_output(0))), "counts"
    )
    net.open()
    data = rows(2, 5, 0)
    wanted = 0.0
    for _ in range(passes):
        value = wanted
        for row in data:
            shifted = np.maximum(row + wanted, 0)
            value += np.tanh((shifted**2).sum())
        wanted = value
    for _ in range(2):
        got = net.run(x=data, p=np.asarray(passes, np.int32))
        np.testing.assert_allclose(got["y"], wanted, rtol=1e-4)
        assert got["counts"] == 5


def test_branches_with_results_of_found_extents(logger):
    net = Net(logger)
    n = net.network
    x = n.add_input("x", trt.float32, (2, 16))
    c = n.add_input("c", trt.bool, ())
    condition = n.add_if_conditional()
    condition.set_condition(c)
    inside = condition.add_input(x).get_output(0)

    def row(number):
        return n.add_gather(inside, net.constant(number, np.int32), 0).get_output(0)

    result = condition.add_output(net.picked(row(0)), net.picked(row(1))).get_output(0)
    double = n.add_elementwise(result, result, SUM).get_output(0)
    net.output(net.total(double), "y")
    net.output(net.count(double), "counts")
    net.open()
    data = rows(5, 9)
    for flag in (True, False, True):
        got = net.run(x=data, c=np.asarray(flag))
        taken = data[0 if flag else 1]
        np.testing.assert_allclose(got["y"], 4 * squares(taken), rtol=1e-4)
        assert got["counts"] == (taken != 0).sum()


def test_conditionals_with_differing_extents_in_a_loop(logger):
    net = Net(logger)
    n = net.network
    x = n.add_input("x", trt.float32, (4, 16))
    c = n.add_input("c", trt.bool, (4,))
    loop = net.loop(net.constant(4, np.int32))
    row, flag = (loop.add_iterator(tensor, 0).get_output(0) for tensor in (x, c))
    condition = n.add_if_conditional()
    condition.set_condition(flag)
    inside = condition.add_input(row).get_output(0)
    head = n.add_slice(inside, (0,), (3,), (1,)).get_output(0)
    result = condition.add_output(net.picked(inside), head).get_output(0)
    sums = loop.add_recurrence(net.constant(0, np.float32))
    sums.set_input(1, n.add_elementwise(sums.get_output(0), net.total(result), SUM).get_output(0))
    net.output(
        loop.add_loop_output(sums.get_output(0), trt.LoopOutput.LAST_VALUE, 0).get_output(0), "y"
    )
    net.open()
    data = rows(5, 0, 16, 9)
    for flags in ([True, True, True, True], [False] * 4, [True, False, False, True]):
        got = net.run(x=data, c=np.asarray(flags))
        wanted = sum(
            squares(row) if flag else squares(row[:3])
            for row, flag in zip(data, flags, strict=True)
        )
        np.testing.assert_allclose(got["y"], wanted, rtol=1e-4)


class Stacked(Net):
    """A loop over the rows of x: [rows, 16] that keeps the elements of each that are not 0."""

    def __init__(self, logger, kind=trt.LoopOutput.CONCATENATE, axis=0, length=3):
        super().__init__(logger)
        x = self.network.add_input("x", trt.float32, (3, 16))
        loop = self.inside = self.loop(self.constant(3, np.int32))
        stack = loop.add_loop_output(self.picked(loop.add_iterator(x, 0).get_output(0)), kind, axis)
        stack.set_input(1, self.constant(length, np.int32))
        self.stack = stack.get_output(0)


@pytest.mark.parametrize("count", [5, 16, 0])
@pytest.mark.parametrize(("kind", "axis"), [("CONCATENATE", 0), ("CONCATENATE", 1), ("REVERSE", 0)])
def test_stacks_of_found_extents(logger, count, kind, axis):
    net = Stacked(logger, getattr(trt.LoopOutput, kind), axis)
    assert tuple(net.stack.shape) == ((3, -1) if axis == 0 else (-1, 3))
    net.output(net.stack, "y")
    net.open()
    for shift in (0, 1):  # the sizes of a run are its own
        data = rows(*[max(count - shift, 0)] * 3)
        want = np.stack([row[row != 0] for row in data][:: -1 if kind == "REVERSE" else 1], axis)
        np.testing.assert_array_equal(net.run(x=data)["y"], want)


def test_layers_behind_read_a_found_stack(logger):
    net = Stacked(logger, length=5)
    net.output(net.total(net.stack), "sums")
    net.output(net.count(net.stack), "count")
    got = net.open().run(x=rows(4, 4, 4))
    np.testing.assert_array_equal(got["count"], [5, 4])
    want = rows(4, 4, 4)
    want = np.stack([row[row != 0] for row in want])
    np.testing.assert_allclose(got["sums"], (want**2).sum(axis=0), rtol=1e-5)


def test_passes_that_find_other_extents_fail(logger):
    net = Stacked(logger)
    net.output(net.stack, "y")
    net.open()
    with pytest.raises(AssertionError):
        net.run(x=rows(4, 5, 4))
    assert "expected slices of" in logger.errors() and "in each pass, got [5]" in logger.errors()
    np.testing.assert_array_equal(net.run(x=rows(2, 2, 2))["y"].shape, (3, 2))


def test_no_pass_finds_no_extent(logger):
    net = Stacked(logger)
    outer = net.network.add_input("c", trt.bool, ())
    net.inside.add_trip_limit(outer, trt.TripLimit.WHILE)
    net.output(net.stack, "y")
    net.open()
    assert net.run(x=rows(4, 4, 4), c=np.array(True))["y"].shape == (3, 4)
    assert net.run(x=rows(4, 4, 4), c=np.array(False))["y"].shape == (3, 0)
    assert net.run(x=rows(7, 7, 7), c=np.array(True))["y"].shape == (3, 7)


def test_stacks_of_found_extents_in_a_loop(logger):
    """The outer loop adds up what inner loops stack, of another extent in each pass."""
    net = Net(logger)
    n = net.network
    x = n.add_input("x", trt.float32, (3, 2, 16))
    two = net.constant(2, np.int32)
    outer = net.loop(net.constant(3, np.int32))
    inner = net.loop(two)
    row = inner.add_iterator(outer.add_iterator(x, 0).get_output(0), 0).get_output(0)
    stack = inner.add_loop_output(net.picked(row), trt.LoopOutput.CONCATENATE, 0)
    stack.set_input(1, two)
    flat = n.add_shuffle(stack.get_output(0))
    flat.reshape_dims = (-1,)
    sums = outer.add_recurrence(net.constant(0, np.float32))
    total = net.total(flat.get_output(0))
    sums.set_input(1, n.add_elementwise(sums.get_output(0), total, SUM).get_output(0))
    last = outer.add_loop_output(sums.get_output(0), trt.LoopOutput.LAST_VALUE, 0)
    net.output(last.get_output(0), "y")
    net.open()
    for counts in ((3, 3, 9, 9, 1, 1), (16,) * 6, (0, 0, 2, 2, 0, 0)):
        data = rows(*counts)
        got = net.run(x=data.reshape(3, 2, 16))["y"]
        np.testing.assert_allclose(got, sum(squares(row) for row in data), rtol=1e-5)


def test_a_carried_value_of_a_found_extent(logger):
    """The next value has an extent that the pass finds: the initial one's, or the run fails."""
    net = Net(logger)
    n = net.network
    x = n.add_input("x", trt.float32, (3, 16))
    loop = net.loop(net.constant(3, np.int32))
    state = loop.add_recurrence(net.constant(np.zeros(4), np.float32))
    state.set_input(1, net.picked(loop.add_iterator(x, 0).get_output(0)))
    net.output(
        loop.add_loop_output(state.get_output(0), trt.LoopOutput.LAST_VALUE, 0).get_output(0), "y"
    )
    net.open()
    data = rows(4, 4, 4)
    np.testing.assert_array_equal(net.run(x=data)["y"], data[2][data[2] != 0])
    with pytest.raises(AssertionError):
        net.run(x=rows(4, 3, 4))
    assert "Use shapes that stay the same in all passes" in logger.errors()
