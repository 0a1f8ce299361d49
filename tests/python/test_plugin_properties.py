# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties of plugins: those that follow from callbacks, and those that raise."""

import numpy as np
import pytest
import tensorrt as trt
from scaling import PLUGINS, ScaleV2, ScaleV3, build

pytestmark = pytest.mark.xdist_group("registry")


def test_serialization_size_follows_from_serialize():
    plugin = ScaleV2()
    assert plugin.serialization_size == 4
    assert plugin.get_serialization_size() == 4


def test_serialization_size_follows_from_the_callback():
    plugin = ScaleV2(get_serialization_size=lambda plugin: np.int64(7))
    assert plugin.serialization_size == 7


def test_serialization_size_of_a_class_without_state():
    class Bare(trt.IPluginV2DynamicExt):
        pass

    assert Bare().serialization_size == 0
    assert Bare().tensorrt_version > 0


def test_an_exception_of_the_callback_reaches_the_reader():
    def serialize(plugin):
        raise RuntimeError("no state yet")

    with pytest.raises(RuntimeError, match="no state yet"):
        _ = ScaleV2(serialize=serialize).serialization_size


@pytest.mark.parametrize("style", ["v2", "v3"])
def test_what_every_plugin_tells(style):
    plugin = PLUGINS[style]()
    assert plugin.num_outputs == 1
    assert plugin.plugin_version == {"v2": "2", "v3": "3"}[style]
    assert plugin.plugin_namespace == ""
    if style == "v3":
        assert plugin.format_combination_limit == 100
        assert plugin.timing_cache_id is None
        assert plugin.metadata_string is None
        assert plugin.api_language == trt.APILanguage.PYTHON


class Oops(Exception):
    pass


def raising(kind):
    def get(plugin):
        raise kind("the file of settings is gone")

    return property(get, lambda plugin, value: None)


NAMES = [
    ("v2", "num_outputs"),
    ("v2", "plugin_type"),
    ("v2", "plugin_namespace"),
    ("v3", "num_outputs"),
    ("v3", "plugin_name"),
    ("v3", "plugin_version"),
]


@pytest.mark.parametrize("kind", [Oops, AttributeError])
@pytest.mark.parametrize(("style", "name"), NAMES)
def test_a_property_that_raises_is_reported_with_its_traceback(logger, style, name, kind):
    cls = type("Plugin", (PLUGINS[style],), {name: raising(kind)})
    assert build(logger, cls()) is None
    text = logger.errors()
    assert f"{kind.__name__}: the file of settings is gone" in text
    assert "Traceback (most recent call last)" in text
    assert 'raise kind("the file of settings is gone")' in text
    assert "got none for" not in text


def test_a_property_that_raises_is_raised_on_request(logger, request):
    request.getfixturevalue("raising")
    cls = type("Plugin", (ScaleV3,), {"num_outputs": raising(Oops)})
    with pytest.raises(Oops, match="the file of settings is gone"):
        build(logger, cls())


def test_a_creator_whose_property_raises():
    class Creator(trt.IPluginCreatorV3One):
        field_names = raising(Oops)

        def __init__(self):
            super().__init__()
            self.name, self.plugin_version, self.plugin_namespace = "Broken", "1", ""

        def create_plugin(self, name, field_collection, phase):
            return None

    with pytest.raises(Oops, match="the file of settings is gone"):
        trt.get_plugin_registry().register_creator(Creator(), "")


@pytest.mark.parametrize("style", ["v2", "v3"])
def test_an_attribute_that_was_never_set_is_still_missing(logger, style):
    plugin = PLUGINS[style].__new__(PLUGINS[style])
    for base in PLUGINS[style].__mro__:
        if base.__module__.startswith("kiln") and base.__init__ is not object.__init__:
            base.__init__(plugin)
    assert build(logger, plugin) is None
    assert "got none for: " in logger.errors()
    assert "num_outputs" in logger.errors()
