# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Output shapes that a plugin determines at run time: declare_size_tensor."""

import ctypes

import kiln
import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array

pytestmark = pytest.mark.xdist_group("registry")
WIDTH = 3
PROD, FLOOR_DIV = trt.DimensionOperation.PROD, trt.DimensionOperation.FLOOR_DIV


def kept_rows(plugin, inputs, shape_inputs, expr_builder):
    """Output 0: [count, WIDTH], of at most all rows; output 1: count."""
    rows = inputs[0][0]
    half = expr_builder.operation(FLOOR_DIV, rows, expr_builder.constant(2))
    count = expr_builder.declare_size_tensor(1, half, rows)
    return [trt.DimsExprs([count, inputs[0][1]]), trt.DimsExprs(0)]


def types_of(count_type):
    def get_output_data_types(plugin, input_types):
        return [input_types[0], count_type]

    return get_output_data_types


def keep_positive(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    """Keeps the rows whose first element is positive. The count arrives as zero."""
    x = array(inputs[0], input_desc[0])
    kept = np.ascontiguousarray(x[x[:, 0] > 0])
    ctypes.memmove(outputs[0], kept.ctypes.data, kept.nbytes)
    count = array(outputs[1], output_desc[1])
    assert count == 0, "the size buffer is not zeroed"
    count[...] += len(kept)


def make_plugin(**parts):
    defaults = {
        "outputs": 2,
        "get_output_shapes": kept_rows,
        "get_output_data_types": types_of(trt.int32),
        "enqueue": keep_positive,
    }
    return Lab(**{**defaults, **parts})


def define(logger, plugin, after=None):
    """x [-1, WIDTH] -> plugin -> y; after(network, y) may add layers."""
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (-1, WIDTH))
    outputs = definition.plugin(plugin, [x])
    if outputs is None:
        return None
    y = after(definition.network, outputs[0]) if after else outputs[0]
    definition.output(y, "y")
    definition.profile({"x": ((0, WIDTH), (4, WIDTH), (16, WIDTH))})
    return definition


def engine_of(logger, plugin=None, after=None):
    plugin = plugin or make_plugin()
    plan = define(logger, plugin, after).build()
    assert plan is not None, logger.errors()
    return Engine(logger, plan, plugin)


class Allocator(trt.IOutputAllocator):
    def __init__(self):
        super().__init__()
        self.memory, self.calls, self.shapes = None, [], []

    def reallocate_output(self, tensor_name, memory, size, alignment):
        self.calls.append((tensor_name, size, alignment))
        self.memory = np.zeros(size + alignment, np.uint8)
        return self.memory.ctypes.data + -self.memory.ctypes.data % alignment

    def notify_shape(self, tensor_name, shape):
        self.shapes.append((tensor_name, tuple(shape)))


def sample(signs):
    """Rows with the given signs of their first elements."""
    x = np.arange(1, len(signs) * WIDTH + 1, dtype=np.float32).reshape(-1, WIDTH)
    return x * np.array(signs, np.float32)[:, np.newaxis]


SIGNS = pytest.mark.parametrize(
    "signs",
    [[1, -1, 1, -1, 1], [-1] * 6, [1] * 16, [], [1], [-1, -1, 1]],
    ids=["some", "no row", "all rows", "no input", "one", "last"],
)


@SIGNS
@pytest.mark.parametrize("count_type", [trt.int32, trt.int64], ids=["int32", "int64"])
def test_into_bound_memory(logger, signs, count_type):
    engine = engine_of(logger, make_plugin(get_output_data_types=types_of(count_type)))
    x, y = sample(signs), np.full((16, WIDTH), -1, np.float32)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    expected = x[x[:, 0] > 0]
    assert tuple(kiln.found_shape(engine.context, "y")) == expected.shape
    np.testing.assert_array_equal(y[: len(expected)], expected)
    assert (y[len(expected) :] == -1).all()


def test_sizes_belong_to_their_run(logger):
    engine = engine_of(logger)
    x, y = sample([1, -1, 1]), np.zeros((16, WIDTH), np.float32)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    assert tuple(kiln.found_shape(engine.context, "y")) == (2, WIDTH)
    engine.context.set_input_shape("x", (7, WIDTH))
    assert tuple(kiln.found_shape(engine.context, "y")) == (-1, WIDTH)


def test_the_context_never_tells_the_size_of_an_earlier_run(logger):
    engine = engine_of(logger)
    y = np.zeros((16, WIDTH), np.float32)
    for signs in ([1, -1, 1], [1, 1, 1], [-1, -1, -1]):
        engine.context.set_input_shape("x", (3, WIDTH))
        assert tuple(engine.context.get_tensor_shape("y")) == (-1, WIDTH)
        assert engine.run({"x": sample(signs)}, {"y": y}), logger.errors()
        assert tuple(engine.context.get_tensor_shape("y")) == (-1, WIDTH)
        assert tuple(kiln.found_shape(engine.context, "y")) == (signs.count(1), WIDTH)
    assert tuple(kiln.found_shape(engine.context, "x")) == (3, WIDTH)
    assert tuple(kiln.found_shape(engine.context, "z")) == ()
    assert "'z'" in logger.errors()


