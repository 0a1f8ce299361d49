# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builders and runtimes have their own registries, whose parent is that of the process."""

import gc
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest
import tensorrt as trt
from scaling import CREATORS, PLUGINS, Registered, build
from test_resources import Recorder

pytestmark = pytest.mark.xdist_group("registry")
STYLES = pytest.mark.parametrize("style", ["v2", "v3"])
VERSION = {"v2": "2", "v3": "3"}


@STYLES
@pytest.mark.parametrize("owner", [trt.Builder, trt.Runtime])
def test_what_is_registered_there_is_known_there(logger, owner, style):
    registry = owner(logger).get_plugin_registry()
    creator = CREATORS[style]()
    assert registry.register_creator(creator, "")
    assert registry.get_creator("Scale", VERSION[style], "") is creator
    assert trt.get_plugin_registry().get_creator("Scale", VERSION[style], "") is None
    assert [found is creator for found in registry.all_creators] == [True]
    assert registry.deregister_creator(creator)
    assert not registry.deregister_creator(creator)


def test_parent_search(logger):
    registry = trt.Runtime(logger).get_plugin_registry()
    assert registry.parent_search_enabled
    creator = CREATORS["v3"]()
    with Registered(creator):
        assert registry.get_creator("Scale", "3", "") is creator
        assert not registry.all_creators
        assert any(found is creator for found in registry.all_creators_recursive)
        registry.parent_search_enabled = False
        assert registry.get_creator("Scale", "3", "") is None
        assert not registry.all_creators_recursive
        registry.parent_search_enabled = True
        assert registry.get_creator("Scale", "3", "") is creator


def test_two_namespaces():
    registry = trt.get_plugin_registry()
    first, second = CREATORS["v3"](), CREATORS["v3"]()
    assert registry.register_creator(first, "first")
    assert registry.register_creator(second, "second")
    assert not registry.register_creator(CREATORS["v3"](), "second")
    assert registry.get_creator("Scale", "3", "first") is first
    assert registry.get_creator("Scale", "3", "second") is second
    assert registry.deregister_creator(first)
    assert registry.get_creator("Scale", "3", "first") is None
    assert registry.get_creator("Scale", "3", "second") is second
    assert registry.deregister_creator(second)


@STYLES
def test_an_engine_takes_plugins_of_its_runtime(logger, style):
    plan = build(logger, PLUGINS[style](3.0))
    runtime = trt.Runtime(logger)
    assert runtime.deserialize_cuda_engine(plan) is None
    assert runtime.get_plugin_registry().register_creator(CREATORS[style](), "")
    context = runtime.deserialize_cuda_engine(plan).create_execution_context()
    x, y = np.ones((2, 4), np.float32), np.zeros((2, 4), np.float32)
    context.set_input_shape("x", x.shape)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    del runtime
    gc.collect()
    assert context.execute_async_v3(0)
    assert y[0, 0] == 3


@STYLES
def test_creators_go_with_the_owner(logger, style):
    runtime = trt.Runtime(logger)
    registry = runtime.get_plugin_registry()
    creator = CREATORS[style]()
    seen = weakref.ref(creator)
    assert registry.register_creator(creator, "")
    del creator, registry
    gc.collect()
    assert seen() is not None
    assert runtime.get_plugin_registry().get_creator("Scale", VERSION[style], "") is seen()
    del runtime
    gc.collect()
    assert seen() is None


def test_an_error_recorder_stays_with_the_owner(logger):
    runtime = trt.Runtime(logger)
    recorder = Recorder()
    seen = weakref.ref(recorder)
    runtime.get_plugin_registry().error_recorder = recorder
    del recorder
    gc.collect()
    assert runtime.get_plugin_registry().get_creator("NoSuchPlugin", "1", "") is None
    assert "NoSuchPlugin" in seen().texts[-1]
    assert runtime.get_plugin_registry().error_recorder is seen()
    del runtime
    gc.collect()
    assert seen() is None


def test_the_registry_keeps_its_owner(logger):
    registry = trt.Runtime(logger).get_plugin_registry()
    gc.collect()
    assert registry.register_creator(CREATORS["v3"](), "")
    assert registry.get_creator("Scale", "3", "") is not None


EXIT = """
    import sys
    sys.path.insert(0, FOLDER)
    import tensorrt as trt
    from scaling import CREATORS

    logger = trt.Logger()
    owners = [trt.Builder(logger), trt.Runtime(logger)]
    for owner in owners:
        for creator in CREATORS.values():
            assert owner.get_plugin_registry().register_creator(creator(), "")
    owners.append(owners)
    print("end")
"""


def test_interpreter_exit():
    program = textwrap.dedent(EXIT).replace("FOLDER", repr(__file__.rpartition("/")[0]))
    command = [sys.executable, "-X", "dev", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "end\n"), result.stderr
    assert "Traceback" not in result.stderr
