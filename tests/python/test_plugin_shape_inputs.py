# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of tensors that decide output shapes: add_plugin_v3(inputs, shape_inputs, plugin)."""

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array

pytestmark = pytest.mark.xdist_group("registry")


def tiled(plugin, inputs, shape_inputs, expr_builder):
    """The output of [n] and the values (rows, more) is [rows + more, n]."""
    assert len(shape_inputs) == 1
    rows = shape_inputs[0][0]
    if len(shape_inputs[0]) > 1:
        rows = expr_builder.operation(trt.DimensionOperation.SUM, rows, shape_inputs[0][1])
    return [trt.DimsExprs([rows, inputs[0][0]])]


def tile(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    assert len(inputs) == len(input_desc) == 2  # the values are an input, too, on the host
    assert array(inputs[1], input_desc[1]).sum() == output_desc[0].dims[0]
    array(outputs[0], output_desc[0])[...] = array(inputs[0], input_desc[0])


def make_plugin():
    return Lab(get_output_shapes=tiled, enqueue=tile)


def engine_of(logger, dtype=trt.int32, profiles=(([1], [2], [8]),)):
    plugin, definition = make_plugin(), Definition(logger)
    x = definition.input("x", trt.float32, (3,))
    rows = definition.input("rows", dtype, (1,))
    definition.output(definition.plugin(plugin, [x], [rows])[0], "y")
    for bounds in profiles:
        definition.profile(values={"rows": bounds})
    plan = definition.build()
    assert plan is not None, logger.errors()
    return Engine(logger, plan, plugin)


@pytest.mark.parametrize("dtype", [trt.int32, trt.int64], ids=["int32", "int64"])
def test_values_decide(logger, dtype):
    engine = engine_of(logger, dtype)
    x = np.array([1, 2, 3], np.float32)
    for count in (1, 8, 2, 2, 5):
        rows, y = np.array([count], trt.nptype(dtype)), np.full((8, 3), -1, np.float32)
        assert engine.run({"x": x, "rows": rows}, {"y": y}), logger.errors()
        assert tuple(engine.context.get_tensor_shape("y")) == (count, 3)
        np.testing.assert_array_equal(y[:count], np.tile(x, (count, 1)))
        assert (y[count:] == -1).all()


def test_changed_in_place(logger):
    engine = engine_of(logger)
    x, rows, y = np.ones(3, np.float32), np.array([2], np.int32), np.zeros((8, 3), np.float32)
    assert engine.run({"x": x, "rows": rows}, {"y": y})
    rows[0] = 6
    assert engine.context.execute_async_v3(0), logger.errors()
    assert tuple(engine.context.get_tensor_shape("y")) == (6, 3)
    assert y.sum() == 18


def test_what_the_engine_tells(logger):
    engine = engine_of(logger).engine
    assert engine.is_shape_inference_io("rows")
    assert not engine.is_shape_inference_io("x")
    assert engine.get_tensor_location("rows") == trt.TensorLocation.HOST
    assert engine.get_tensor_profile_values(0, "rows") == engine.get_tensor_profile_values(
        "rows", 0
    )
    assert [list(values) for values in engine.get_tensor_profile_values("rows", 0)] == [
        [1],
        [2],
        [8],
    ]


def test_inputs_are_shape_tensors_by_use(logger):
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (3,))
    rows = definition.input("rows", trt.int32, (1,))
    lengths = definition.input("lengths", trt.int32, (1,))
    definition.output(definition.plugin(make_plugin(), [x], [rows])[0], "y")
    definition.output(definition.network.add_identity(lengths).get_output(0), "same")
    assert rows.is_shape_tensor
    assert not lengths.is_shape_tensor
    assert not x.is_shape_tensor


def test_infer_shapes_names_what_is_missing(logger):
    context = engine_of(logger).context
    assert context.infer_shapes() == ["rows"]
    rows = np.array([4], np.int32)
    context.set_tensor_address("rows", rows.ctypes.data)
    assert context.infer_shapes() == []
    assert tuple(context.get_tensor_shape("y")) == (4, 3)


@pytest.mark.parametrize("count", [0, 9, -3])
def test_a_value_outside_of_the_profile(logger, count):
    engine = engine_of(logger)
    x, y = np.ones(3, np.float32), np.zeros((8, 3), np.float32)
    assert not engine.run({"x": x, "rows": np.array([count], np.int32)}, {"y": y})
    text = logger.errors()
    assert "shape input 'rows', element 0: expected a value from 1 to 8" in text
    assert f"got {count}" in text


def test_profiles(logger):
    engine = engine_of(logger, profiles=(([1], [1], [2]), ([3], [4], [8])))
    x, y = np.ones(3, np.float32), np.zeros((8, 3), np.float32)
    five = np.array([5], np.int32)
    assert not engine.run({"x": x, "rows": five}, {"y": y})
    assert engine.context.set_optimization_profile_async(1, 0)
    assert engine.run({"x": x, "rows": five}, {"y": y}), logger.errors()
    assert y.sum() == 15


