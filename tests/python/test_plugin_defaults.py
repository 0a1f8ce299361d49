# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Optional members of Python plugins, both forms of __init__, callbacks around a context."""

import gc

import numpy as np
import pytest
import tensorrt as trt
from scaling import (
    CREATORS,
    PLUGINS,
    Engine,
    Registered,
    ScaleCreatorV2,
    ScaleV2,
    ScaleV3,
    build,
    without,
)

pytestmark = pytest.mark.xdist_group("registry")
X = np.ones((2, 4), np.float32)


def run(logger, plugin, creator):
    plan = build(logger, plugin)
    assert plan is not None, logger.errors()
    with Registered(creator):
        engine = Engine(logger, plan)
    return engine.run(X)


def test_output_type_of_v2_is_that_of_the_first_input(logger):
    Plain = without(ScaleV2, "get_output_datatype")
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    for dtype in (trt.float32, trt.int32, trt.float16):
        x = network.add_input(f"x{int(dtype)}", dtype, (2, 4))
        layer = network.add_plugin_v2([x], Plain())
        assert layer.get_output(0).dtype == dtype
    assert build(logger, Plain()) is not None, logger.errors()


def test_output_type_of_v2_without_inputs_is_float(logger):
    class Source(without(ScaleV2, "get_output_datatype")):
        def get_output_dimensions(self, output_index, inputs, expr_builder):
            return [expr_builder.constant(3)]

    network = trt.Builder(logger).create_network(0)
    layer = network.add_plugin_v2([], Source())
    assert layer is not None, logger.errors()
    assert layer.get_output(0).dtype == trt.float32


def test_smallest_plugin_of_each_style(logger):
    """Neither has initialize, terminate, destroy, get_workspace_size, get_serialization_size or
    get_valid_tactics."""
    for style in ("v2", "v3"):
        missing = ("initialize", "terminate", "destroy", "get_workspace_size",
                   "get_serialization_size", "get_valid_tactics")  # fmt: skip
        for name in missing:
            assert name not in vars(PLUGINS[style])
        np.testing.assert_array_equal(run(logger, PLUGINS[style](), CREATORS[style]()), 2 * X)


def test_a_workspace_of_its_own_size(logger):
    """There is no workspace by default; a requested one is passed to enqueue."""
    seen = {}

    def enqueue(plugin, descs, out, inputs, outputs, workspace, stream):
        seen["workspace"] = workspace
        ScaleV3.enqueue(plugin, descs, out, inputs, outputs, workspace, stream)

    replaced = {"enqueue": enqueue, "get_workspace_size": lambda plugin, i, o: 256}
    run(logger, ScaleV3(**replaced), CREATORS["v3"](**replaced))
    assert seen["workspace"] != 0


def test_size_of_the_state_is_its_length(logger):
    plan = bytes(build(logger, ScaleV2(6.0)))
    with Registered(ScaleCreatorV2()):
        assert Engine(logger, plan).run(X)[0, 0] == 6


def test_base_class_by_super_and_by_name(logger):
    class BySuper(trt.IPluginV2DynamicExt):
        def __init__(self):
            super().__init__()
            self.num_outputs = 3

    class ByName(trt.IPluginV2DynamicExt):
        def __init__(self):
            trt.IPluginV2DynamicExt.__init__(self)
            self.num_outputs = 3

    class ByCopy(trt.IPluginV2DynamicExt):
        def __init__(self):
            trt.IPluginV2DynamicExt.__init__(self, BySuper())

    assert [cls().num_outputs for cls in (BySuper, ByName, ByCopy)] == [3, 3, 3]


BASES = ScaleV3.__bases__[1:]


def test_copies_of_the_four_bases():
    class Copy(*BASES):
        def __init__(self, other):
            for base in BASES:
                base.__init__(self, other)

    source = ScaleV3()
    source.timing_cache_id, source.metadata_string = "id", "text"
    source.format_combination_limit = 9
    copy = Copy(source)
    assert (copy.plugin_name, copy.plugin_version, copy.plugin_namespace) == ("Scale", "3", "")
    assert (copy.num_outputs, copy.format_combination_limit) == (1, 9)
    assert (copy.timing_cache_id, copy.metadata_string) == ("id", "text")
    copy.plugin_name = "Other"
    assert source.plugin_name == "Scale"


