# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins in engines with several optimization profiles, and when a plan is opened."""

import time

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array
from scaling import ScaleV2

pytestmark = pytest.mark.xdist_group("registry")

SMALL, LARGE = ((1, 8), (2, 8), (4, 8)), ((8, 8), (12, 8), (16, 8))


def plan_of(logger, plugin, *profiles):
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (-1, 8))
    if isinstance(plugin, trt.IPluginV2DynamicExt):
        outputs = [definition.network.add_plugin_v2([x], plugin).get_output(0)]
    else:
        outputs = definition.plugin(plugin, [x])
    definition.output(outputs[0], "y")
    for shapes in profiles:
        definition.profile({"x": shapes})
    plan = definition.build()
    assert plan is not None, logger.errors()
    return plan


def run(engine, profile, rows):
    """Returns y after a run under a profile."""
    assert engine.context.set_optimization_profile_async(profile, 0)
    y = np.zeros((rows, 8), np.float32)
    assert engine.run({"x": np.ones((rows, 8), np.float32)}, {"y": y})
    return y


class Told:
    """A plugin that records how it is configured and which shapes it gets."""

    def __init__(self, **parts):
        self.configured, self.changed, self.ran = [], [], []
        self.plugin = Lab(
            configure_plugin=lambda _, inputs, outputs: self.configured.append(
                tuple(tuple(getattr(inputs[0], name)) for name in ("min", "opt", "max"))
            ),
            on_shape_change=lambda _, inputs, outputs: self.changed.append(tuple(inputs[0].dims)),
            **parts,
        )


def test_configure_plugin_for_each_profile(logger):
    told = Told()
    plan = plan_of(logger, told.plugin, SMALL, LARGE)
    assert told.configured == [SMALL, LARGE]
    told.configured.clear()
    engine = Engine(logger, plan, told.plugin)
    assert told.configured == [SMALL, LARGE]  # configured again
    told.changed.clear()
    for profile, rows in ((0, 4), (1, 8), (0, 4)):
        assert (run(engine, profile, rows) == 1).all()
    assert told.changed == [(4, 8), (8, 8), (4, 8)]


class ToldV2(ScaleV2):
    """Records the ranges that it is configured with; clones share the list."""

    def __init__(self, told):
        ScaleV2.__init__(self)
        self.told = told

    def clone(self):
        return ToldV2(self.told)

    def configure_plugin(self, inputs, outputs):
        self.told.append(
            tuple(tuple(dims) for dims in (inputs[0].min, inputs[0].desc.dims, inputs[0].max))
        )


def test_configure_plugin_of_v2_for_each_profile(logger):
    told = []
    assert plan_of(logger, ToldV2(told), SMALL, LARGE)
    ranges = [entry for entry in told if entry[0] != entry[2]]
    assert [(low, high) for low, _, high in ranges] == [
        (SMALL[0], SMALL[2]),
        (LARGE[0], LARGE[2]),
    ]


def test_each_profile_has_its_own_tactic(logger):
    tried = []

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        best = 1 if input_desc[0].dims[0] <= 4 else 2
        tried.append((input_desc[0].dims[0], plugin.tactic))
        time.sleep(0.02 * (plugin.tactic != best))
        array(outputs[0], output_desc[0])[...] = plugin.tactic

    plugin = Lab(enqueue=enqueue, get_valid_tactics=lambda _: [1, 2])
    plan = plan_of(logger, plugin, SMALL, LARGE)
    assert set(tried) == {(2, 1), (2, 2), (12, 1), (12, 2)}  # at each optimum
    engine = Engine(logger, plan, plugin)
    for profile, rows in ((0, 4), (1, 8), (0, 1), (1, 16)):
        assert (run(engine, profile, rows) == profile + 1).all()
    second = engine.engine.create_execution_context()
    assert second.active_optimization_profile == 0


class Configured(ScaleV2):
    """Multiplies by the largest extent that it was configured with when it was saved."""

    def clone(self):
        return Configured(self.factor, **self.replaced)

    def configure_plugin(self, inputs, outputs):
        if inputs[0].min[0] != inputs[0].max[0]:
            self.factor = float(inputs[0].max[0])

    def get_serialization_size(self):
        return 4

    def serialize(self):
        return np.array([self.factor], np.float32).tobytes()


