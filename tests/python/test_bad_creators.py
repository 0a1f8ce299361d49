# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Creators that return wrong objects, or have wrong attributes."""

import pytest
import tensorrt as trt
from scaling import CREATORS, PLUGINS, Engine, Registered, ScaleV2, ScaleV3, build, without

pytestmark = pytest.mark.xdist_group("registry")

WRONG_PLUGINS = [
    ("v3", lambda *_: None, "create_plugin: expected an IPluginV3, got NoneType"),
    ("v3", lambda *_: ScaleV2(), "create_plugin: expected an IPluginV3, got ScaleV2"),
    ("v3", lambda *_: ScaleV3, "create_plugin: expected an IPluginV3, got "),
    ("v2", lambda *_: None, "deserialize_plugin: expected an IPluginV2DynamicExt, got NoneType"),
    ("v2", lambda *_: ScaleV3(),
     "deserialize_plugin: expected an IPluginV2DynamicExt, got ScaleV3"),
    ("v2", lambda *_: "x", "deserialize_plugin: expected an IPluginV2DynamicExt, got str"),
    ("v2", lambda *_: without(ScaleV2, "enqueue")(), "method enqueue (IPluginV2DynamicExt)"),
    ("v3", lambda *_: without(ScaleV3, "enqueue")(), "method enqueue (IPluginV3OneRuntime)"),
]  # fmt: skip


@pytest.mark.parametrize(("style", "make", "message"), WRONG_PLUGINS)
def test_wrong_plugin(logger, style, make, message):
    class Creator(CREATORS[style]):
        create_plugin = make
        deserialize_plugin = make

    plan = build(logger, PLUGINS[style]())
    with Registered(Creator()):
        engine = Engine(logger, plan)
    assert engine.engine is None or engine.context is None
    assert message in logger.errors()
    assert "Scale" in logger.errors()


class Scripted(trt.IPluginCreatorV3One):
    """A creator whose attributes the test sets."""

    def __init__(self, **attributes):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Odd", "1", ""
        self.field_names = trt.PluginFieldCollection()
        for name, value in attributes.items():
            setattr(self, name, value)

    def create_plugin(self, name, field_collection, phase):
        return ScaleV3()


@pytest.mark.parametrize("attribute", ["name", "plugin_version", "plugin_namespace"])
def test_attributes_of_another_type(attribute):
    with pytest.raises(TypeError):
        Scripted(**{attribute: 5})


def test_field_names_of_another_type():
    with pytest.raises(TypeError, match="expected a PluginFieldCollection"):
        Scripted(field_names=5)


def test_an_attribute_that_raises():
    class Creator(Scripted):
        @property
        def plugin_version(self):
            raise RuntimeError("which one?")

        @plugin_version.setter
        def plugin_version(self, value):
            pass

    with pytest.raises(RuntimeError, match=r"which one\?"):  # the user's own error
        trt.get_plugin_registry().register_creator(Creator(), "")


def test_deregistering_what_is_in_use(logger):
    """Open engines keep working; plans that need the creator cannot be opened."""
    plan = build(logger, ScaleV3())
    creator = CREATORS["v3"]()
    with Registered(creator):
        engine = Engine(logger, plan)
    assert not trt.get_plugin_registry().deregister_creator(creator)
    assert engine.engine.create_execution_context() is not None
    assert Engine(logger, plan).engine is None
    assert "Scale" in logger.errors()


def test_deregistering_while_it_makes_a_plugin(logger):
    class Hasty(CREATORS["v3"]):
        def create_plugin(self, *arguments):
            assert trt.get_plugin_registry().deregister_creator(self)
            return super().create_plugin(*arguments)

    plan = build(logger, ScaleV3())
    creator = Hasty()
    assert trt.get_plugin_registry().register_creator(creator, "")
    assert Engine(logger, plan).context is not None
    assert Engine(logger, plan).engine is None
