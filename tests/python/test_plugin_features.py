# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Features of V3 plugins from Python: tactics, aliases, sizes known at run time, shape inputs."""

import ctypes

import numpy as np
import pytest
import tensorrt as trt
from scaling import PLUGINS, Registered, ScaleCreatorV3, ScaleV3, build, view

pytestmark = pytest.mark.xdist_group("registry")
STRONG = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
X = np.arange(8, dtype=np.float32).reshape(2, 4)


def open_context(logger, plan, creator):
    with Registered(creator):
        engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    assert engine is not None, logger.errors()
    context = engine.create_execution_context()
    assert context is not None, logger.errors()
    return context


def execute(context, **arrays):
    for name, array in arrays.items():
        assert context.set_tensor_address(name, array.ctypes.data)
    return context.execute_async_v3(0)


# Tactics


def with_tactics(*tactics):
    """Callbacks of a plugin that multiplies by its tactic."""

    def set_tactic(plugin, tactic):
        plugin.tactic = tactic

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        y = view(outputs[0], output_desc[0])
        np.multiply(view(inputs[0], input_desc[0]), plugin.tactic, out=y)

    def attach(plugin, context):
        copy = plugin.clone()
        copy.tactic = getattr(plugin, "tactic", 0)
        return copy

    return {
        "get_valid_tactics": lambda plugin: list(tactics),
        "set_tactic": set_tactic,
        "enqueue": enqueue,
        "attach_to_context": attach,
    }


@pytest.mark.parametrize("tactics", [(5,), (7, 3, 2**31 - 1)])
def test_the_chosen_tactic_is_set(logger, tactics):
    replaced = with_tactics(*tactics)
    plan = build(logger, ScaleV3(**replaced), (2, 4))
    assert plan is not None, logger.errors()
    context = open_context(logger, plan, ScaleCreatorV3(**replaced))
    y = np.zeros_like(X)
    assert execute(context, x=X, y=y)
    assert any(np.array_equal(y, X * np.float32(tactic)) for tactic in tactics)


def test_no_tactics_means_tactic_0(logger):
    seen = []
    replaced = {"set_tactic": lambda plugin, tactic: seen.append(tactic)}
    assert build(logger, ScaleV3(**replaced)) is not None
    assert set(seen) <= {0}


BAD_TACTICS = [
    ([0], "get_valid_tactics: expected 1 or more, got 0"),
    ([-3], "get_valid_tactics: expected 1 or more, got -3"),
    ([1.5], "get_valid_tactics: expected an int, got float"),
    ([2**40], f"get_valid_tactics: expected at most {2**31 - 1}, got {2**40}"),
    (5, "get_valid_tactics: expected a list of int, got int"),
    (None, "get_valid_tactics: expected a list of int, got NoneType"),
]


@pytest.mark.parametrize(("tactics", "message"), BAD_TACTICS)
def test_bad_tactics(logger, tactics, message):
    assert build(logger, ScaleV3(get_valid_tactics=lambda plugin: tactics)) is None
    assert message in logger.errors()


def test_repeated_tactics(logger):
    assert build(logger, ScaleV3(get_valid_tactics=lambda plugin: [2, 3, 2])) is None
    assert "plugin Scale (version 3), get_valid_tactics" in logger.errors()


# Aliases


class InPlace(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuildV2, trt.IPluginV3OneRuntime
):
    """Adds its second input to its first, in the first's memory."""

    def __init__(self, aliased=0):
        for base in InPlace.__bases__:
            base.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "InPlace", "1", ""
        self.num_outputs = 1
        self.aliased = aliased

    get_capability_interface = ScaleV3.get_capability_interface
    get_output_data_types = ScaleV3.get_output_data_types
    get_output_shapes = ScaleV3.get_output_shapes
    supports_format_combination = ScaleV3.supports_format_combination
    configure_plugin = ScaleV3.configure_plugin
    attach_to_context = ScaleV3.attach_to_context
    set_tactic = ScaleV3.set_tactic
    on_shape_change = ScaleV3.on_shape_change

    def clone(self):
        return InPlace(self.aliased)

    def get_aliased_input(self, output_index):
        return self.aliased

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        assert outputs[0] == inputs[0]
        y = view(outputs[0], output_desc[0])
        y += view(inputs[1], input_desc[1])

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection()


class InPlaceCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "InPlace", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(self, name, field_collection, phase):
        return InPlace()


def build_in_place(logger, plugin, flag=True, rows=2):
    builder = trt.Builder(logger)
    network = builder.create_network(STRONG)
    inputs = [network.add_input(name, trt.float32, (rows, 4)) for name in "xz"]
    layer = network.add_plugin_v3(inputs, [], plugin)
    if layer is None:
        return None
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, flag)
    profile = builder.create_optimization_profile()
    for name in "xz":
        profile.set_shape(name, (1, 4), (2, 4), (3, 4))
    if rows < 0:
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)


@pytest.mark.parametrize("rows", [2, -1])
def test_alias(logger, rows):
    """The input is overwritten only if it is bound to the same address as the output."""
    plan = build_in_place(logger, InPlace(), rows=rows)
    assert plan is not None, logger.errors()
    context = open_context(logger, plan, InPlaceCreator())
    for name in "xz":
        assert context.set_input_shape(name, (2, 4))
    x, y, z = X.copy(), np.zeros_like(X), np.ones_like(X)
    assert execute(context, x=x, z=z, y=y)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, X + 1)
    assert execute(context, x=x, z=z, y=x)
    np.testing.assert_array_equal(x, X + 1)


def test_alias_without_the_flag(logger):
    assert build_in_place(logger, InPlace(), flag=False) is None
    assert "ALIASED_PLUGIN_IO_10_03" in logger.errors()


@pytest.mark.parametrize("aliased", [2, -5, "x"])
def test_bad_alias(logger, aliased):
    assert build_in_place(logger, InPlace(aliased)) is None
    assert "InPlace" in logger.errors()


# Sizes that are known at run time


def positive_shapes(plugin, inputs, shape_inputs, expr_builder):
    most = inputs[0][0]
    half = expr_builder.operation(trt.DimensionOperation.CEIL_DIV, most, expr_builder.constant(2))
    size = expr_builder.declare_size_tensor(1, half, most)
    assert size.is_size_tensor()
    return [trt.DimsExprs([size]), trt.DimsExprs()]


def positive_enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    x = view(inputs[0], input_desc[0])
    found = x[x > 0]
    count = np.ctypeslib.as_array((ctypes.c_int32 * 1).from_address(outputs[1]))
    assert count[0] == 0
    count[0] = len(found)
    room = trt.PluginTensorDesc()
    room.dims = (len(found),)
    view(outputs[0], room)[:] = found


POSITIVE = {
    "get_output_shapes": positive_shapes,
    "get_output_data_types": lambda plugin, types: [types[0], trt.int32],
    "supports_format_combination": lambda plugin, pos, in_out, count: (
        in_out[pos].desc.format == trt.TensorFormat.LINEAR
        and in_out[pos].desc.type == (trt.int32 if pos == 2 else trt.float32)
    ),
    "enqueue": positive_enqueue,
}


def positive(**replaced):
    plugin = ScaleV3(**{**POSITIVE, **replaced})
    plugin.num_outputs = 2
    return plugin


class PositiveCreator(ScaleCreatorV3):
    def create_plugin(self, name, field_collection, phase):
        return positive()


def clone_positive(plugin):
    return positive(clone=clone_positive)


class Outputs(trt.IOutputAllocator):
    """Memory for outputs of unknown size."""

    def __init__(self):
        super().__init__()
        self.arrays, self.shapes = {}, {}

    def reallocate_output(self, tensor_name, memory, size, alignment):
        self.arrays[tensor_name] = np.zeros(max(1, size), np.uint8)
        return self.arrays[tensor_name].ctypes.data

    def notify_shape(self, tensor_name, shape):
        self.shapes[tensor_name] = tuple(shape)