@SIGNS
def test_with_an_output_allocator(logger, signs):
    engine, allocator, x = engine_of(logger), Allocator(), sample(signs)
    assert engine.context.set_output_allocator("y", allocator)
    assert engine.context.get_output_allocator("y") is allocator
    assert engine.run({"x": x}, {}), logger.errors()
    expected = x[x[:, 0] > 0]
    assert allocator.shapes == [("y", expected.shape)]
    address = engine.context.get_tensor_address("y")
    values = (ctypes.c_float * expected.size).from_address(address)
    np.testing.assert_array_equal(np.array(values, np.float32), expected.ravel())
    assert [name for name, _, _ in allocator.calls] == ["y"]
    assert allocator.calls[0][1] >= expected.nbytes


def test_an_allocator_without_memory(logger):
    engine, allocator = engine_of(logger), Allocator()
    allocator.reallocate_output = lambda *_: 0
    engine.context.set_output_allocator("y", allocator)
    assert not engine.run({"x": sample([1, 1])}, {})
    assert "its output allocator gave no memory" in logger.errors()


def test_room_for_the_bound(logger):
    engine = engine_of(logger)
    assert engine.context.set_input_shape("x", (5, WIDTH))
    assert engine.context.get_max_output_size("y") >= 5 * WIDTH * 4
    assert engine.context.get_tensor_shape("y")[0] == -1  # not known yet


def test_later_layers_have_the_size(logger):
    def double(network, y):
        return network.add_elementwise(y, y, trt.ElementWiseOperation.SUM).get_output(0)

    engine = engine_of(logger, after=double)
    for signs in ([1, -1, 1], [-1], [1, 1, 1, 1]):
        x, y = sample(signs), np.full((16, WIDTH), -1, np.float32)
        assert engine.run({"x": x}, {"y": y}), logger.errors()
        expected = 2 * x[x[:, 0] > 0]
        assert tuple(kiln.found_shape(engine.context, "y")) == expected.shape
        np.testing.assert_array_equal(y[: len(expected)], expected)
        assert (y[len(expected) :] == -1).all()


def write_count(value):
    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        array(outputs[1], output_desc[1])[...] = value

    return enqueue


@pytest.mark.parametrize("count", [5, -1, 2**31 - 1])
def test_a_count_outside_of_its_bounds(logger, count):
    plugin = make_plugin()
    plan = define(logger, plugin).build()
    engine = Engine(logger, plan, make_plugin(enqueue=write_count(count)))
    x, y = sample([1] * 4), np.zeros((16, WIDTH), np.float32)
    assert not engine.run({"x": x}, {"y": y})
    text = logger.errors()
    assert (
        "expected enqueue to write a size from 0 to 4, the bound that the plugin declared" in text
    )
    assert f"got {count}" in text
    assert "'lab'" in text


def test_a_plugin_that_writes_no_count_has_no_rows(logger):
    def nothing(plugin, *_):
        pass

    plan = define(logger, make_plugin()).build()
    engine = Engine(logger, plan, make_plugin(enqueue=nothing))
    assert engine.run({"x": sample([1] * 4)}, {"y": np.zeros((16, WIDTH), np.float32)})
    assert tuple(kiln.found_shape(engine.context, "y")) == (0, WIDTH)


def failing_build(logger, plugin):
    definition = define(logger, plugin)
    assert definition is None or definition.build() is None
    return logger.errors()


@pytest.mark.parametrize("index", [2, 9, -1])
def test_a_size_tensor_that_is_no_output(logger, index):
    def shapes(plugin, inputs, shape_inputs, expr_builder):
        rows = inputs[0][0]
        count = expr_builder.declare_size_tensor(index, rows, rows)
        return [trt.DimsExprs([count, inputs[0][1]]), trt.DimsExprs(0)]

    text = failing_build(logger, make_plugin(get_output_shapes=shapes))
    assert "size tensor: expected an output of the plugin, 0 to 1" in text
    assert f"got {index}" in text


def test_a_size_tensor_that_is_no_scalar(logger):
    def shapes(plugin, inputs, shape_inputs, expr_builder):
        rows = inputs[0][0]
        count = expr_builder.declare_size_tensor(1, rows, rows)
        return [trt.DimsExprs([count, inputs[0][1]]), trt.DimsExprs([expr_builder.constant(1)])]

    text = failing_build(logger, make_plugin(get_output_shapes=shapes))
    assert "size tensor (output 1): expected a 0-D tensor of" in text


def test_a_size_tensor_of_floats(logger):
    text = failing_build(logger, make_plugin(get_output_data_types=types_of(trt.float32)))
    assert "size tensor (output 1): expected a 0-D tensor of" in text
