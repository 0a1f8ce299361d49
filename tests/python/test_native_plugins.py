# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What Python sees of plugins that are implemented in C++."""

import ctypes

import numpy as np
import pytest
import tensorrt as trt
from native import compile_library, loaded

pytestmark = pytest.mark.xdist_group("registry")
FIELDS = trt.PluginFieldCollection_(trt.PluginFieldCollection())


class Seen(ctypes.Structure):
    _fields_ = [
        ("configured", ctypes.c_int32),
        ("initialized", ctypes.c_int32),
        ("attached", ctypes.c_int32),
        ("allocator", ctypes.c_void_p),
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_library("native_plugins.cpp", tmp_path_factory.mktemp("native"))


@pytest.fixture
def registry(library):
    with loaded(library) as registry:
        yield registry


def make(registry, name):
    creator = registry.get_creator(type=name, version="1", plugin_namespace="")
    return creator.create_plugin(name="layer", field_collection=FIELDS)


def make_v3(registry):
    creator = registry.get_creator(type="TwiceV3", version="1", plugin_namespace="native")
    phase = trt.TensorRTPhase.BUILD
    return creator.create_plugin(name="layer", field_collection=FIELDS, phase=phase)


def seen_by(library):
    function = ctypes.CDLL(str(library)).seenByPlugins
    function.restype = ctypes.POINTER(Seen)
    return function().contents


def capsule(pointer):
    function = ctypes.pythonapi.PyCapsule_New
    function.restype = ctypes.py_object
    function.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return function(pointer, None, None)


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("TwiceV2", trt.IPluginV2),
        ("TwiceExt", trt.IPluginV2Ext),
        ("TwiceDynamic", trt.IPluginV2DynamicExt),
    ],
)
def test_attributes_of_the_second_generation(registry, name, cls):
    plugin = make(registry, name)
    assert type(plugin) is cls
    assert (plugin.plugin_type, plugin.plugin_version, plugin.num_outputs) == (name, "1", 1)
    assert plugin.plugin_namespace == ""
    assert plugin.tensorrt_version & 0xFFFFFF > 100000
    assert plugin.serialization_size == 1
    assert type(plugin.clone()) is cls
    assert bytes(plugin.serialize()) == b"x"
    for attribute, value in (("plugin_type", "B"), ("plugin_version", "2"), ("num_outputs", 2)):
        with pytest.raises(AttributeError, match=f"{attribute} is read-only: the object is impl"):
            setattr(plugin, attribute, value)
    with pytest.raises(AttributeError):
        plugin.serialization_size = 3
    plugin.plugin_namespace = "here"
    assert plugin.plugin_namespace == "here"


@pytest.mark.parametrize("name", ["TwiceV2", "TwiceExt", "TwiceDynamic"])
def test_life_of_the_second_generation(registry, library, name):
    plugin, seen = make(registry, name), seen_by(library)
    before = seen.initialized
    assert plugin.initialize() == 0
    assert seen.initialized == before + 1
    plugin.terminate()
    assert seen.initialized == before
    plugin.destroy()
    assert plugin.num_outputs == 1


@pytest.mark.parametrize("name", ["TwiceV2", "TwiceExt"])
def test_methods_of_fixed_shapes(registry, library, name):
    plugin = make(registry, name)
    assert tuple(plugin.get_output_shape(index=0, input_shapes=[trt.Dims((3, 4))])) == (3, 4)
    assert plugin.supports_format(dtype=trt.float32, format=trt.TensorFormat.LINEAR)
    assert not plugin.supports_format(dtype=trt.int8, format=trt.TensorFormat.LINEAR)
    assert plugin.get_workspace_size(max_batch_size=3) == 48


def test_configure_with_format_and_execute(registry, library):
    plugin, seen = make(registry, "TwiceV2"), seen_by(library)
    plugin.configure_with_format(
        input_shapes=[(3,)],
        output_shapes=[(3,)],
        dtype=trt.float32,
        format=trt.TensorFormat.LINEAR,
        max_batch_size=7,
    )
    assert seen.configured == 7
    check_execute(plugin)


def check_execute(plugin):
    x, y = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    code = plugin.execute_async(
        batch_size=2,
        inputs=[capsule(x.ctypes.data)],
        outputs=[capsule(y.ctypes.data)],
        workspace=None,
        stream_handle=0,
    )
    assert code == 0
    np.testing.assert_array_equal(y, 2 * x)


def test_methods_of_ext(registry, library):
    plugin, seen = make(registry, "TwiceExt"), seen_by(library)
    assert plugin.get_output_data_type(index=0, input_types=[trt.float32]) == trt.float32
    arguments = {
        "input_shapes": [(3,)],
        "output_shapes": [(3,)],
        "input_types": [trt.float32],
        "output_types": [trt.float32],
        "input_is_broadcasted": [False],
        "output_is_broacasted": [True],
        "format": trt.TensorFormat.LINEAR,
        "max_batch_size": 9,
    }
    plugin.configure_plugin(**arguments)
    assert seen.configured == 9
    check_execute(plugin)
    with pytest.raises(ValueError, match="a type and a flag for each of 1 inputs and 1 outputs"):
        plugin.configure_plugin(**{**arguments, "input_types": []})
    plugin.attach_to_context(cudnn=None, cublas=None, allocator=capsule(64))
    assert (seen.attached, seen.allocator) == (1, 64)
    plugin.detach_from_context()
    assert seen.attached == 0


