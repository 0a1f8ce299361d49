# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugin inputs and outputs of every type that a plugin on the CPU can have."""

import ml_dtypes
import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array

pytestmark = pytest.mark.xdist_group("registry")
TYPES = {
    trt.float32: np.float32,
    trt.float16: np.float16,
    trt.bfloat16: ml_dtypes.bfloat16,
    trt.int64: np.int64,
    trt.int32: np.int32,
    trt.int8: np.int8,
    trt.uint8: np.uint8,
    trt.bool: np.bool_,
}
EACH = pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.name)
VALUES = [0, 1, 2, 100, 127, 5]


def run(logger, plugin, dtype, x, y):
    definition = Definition(logger)
    tensor = definition.input("x", dtype, (len(x),))
    definition.output(definition.plugin(plugin, [tensor])[0], "y")
    plan = definition.build()
    assert plan is not None, logger.errors()
    assert Engine(logger, plan, plugin).run({"x": x}, {"y": y}), logger.errors()


@EACH
def test_copy(logger, dtype):
    seen = []

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        seen.append((input_desc[0].type, output_desc[0].type))
        source = array(inputs[0], input_desc[0])
        assert source.dtype == TYPES[dtype]
        array(outputs[0], output_desc[0])[...] = source

    x = np.array(VALUES, TYPES[dtype])
    y = np.zeros_like(x)
    run(logger, Lab(enqueue=enqueue), dtype, x, y)
    np.testing.assert_array_equal(x, y)
    assert set(seen) == {(dtype, dtype)}


@EACH
def test_from_float(logger, dtype):
    """The plugin chooses the type of the output."""

    def get_output_data_types(plugin, input_types):
        return [dtype]

    x = np.array(VALUES, np.float32)
    y = np.zeros(len(x), TYPES[dtype])
    run(logger, Lab(get_output_data_types=get_output_data_types), trt.float32, x, y)
    np.testing.assert_array_equal(y, x.astype(TYPES[dtype]))


@EACH
def test_to_int64(logger, dtype):
    def get_output_data_types(plugin, input_types):
        assert input_types == [dtype]
        return [trt.int64]

    x = np.array(VALUES, TYPES[dtype])
    y = np.zeros(len(x), np.int64)
    run(logger, Lab(get_output_data_types=get_output_data_types), dtype, x, y)
    np.testing.assert_array_equal(y, x.astype(np.int64))


def test_no_rows(logger):
    """Plugins also run on empty tensors."""
    calls = []

    def enqueue(plugin, input_desc, output_desc, *_):
        calls.append((tuple(input_desc[0].dims), tuple(output_desc[0].dims)))

    plugin, definition = Lab(enqueue=enqueue), Definition(logger)
    x = definition.input("x", trt.float32, (-1, 3))
    definition.output(definition.plugin(plugin, [x])[0], "y")
    definition.profile({"x": ((0, 3), (2, 3), (4, 3))})
    engine = Engine(logger, definition.build(), plugin)
    calls.clear()
    nothing = np.empty((0, 3), np.float32)
    room = np.empty((4, 3), np.float32)
    assert engine.run({"x": nothing}, {"y": room}), logger.errors()
    assert calls == [((0, 3), (0, 3))]


def test_several_profiles(logger):
    plugin, definition = Lab(), Definition(logger)
    x = definition.input("x", trt.float32, (-1,))
    definition.output(definition.plugin(plugin, [x])[0], "y")
    definition.profile({"x": ((1,), (2,), (4,))})
    definition.profile({"x": ((8,), (8,), (16,))})
    engine = Engine(logger, definition.build(), plugin)
    assert engine.engine.num_optimization_profiles == 2
    x, y = np.arange(3, dtype=np.float32), np.zeros(16, np.float32)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    assert not engine.context.set_input_shape("x", (10,))
    assert engine.context.set_optimization_profile_async(1, 0)
    x = np.arange(10, dtype=np.float32)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y[:10], x)


def test_infer_shapes(logger):
    plugin, definition = Lab(), Definition(logger)
    x = definition.input("x", trt.float32, (-1,))
    definition.output(definition.plugin(plugin, [x])[0], "y")
    definition.profile({"x": ((1,), (2,), (4,))})
    context = Engine(logger, definition.build(), plugin).context
    assert context.infer_shapes() == ["x"]
    assert tuple(context.get_tensor_shape("y")) == (-1,)
    context.set_input_shape("x", (3,))
    assert context.infer_shapes() == []
    assert tuple(context.get_tensor_shape("y")) == (3,)