@pytest.mark.parametrize("base", [trt.IPluginCreator, trt.IPluginCreatorV3One, trt.IPluginResource])
def test_other_bases(base):
    class Derived(base):
        def __init__(self):
            super().__init__()

    assert Derived().api_language == trt.APILanguage.PYTHON


def test_super_reaches_one_base_of_four():
    class Plugin(*BASES):
        def __init__(self):
            super().__init__()

    with pytest.raises(TypeError, match=r"IPluginV3OneCore.__init__\(\) must be called"):
        Plugin()


def test_an_attribute_before_its_base():
    """Attributes set before the base's __init__ are lost, and reading them says so."""

    class Hasty(*BASES):
        def __init__(self):
            self.plugin_name = "Hasty"
            self.num_outputs = 1
            self.timing_cache_id = "id"
            for base in BASES:
                base.__init__(self)

    plugin = Hasty()
    for name in ("plugin_name", "num_outputs"):
        with pytest.raises(AttributeError, match=f"{name} was never set"):
            getattr(plugin, name)

    class HastyV2(trt.IPluginV2DynamicExt):
        def __init__(self):
            self.plugin_type = "Hasty"
            super().__init__()

    assert not hasattr(HastyV2(), "plugin_type")


def test_documented_callbacks_do_nothing_by_super(logger):
    class Polite(ScaleV3):
        def clone(self):
            return Polite()

        def on_shape_change(self, inputs, outputs):
            super().on_shape_change(inputs, outputs)

        def set_tactic(self, tactic):
            super().set_tactic(tactic)

        def get_valid_tactics(self):
            return super().get_valid_tactics()

        def get_workspace_size(self, inputs, outputs):
            return super().get_workspace_size(inputs, outputs)

    assert build(logger, Polite()) is not None, logger.errors()


def test_v2_is_attached_to_a_context(logger):
    """Each context has a clone that is attached before its first enqueue, detached at its end."""
    calls = []

    def attach(plugin, cudnn, cublas, allocator):
        calls.append(("attach", cudnn, cublas, isinstance(allocator, trt.IGpuAllocator)))

    def detach(plugin):
        calls.append(("detach",))

    def enqueue(plugin, *arguments):
        calls.append(("enqueue",))
        ScaleV2.enqueue(plugin, *arguments)

    plan = build(logger, ScaleV2())
    replaced = {"attach_to_context": attach, "detach_from_context": detach, "enqueue": enqueue}
    with Registered(ScaleCreatorV2(**replaced)):
        engine = Engine(logger, plan)
    assert engine.run(X) is not None
    engine.context = None
    gc.collect()
    assert calls == [("attach", None, None, True), ("enqueue",), ("detach",)]


def test_exception_while_attaching_v2(logger):
    def attach(plugin, *_):
        raise RuntimeError("no room here")

    plan = build(logger, ScaleV2())
    with Registered(ScaleCreatorV2(attach_to_context=attach)):
        engine = Engine(logger, plan)
    assert engine.context is None
    assert "RuntimeError: no room here" in logger.errors()
    assert "Traceback" in logger.errors()


def test_exception_while_detaching_v2(logger, monkeypatch):
    def detach(plugin):
        raise RuntimeError("stuck")

    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda event: seen.append(repr(event.exc_value)))
    plan = build(logger, ScaleV2())
    with Registered(ScaleCreatorV2(detach_from_context=detach)):
        engine = Engine(logger, plan)
    del engine
    gc.collect()
    assert "RuntimeError('stuck')" in seen


def test_helpers():
    assert trt.volume(iterable=(2, 3, 4)) == 24
    assert trt.volume(()) == 1
    expected = {
        trt.float32: np.float32, trt.float16: np.float16, trt.int8: np.int8, trt.int32: np.int32,
        trt.int64: np.int64, trt.uint8: np.uint8, trt.bool: np.bool_,
    }  # fmt: skip
    assert {dtype: trt.nptype(trt_type=dtype) for dtype in expected} == expected
    aliases = {
        "float32": "FLOAT",
        "float16": "HALF",
        "bfloat16": "BF16",
        "int8": "INT8",
        "int32": "INT32",
        "int64": "INT64",
        "uint8": "UINT8",
        "bool": "BOOL",
        "fp8": "FP8",
        "int4": "INT4",
        "fp4": "FP4",
        "e8m0": "E8M0",
    }
    for alias, name in aliases.items():
        assert getattr(trt, alias) is getattr(trt.DataType, name)
