# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kiln returns the same Python objects that were registered or added."""

import gc
import subprocess
import sys
import textwrap
import weakref

import pytest
import tensorrt as trt
from scaling import CREATORS, PLUGINS, Registered, add_plugin

pytestmark = pytest.mark.xdist_group("registry")
STYLES = pytest.mark.parametrize("style", ["v2", "v3"])
VERSION = {"v2": "2", "v3": "3"}


@STYLES
def test_get_creator_gives_the_users_object(style):
    registry = trt.get_plugin_registry()
    creator = CREATORS[style]()
    with Registered(creator):
        assert registry.get_creator("Scale", VERSION[style], "") is creator
        assert registry.get_creator("Scale", VERSION[style]) is creator
        assert any(found is creator for found in registry.all_creators)
        listed = any(found is creator for found in registry.plugin_creator_list)
        assert listed == (style == "v2")
    assert registry.get_creator("Scale", VERSION[style], "") is None


def test_a_miss_is_none():
    assert trt.get_plugin_registry().get_creator("NoSuchPlugin", "1", "") is None


@STYLES
def test_a_name_is_taken_once(style):
    with Registered(CREATORS[style]()):
        assert not trt.get_plugin_registry().register_creator(CREATORS[style](), "")


@STYLES
def test_namespace(style):
    registry = trt.get_plugin_registry()
    creator = CREATORS[style]()
    assert registry.register_creator(creator, "mine")
    assert registry.get_creator("Scale", VERSION[style], "mine") is creator
    assert registry.get_creator("Scale", VERSION[style], "") is None
    assert registry.deregister_creator(creator)
    assert not registry.deregister_creator(creator)


@STYLES
def test_a_registered_creator_stays_alive(style):
    registry = trt.get_plugin_registry()
    creator = CREATORS[style]()
    seen = weakref.ref(creator)
    assert registry.register_creator(creator, "")
    del creator
    gc.collect()
    assert registry.get_creator("Scale", VERSION[style], "") is seen()
    assert registry.deregister_creator(seen())
    gc.collect()
    assert seen() is None


def test_register_something_else():
    with pytest.raises(TypeError, match="expected an IPluginCreator"):
        trt.get_plugin_registry().register_creator(object(), "")


@STYLES
def test_layer_plugin_is_the_users_class(logger, style):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (2, 4))
    layer = add_plugin(network, x, PLUGINS[style](5.0))
    assert type(layer) is {"v2": trt.IPluginV2Layer, "v3": trt.IPluginV3Layer}[style]
    assert type(layer.plugin) is PLUGINS[style]
    assert layer.plugin.factor == 5.0
    assert layer.plugin is layer.plugin
    assert network[0].plugin is layer.plugin


@STYLES
def test_interface_info(style):
    creator, plugin = CREATORS[style](), PLUGINS[style]()
    assert creator.api_language == trt.APILanguage.PYTHON
    assert creator.interface_info.kind.startswith("PLUGIN CREATOR_V")
    if style == "v3":
        assert plugin.interface_info.major == 1
        assert plugin.api_language == trt.APILanguage.PYTHON
    else:
        assert plugin.tensorrt_version == 101600 or plugin.tensorrt_version > 100000


EXIT_PROGRAM = """
    import tensorrt as trt
    from scaling import CREATORS, PLUGINS, Engine, build

    class Noisy(trt.ILogger):
        def log(self, severity, msg):
            if severity <= trt.ILogger.ERROR:
                print(msg)

    logger = Noisy()
    creator = CREATORS["STYLE"]()
    assert trt.get_plugin_registry().register_creator(creator, "")
    plugin = PLUGINS["STYLE"]()
    engine = Engine(logger, build(logger, plugin))
    network = trt.Builder(logger).create_network(0)
    cycle = [engine, network]
    cycle.append(cycle)
    print("end")
"""


@STYLES
def test_interpreter_exit_with_everything_alive(style):
    program = textwrap.dedent(EXIT_PROGRAM).replace("STYLE", style)
    folder = __file__.rpartition("/")[0]
    result = subprocess.run(
        [sys.executable, "-X", "dev", "-c", program], cwd=folder, capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, "end\n"), result.stderr
    assert "Traceback" not in result.stderr