def test_no_values_in_the_profile(logger):
    plugin, definition = make_plugin(), Definition(logger)
    x = definition.input("x", trt.float32, (3,))
    rows = definition.input("rows", trt.int32, (1,))
    definition.output(definition.plugin(plugin, [x], [rows])[0], "y")
    assert definition.build() is None
    assert "input 'rows' decides shapes by its values, but" in logger.errors()


def test_floats_are_no_shape(logger):
    plugin, definition = make_plugin(), Definition(logger)
    x = definition.input("x", trt.float32, (3,))
    outputs = definition.plugin(plugin, [x], [definition.input("rows", trt.float32, (1,))])
    if outputs is not None:
        definition.output(outputs[0], "y")
        assert definition.build() is None
    assert "shape input 0: expected a tensor of int32" in logger.errors()


class TestComputedOnTheHost:
    """Shape tensors that layers compute from other shapes, without running kernels."""

    def rows_of(self, logger, make):
        """A function that runs x [n], n <= 8, tiled to make(network, shape of x) rows."""
        plugin, definition = make_plugin(), Definition(logger)
        x = definition.input("x", trt.float32, (-1,))
        shape = definition.network.add_shape(x).get_output(0)
        rows = make(definition.network, shape)
        definition.output(definition.plugin(plugin, [x], [rows])[0], "y")
        definition.profile({"x": ((1,), (4,), (8,))})
        plan = definition.build()
        assert plan is not None, logger.errors()
        engine = Engine(logger, plan, plugin)

        def run(count):
            x = np.arange(count, dtype=np.float32)
            y = np.full(1000, -1, np.float32)
            assert engine.run({"x": x}, {"y": y}), logger.errors()
            rows, columns = engine.context.get_tensor_shape("y")
            assert columns == count
            np.testing.assert_array_equal(
                y[: rows * columns].reshape(rows, columns), np.tile(x, (rows, 1))
            )
            return rows

        return run

    def constant(self, network, *values):
        array = np.array(values, np.int64)
        self.kept = [*getattr(self, "kept", []), array]
        return network.add_constant((len(values),), array).get_output(0)

    def test_shape(self, logger):
        run = self.rows_of(logger, lambda network, shape: shape)
        assert [run(n) for n in (3, 1, 8)] == [3, 1, 8]

    def test_elementwise(self, logger):
        def make(network, shape):
            operation = trt.ElementWiseOperation
            two = self.constant(network, 2)
            double = network.add_elementwise(shape, two, operation.PROD).get_output(0)
            return network.add_elementwise(double, two, operation.SUM).get_output(0)

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 1)] == [8, 4]

    def test_concatenation(self, logger):
        def make(network, shape):
            return network.add_concatenation([shape, self.constant(network, 5)]).get_output(0)

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 1)] == [8, 6]

    def test_gather(self, logger):
        def make(network, shape):
            both = network.add_concatenation([self.constant(network, 7), shape]).get_output(0)
            index = np.array([1], np.int32)
            self.index = index
            indices = network.add_constant((1,), index).get_output(0)
            return network.add_gather(both, indices, 0).get_output(0)

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 8)] == [3, 8]

    def test_slice(self, logger):
        def make(network, shape):
            both = network.add_concatenation([self.constant(network, 7, 6), shape]).get_output(0)
            return network.add_slice(both, (0,), (2,), (2,)).get_output(0)  # elements 0 and 2

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 8)] == [10, 15]

    def test_reduce(self, logger):
        def make(network, shape):
            both = network.add_concatenation([shape, self.constant(network, 3)]).get_output(0)
            return network.add_reduce(both, trt.ReduceOperation.PROD, 1, True).get_output(0)

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 2)] == [9, 6]

    def test_select(self, logger):
        def make(network, shape):
            five = self.constant(network, 5)
            large = network.add_elementwise(shape, five, trt.ElementWiseOperation.GREATER)
            return network.add_select(large.get_output(0), five, shape).get_output(0)

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 5, 8)] == [3, 5, 5]

    def test_unary(self, logger):
        def make(network, shape):
            minus = network.add_unary(shape, trt.UnaryOperation.NEG).get_output(0)
            ten = self.constant(network, 10)
            return network.add_elementwise(ten, minus, trt.ElementWiseOperation.SUM).get_output(0)

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 8)] == [7, 2]

    def test_identity_and_cast(self, logger):
        def make(network, shape):
            same = network.add_identity(shape).get_output(0)
            return network.add_cast(same, trt.int32).get_output(0)

        run = self.rows_of(logger, make)
        assert [run(n) for n in (3, 8)] == [3, 8]