class ConfiguredCreator(trt.IPluginCreator):
    def __init__(self):
        trt.IPluginCreator.__init__(self)
        self.name, self.plugin_version, self.plugin_namespace = "Scale", "2", ""
        self.field_names = trt.PluginFieldCollection()
        self.restored = []

    def create_plugin(self, name, field_collection):
        return Configured()

    def deserialize_plugin(self, name, data):
        self.restored.append(float(np.frombuffer(data, np.float32)[0]))
        return Configured(self.restored[-1])


def test_each_profile_has_its_own_state(logger):
    plan = plan_of(logger, Configured(), SMALL, LARGE)
    registry, creator = trt.get_plugin_registry(), ConfiguredCreator()
    assert registry.register_creator(creator, "")
    try:
        engine = Engine.__new__(Engine)
        engine.runtime = trt.Runtime(logger)
        engine.engine = engine.runtime.deserialize_cuda_engine(plan)
        assert engine.engine is not None, logger.errors()
        engine.context = engine.engine.create_execution_context()
    finally:
        registry.deregister_creator(creator)
    assert creator.restored == [4, 16]
    for profile, rows in ((0, 4), (1, 8), (0, 1), (1, 16)):
        assert (run(engine, profile, rows) == (16 if profile else 4)).all()


def test_one_state_is_made_once(logger):
    made = []
    plugin = Lab(clone=lambda self: made.append(self) or Lab(**self.parts))
    plan = plan_of(logger, plugin, SMALL, LARGE, SMALL)
    engine = Engine(logger, plan, plugin)
    for profile, rows in ((0, 4), (1, 8), (2, 4)):
        assert (run(engine, profile, rows) == 1).all()


class Mind:
    """A plugin that answers differently when `changed`."""

    def __init__(self, name, before, after):
        self.changed = False
        self.plugin = Lab(**{name: lambda *_: after if self.changed else before})


@pytest.mark.parametrize(
    ("name", "before", "after", "message"),
    [
        ("get_workspace_size", 64, 1 << 20,
         "workspace under optimization profile 0: expected 1048576 bytes"),
        ("get_output_data_types", [trt.float32], [trt.int64],
         "type of output 0: expected int64, as the plugin says, the plan has float32"),
        ("supports_format_combination", True, False, "type and format of input 0"),
        ("get_valid_tactics", [3], [4], "tactic under optimization profile 0"),
    ],
)  # fmt: skip
def test_a_plugin_that_disagrees_with_its_plan(logger, name, before, after, message):
    mind = Mind(name, before, after)
    plan = plan_of(logger, mind.plugin, SMALL)
    assert Engine(logger, plan, mind.plugin).engine is not None
    mind.changed = True
    assert Engine(logger, plan, mind.plugin).engine is None
    assert "[plan] layer 'lab', plugin Lab (version 1)" in logger.errors()
    assert message in logger.errors()


def test_a_plugin_without_a_build_part_is_not_asked(logger):
    def parts(plugin, type):
        build = type == trt.PluginCapabilityType.BUILD
        return None if build and running[0] else plugin

    running = [False]
    plugin = Lab(get_capability_interface=parts)
    plan = plan_of(logger, plugin, SMALL)
    running[0] = True
    engine = Engine(logger, plan, plugin)
    assert engine.engine is not None, logger.errors()
    assert (run(engine, 0, 3) == 1).all()


def test_two_inputs_of_one_range(logger):
    """Output shapes of plugin and plan are compared independently of the order of operands."""

    def shapes(plugin, inputs, shape_inputs, expr_builder):
        one, two = inputs[1][0], inputs[0][0]
        total = expr_builder.operation(trt.DimensionOperation.SUM, one, two)
        return [trt.DimsExprs([total, inputs[0][1]])]

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        array(outputs[0], output_desc[0])[...] = output_desc[0].dims[0]

    plugin = Lab(get_output_shapes=shapes, enqueue=enqueue)
    definition = Definition(logger)
    given = [definition.input(name, trt.float32, (-1, 8)) for name in ("a", "b")]
    definition.output(definition.plugin(plugin, given[::-1])[0], "y")
    definition.profile({"a": SMALL, "b": LARGE})
    engine = Engine(logger, definition.build(), plugin)
    assert engine.engine is not None, logger.errors()
    y = np.zeros((12, 8), np.float32)
    assert engine.run(
        {"a": np.ones((4, 8), np.float32), "b": np.ones((8, 8), np.float32)}, {"y": y}
    )
    assert (y == 12).all()
