# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Outputs in the memory of an input: IPluginV3OneBuildV2.get_aliased_input."""

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import AliasLab, Definition, Engine, array

pytestmark = pytest.mark.xdist_group("registry")
FLAG = trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03


def add_one_in_place(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    assert inputs[0] == outputs[0]
    values = array(outputs[0], output_desc[0])
    values += 1


def aliased(plugin, output_index):
    return 0


def plan_of(logger, plugin, flag=True, dtype=trt.float32, reader=False):
    """x -> plugin -> y. reader: adds a later layer x + x -> z."""
    definition = Definition(logger)
    x = definition.input("x", dtype, (4,))
    outputs = definition.plugin(plugin, [x])
    if outputs is None:
        return None
    for i, output in enumerate(outputs):
        definition.output(output, "y" if i == 0 else f"y{i}")
    if reader:
        total = definition.network.add_elementwise(x, x, trt.ElementWiseOperation.SUM)
        definition.output(total.get_output(0), "z")
    definition.config.set_preview_feature(FLAG, flag)
    return definition.build()


def engine_of(logger, **options):
    plugin = AliasLab(get_aliased_input=aliased, enqueue=add_one_in_place)
    plan = plan_of(logger, plugin, **options)
    assert plan is not None, logger.errors()
    return Engine(logger, plan, plugin)


def test_one_address_for_both(logger):
    engine = engine_of(logger)
    x = np.arange(4, dtype=np.float32)
    for run in range(1, 4):
        assert engine.run({"x": x}, {"y": x}), logger.errors()
        np.testing.assert_array_equal(x, np.arange(4) + run)


def test_an_input_is_not_written_behind_the_callers_back(logger):
    engine = engine_of(logger)
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    for _ in range(3):
        assert engine.run({"x": x}, {"y": y}), logger.errors()
        np.testing.assert_array_equal(x, np.arange(4))
        np.testing.assert_array_equal(y, np.arange(4) + 1)


def test_others_read_the_input_as_it_was(logger):
    engine = engine_of(logger, reader=True)
    x, y, z = np.arange(4, dtype=np.float32), np.zeros(4, np.float32), np.zeros(4, np.float32)
    assert engine.run({"x": x}, {"y": y, "z": z}), logger.errors()
    np.testing.assert_array_equal(y, np.arange(4) + 1)
    np.testing.assert_array_equal(z, np.arange(4) * 2)


def test_a_constant_is_not_written(logger):
    plugin = AliasLab(get_aliased_input=aliased, enqueue=add_one_in_place)
    definition = Definition(logger)
    weights = np.arange(4, dtype=np.float32)
    constant = definition.network.add_constant((4,), weights).get_output(0)
    definition.output(definition.plugin(plugin, [constant])[0], "y")
    definition.config.set_preview_feature(FLAG, True)
    engine = Engine(logger, definition.build(), plugin)
    for _ in range(3):
        y = np.zeros(4, np.float32)
        assert engine.run({}, {"y": y}), logger.errors()
        np.testing.assert_array_equal(y, np.arange(4) + 1)


def test_in_the_middle_of_a_network(logger):
    plugin = AliasLab(get_aliased_input=aliased, enqueue=add_one_in_place)
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (4,))
    double = definition.network.add_elementwise(x, x, trt.ElementWiseOperation.SUM).get_output(0)
    (changed,) = definition.plugin(plugin, [double])
    both = definition.network.add_elementwise(changed, double, trt.ElementWiseOperation.SUM)
    definition.output(both.get_output(0), "y")
    definition.config.set_preview_feature(FLAG, True)
    plan = definition.build()
    assert plan is not None, logger.errors()
    engine = Engine(logger, plan, plugin)
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y, 4 * np.arange(4) + 1)  # (2x + 1) + 2x


def test_without_the_preview_flag(logger):
    plugin = AliasLab(get_aliased_input=aliased)
    assert plan_of(logger, plugin, flag=False) is None
    text = logger.errors()
    assert "the preview feature ALIASED_PLUGIN_IO_10_03 is off" in text
    assert "layer 'lab', plugin Lab" in text


def test_another_shape(logger):
    def twice(plugin, inputs, shape_inputs, expr_builder):
        two = expr_builder.constant(2)
        return [
            trt.DimsExprs([expr_builder.operation(trt.DimensionOperation.PROD, inputs[0][0], two)])
        ]

    plugin = AliasLab(get_aliased_input=aliased, get_output_shapes=twice)
    assert plan_of(logger, plugin) is None
    assert "aliased to input 0: expected the same shape" in logger.errors()


def test_another_type(logger):
    def ints(plugin, input_types):
        return [trt.int32]

    plugin = AliasLab(get_aliased_input=aliased, get_output_data_types=ints)
    assert plan_of(logger, plugin) is None
    assert "aliased to input 0: expected the same type and format" in logger.errors()


@pytest.mark.parametrize("index", [1, 7, -2])
def test_not_an_input(logger, index):
    def wrong(plugin, output_index):
        return index

    assert plan_of(logger, AliasLab(get_aliased_input=wrong)) is None
    assert f"got {index}" in logger.errors()


def test_two_outputs_in_one_input(logger):
    assert plan_of(logger, AliasLab(get_aliased_input=aliased, outputs=2)) is None
    assert "that no other output is aliased to" in logger.errors()


def test_the_older_build_interface_has_no_aliases(logger):
    from plugin_lab import Lab

    plugin = Lab(get_aliased_input=aliased)  # never called
    plan = plan_of(logger, plugin)
    engine = Engine(logger, plan, plugin)
    assert engine.engine.get_aliased_input_tensor("y") is None