class AsyncOutputs(Outputs):
    def reallocate_output_async(self, tensor_name, memory, size, alignment, stream):
        assert stream == 0
        return Outputs.reallocate_output(self, tensor_name, memory, size, alignment)

    reallocate_output = None


def positive_plan(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(STRONG)
    x = network.add_input("x", trt.float32, (-1,))
    layer = network.add_plugin_v3([x], [], positive(clone=clone_positive))
    assert layer is not None, logger.errors()
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1,), (4,), (8,))
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return plan


class CloningCreator(PositiveCreator):
    def create_plugin(self, name, field_collection, phase):
        return positive(clone=clone_positive)


@pytest.mark.parametrize("allocator", [Outputs, AsyncOutputs])
@pytest.mark.parametrize("values", [[1, -2, 3, -4], [-1, -1], [1, 2, 3]])
def test_size_tensor(logger, allocator, values):
    context = open_context(logger, positive_plan(logger), CloningCreator())
    x = np.array(values, np.float32)
    outputs = allocator()
    assert context.set_input_shape("x", x.shape)
    assert context.set_output_allocator(name="y", output_allocator=outputs)
    assert context.get_output_allocator(name="y") is outputs
    assert context.get_max_output_size(name="y") >= 4 * len(values)
    assert execute(context, x=x), logger.errors()
    expected = x[x > 0]
    assert outputs.shapes["y"] == expected.shape
    got = outputs.arrays["y"][: expected.nbytes].view(np.float32)
    np.testing.assert_array_equal(got, expected)


# Shape inputs


def test_shape_inputs_decide_shapes(logger):
    """The plugin repeats its input as often as a shape tensor says."""

    def shapes(plugin, inputs, shape_inputs, expr_builder):
        return [trt.DimsExprs([shape_inputs[0][0], inputs[0][1]])]

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        view(outputs[0], output_desc[0])[:] = view(inputs[0], input_desc[0])[:1]

    def supports(plugin, pos, in_out, num_inputs):
        wanted = trt.int64 if in_out[pos].desc.type == trt.int64 else trt.float32
        return in_out[pos].desc.format == trt.TensorFormat.LINEAR and (
            in_out[pos].desc.type == wanted
        )

    replaced = {
        "get_output_shapes": shapes, "enqueue": enqueue, "supports_format_combination": supports,
    }  # fmt: skip
    builder = trt.Builder(logger)
    network = builder.create_network(STRONG)
    x = network.add_input("x", trt.float32, (1, 4))
    n = network.add_input("n", trt.int64, (1,))
    layer = network.add_plugin_v3(inputs=[x], shape_inputs=[n], plugin=ScaleV3(**replaced))
    assert layer is not None, logger.errors()
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape_input("n", (1,), (2,), (5,))
    assert profile.get_shape_input("n") == [[1], [2], [5]]
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    context = open_context(logger, plan, ScaleCreatorV3(**replaced))
    for rows in (3, 5, 1):
        count = np.array([rows], np.int64)
        y = np.zeros((rows, 4), np.float32)
        assert context.set_tensor_address("n", count.ctypes.data)
        assert context.infer_shapes() == []
        assert tuple(context.get_tensor_shape("y")) == (rows, 4)
        assert execute(context, x=X[:1], y=y), logger.errors()
        np.testing.assert_array_equal(y, np.repeat(X[:1], rows, 0))


# What the compiler passes


@pytest.mark.parametrize("style", ["v2", "v3"])
def test_descriptors_beyond_pos_are_no_types(logger, style):
    """Descriptors beyond pos have no valid type or format."""
    seen = []

    def supports(plugin, pos, in_out, num_inputs):
        descs = [item if style == "v2" else item.desc for item in in_out]
        seen.append([(desc.type, desc.format) for desc in descs[pos + 1 :]])
        return PLUGINS[style].supports_format_combination(plugin, pos, in_out, num_inputs)

    assert build(logger, PLUGINS[style](supports_format_combination=supports)) is not None
    beyond = [item for later in seen for item in later]
    assert beyond
    for dtype, layout in beyond:
        assert not isinstance(dtype, trt.DataType)
        assert not isinstance(layout, trt.TensorFormat)
