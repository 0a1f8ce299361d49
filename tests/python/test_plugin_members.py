# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Adding a plugin or creator without a required member fails and names the member."""

import pytest
import tensorrt as trt
from scaling import PLUGINS, ScaleCreatorV2, ScaleCreatorV3, ScaleV2, ScaleV3, build, without

METHODS = [
    *[(ScaleV2, "IPluginV2DynamicExt", name) for name in (
        "clone", "configure_plugin", "enqueue", "get_output_dimensions", "serialize",
        "supports_format_combination",
    )],
    *[(ScaleV3, "IPluginV3", name) for name in ("clone", "get_capability_interface")],
    *[(ScaleV3, "IPluginV3OneBuild", name) for name in (
        "configure_plugin", "get_output_data_types", "get_output_shapes",
        "supports_format_combination",
    )],
    *[(ScaleV3, "IPluginV3OneRuntime", name) for name in (
        "attach_to_context", "enqueue", "get_fields_to_serialize", "on_shape_change", "set_tactic",
    )],
]  # fmt: skip


@pytest.mark.parametrize(("cls", "base", "method"), METHODS)
def test_missing_method(logger, cls, base, method):
    assert build(logger, without(cls, method)()) is None
    assert f"method {method} ({base})" in logger.errors()
    assert "class Incomplete" in logger.errors()


ATTRIBUTES = [
    *[("v2", name) for name in ("num_outputs", "plugin_namespace", "plugin_type",
                                "plugin_version")],
    *[("v3", name) for name in ("num_outputs", "plugin_name", "plugin_namespace",
                                "plugin_version")],
]  # fmt: skip


class Bare3(ScaleV3):
    """Sets no attribute."""

    def __init__(self):
        for base in ScaleV3.__bases__[1:]:
            base.__init__(self)
        self.replaced = {}


class Bare2(ScaleV2):
    def __init__(self):
        trt.IPluginV2DynamicExt.__init__(self)
        self.replaced = {}


@pytest.mark.parametrize(("style", "attribute"), ATTRIBUTES)
def test_missing_attribute(logger, style, attribute):
    good = PLUGINS[style]()
    plugin = {"v2": Bare2, "v3": Bare3}[style]()
    for name in [name for s, name in ATTRIBUTES if s == style and name != attribute]:
        setattr(plugin, name, getattr(good, name))
    assert not hasattr(plugin, attribute)
    assert build(logger, plugin) is None
    assert f"attribute {attribute} (" in logger.errors()
    assert logger.errors().count("attribute ") == 1


def test_all_missing_members_are_named_at_once(logger):
    assert build(logger, Bare3()) is None
    for style, name in ATTRIBUTES:
        if style == "v3":
            assert f"attribute {name} (" in logger.errors()


def test_missing_member_is_raised_on_request(logger, raising):
    with pytest.raises(TypeError, match=r"method enqueue \(IPluginV3OneRuntime\)"):
        build(logger, without(ScaleV3, "enqueue")())


def test_attributes_of_the_class_count(logger):
    """Attributes may also be class attributes or properties."""

    class Named(Bare3):
        plugin_name = "Scale"
        plugin_version = "3"
        plugin_namespace = ""
        factor = 2.0

        @property
        def num_outputs(self):
            return 1

        def clone(self):
            return Named()

    assert build(logger, Named()) is not None, logger.errors()


def test_defaults():
    plugin = ScaleV3()
    assert plugin.timing_cache_id is None
    assert plugin.metadata_string is None
    assert plugin.format_combination_limit == 100
    assert trt.IPluginV3OneBuild.DEFAULT_FORMAT_COMBINATION_LIMIT == 100
    assert trt.IPluginV2DynamicExt.FORMAT_COMBINATION_LIMIT == 100


@pytest.mark.parametrize("cls", [ScaleCreatorV2, ScaleCreatorV3])
def test_incomplete_creator(cls):
    class Bare(without(cls, "create_plugin")):
        def __init__(self):
            cls.__bases__[0].__init__(self)

    with pytest.raises(TypeError) as caught:
        trt.get_plugin_registry().register_creator(Bare(), "")
    for text in ("attribute name (", "attribute field_names (", "method create_plugin ("):
        assert text in str(caught.value)


def test_a_base_whose_init_was_not_called():
    class Careless(trt.IPluginV3, trt.IPluginV3OneCore):
        def __init__(self):
            trt.IPluginV3.__init__(self)

    with pytest.raises(TypeError, match=r"IPluginV3OneCore.__init__\(\) must be called"):
        Careless()


def test_something_that_is_no_plugin(logger):
    assert build(logger, 5) is None
    assert "expected an IPluginV3, got int" in logger.errors()