def test_dynamic_ext(registry):
    plugin = make(registry, "TwiceDynamic")
    desc = trt.PluginTensorDesc()
    desc.dims = (5,)
    assert plugin.get_workspace_size([desc], [desc]) == 5
    assert plugin.get_serialization_size() == 1
    for call in (
        lambda: plugin.enqueue([], [], [], [], 0, 0),
        lambda: plugin.configure_plugin([], []),
        lambda: plugin.get_output_datatype(0, []),
        lambda: plugin.get_output_dimensions(0, [], None),
        lambda: plugin.supports_format_combination(0, [], 1),
        lambda: plugin.attach_to_context(None, None, None),
        lambda: plugin.detach_from_context(),
    ):
        with pytest.raises(TypeError, match="expected Kiln to call it, got a call from Python"):
            call()
    with pytest.raises(TypeError, match="expected a Python plugin to copy"):
        trt.IPluginV2DynamicExt(plugin)


def test_parts_of_the_third_generation(registry):
    plugin = make_v3(registry)
    assert type(plugin) is trt.IPluginV3
    assert type(plugin.clone()) is trt.IPluginV3
    assert plugin.api_language == trt.APILanguage.CPP
    assert (plugin.interface_info.kind, plugin.interface_info.major) == ("PLUGIN_V3", 1)
    core = plugin.get_capability_interface(type=trt.PluginCapabilityType.CORE)
    build = plugin.get_capability_interface(trt.PluginCapabilityType.BUILD)
    runtime = plugin.get_capability_interface(trt.PluginCapabilityType.RUNTIME)
    del plugin
    assert type(core) is trt.IPluginV3OneCore
    assert (core.plugin_name, core.plugin_version, core.plugin_namespace) == (
        "TwiceV3", "1", "native",
    )  # fmt: skip
    assert type(build) is trt.IPluginV3OneBuildV2
    assert build.interface_info.major == 2
    assert (build.num_outputs, build.format_combination_limit) == (1, 5)
    assert (build.timing_cache_id, build.metadata_string) == ("cache id", None)
    assert build.get_valid_tactics() == [3, 4]
    assert build.get_aliased_input(output_index=0) == 0
    assert type(runtime) is trt.IPluginV3OneRuntime
    fields = runtime.get_fields_to_serialize()
    assert (fields[0].name, fields[0].data[0]) == ("two", 2)


def test_read_only_parts(registry):
    plugin = make_v3(registry)
    core = plugin.get_capability_interface(trt.PluginCapabilityType.CORE)
    build = plugin.get_capability_interface(trt.PluginCapabilityType.BUILD)
    for part, attribute, value in (
        (core, "plugin_name", "x"), (core, "plugin_version", "x"), (core, "plugin_namespace", "x"),
        (build, "num_outputs", 2), (build, "format_combination_limit", 2),
        (build, "timing_cache_id", "x"), (build, "metadata_string", None),
    ):  # fmt: skip
        with pytest.raises(AttributeError, match=f"{attribute} is read-only"):
            setattr(part, attribute, value)


def test_author_callbacks_of_parts(registry):
    plugin = make_v3(registry)
    build = plugin.get_capability_interface(trt.PluginCapabilityType.BUILD)
    runtime = plugin.get_capability_interface(trt.PluginCapabilityType.RUNTIME)
    for call in (
        lambda: build.configure_plugin([], []),
        lambda: build.get_output_data_types([]),
        lambda: build.get_output_shapes([], [], None),
        lambda: build.supports_format_combination(0, [], 1),
        lambda: build.get_workspace_size([], []),
        lambda: runtime.attach_to_context(None),
        lambda: runtime.enqueue([], [], [], [], 0, 0),
        lambda: runtime.on_shape_change([], []),
        lambda: runtime.set_tactic(1),
    ):
        with pytest.raises(TypeError, match="expected Kiln to call it, got a call from Python"):
            call()
    for part in (build, runtime):
        with pytest.raises(TypeError, match="expected a part of a Python plugin to copy"):
            type(part)(part)


def test_creators(registry):
    creator = registry.get_creator("TwiceV3", "1", "native")
    assert type(creator) is trt.IPluginCreatorV3One
    assert (creator.name, creator.plugin_version, creator.plugin_namespace) == (
        "TwiceV3", "1", "native",
    )  # fmt: skip
    assert len(creator.field_names) == 0
    assert creator.api_language == trt.APILanguage.CPP
    older = registry.get_creator("TwiceExt", "1", "")
    assert type(older) is trt.IPluginCreator
    plugin = older.deserialize_plugin(name="layer", serialized_plugin=b"x")
    assert type(plugin) is trt.IPluginV2Ext


def test_a_network_of_native_plugins(registry, logger):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (2, 3))
    first = network.add_plugin_v3(inputs=[x], shape_inputs=[], plugin=make_v3(registry))
    second = network.add_plugin_v2(
        inputs=[first.get_output(0)], plugin=make(registry, "TwiceDynamic")
    )
    assert type(first.plugin) is trt.IPluginV3
    assert type(second.plugin) is trt.IPluginV2DynamicExt
    core = first.plugin.get_capability_interface(trt.PluginCapabilityType.CORE)
    assert core.plugin_name == "TwiceV3"
    assert second.plugin.plugin_type == "TwiceDynamic"
