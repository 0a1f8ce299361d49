# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources that plugins of different contexts and engines share."""

import gc

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array

pytestmark = pytest.mark.xdist_group("registry")
KEY = "test_plugin_resources"


class Counter(trt.IPluginResource):
    """Records the clones and releases of all its copies."""

    def __init__(self, events, value=7):
        super().__init__()
        self.events, self.value = events, value

    def clone(self):
        self.events.append("clone")
        return Counter(self.events, self.value)

    def release(self):
        self.events.append("release")


@pytest.fixture
def registry():
    return trt.get_plugin_registry()


def test_acquired_once_for_a_key(registry):
    events = []
    offered = Counter(events)
    first = registry.acquire_plugin_resource(KEY, offered)
    assert isinstance(first, Counter)
    assert first is not offered  # the registry keeps a copy
    assert registry.acquire_plugin_resource(KEY, Counter(events, 8)) is first
    assert first.value == 7
    assert events == ["clone"]
    assert registry.release_plugin_resource(KEY) == 0
    assert events == ["clone"]
    assert registry.release_plugin_resource(KEY) == 0
    assert events == ["clone", "release"]


def test_a_key_comes_back_after_its_release(registry):
    events = []
    registry.acquire_plugin_resource(KEY, Counter(events))
    registry.release_plugin_resource(KEY)
    assert registry.acquire_plugin_resource(KEY, Counter(events, 9)).value == 9
    registry.release_plugin_resource(KEY)
    assert events == ["clone", "release"] * 2


def test_releasing_what_nobody_has(registry):
    assert registry.release_plugin_resource("never acquired") != 0


def plugin_with(acquire, release):
    """A plugin that multiplies by the value of what acquire() returns."""

    def attach_to_context(plugin, resource_context):
        attached = plugin.clone()
        attached.resource = acquire()
        return attached

    def destroy(plugin):
        if getattr(plugin, "resource", None) is not None:
            plugin.resource = None
            release()

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        x = array(inputs[0], input_desc[0])
        array(outputs[0], output_desc[0])[...] = x * plugin.resource.value

    return Lab(attach_to_context=attach_to_context, destroy=destroy, enqueue=enqueue)


def plan_of(logger, plugin):
    definition = Definition(logger)
    definition.output(definition.plugin(plugin, [definition.input("x", trt.float32, (4,))])[0], "y")
    return definition.build()


def test_contexts_share_it(logger, registry):
    events = []
    plugin = plugin_with(
        lambda: registry.acquire_plugin_resource(KEY, Counter(events)),
        lambda: registry.release_plugin_resource(KEY),
    )
    plan = plan_of(logger, plugin)
    events.clear()
    engines = [Engine(logger, plan, plugin) for _ in range(3)]
    assert events == ["clone"]
    y = np.zeros(4, np.float32)
    for engine in engines:
        assert engine.run({"x": np.ones(4, np.float32)}, {"y": y}), logger.errors()
        np.testing.assert_array_equal(y, 7)
    del engine
    while engines:
        assert events == ["clone"]
        engines.pop()
        gc.collect()
    assert events == ["clone", "release"]


def test_the_context_of_a_resource(logger):
    seen = []

    def attach_to_context(plugin, resource_context):
        seen.append((type(resource_context), resource_context.error_recorder))
        return plugin.clone()

    plugin = Lab(attach_to_context=attach_to_context)
    Engine(logger, plan_of(logger, plugin), plugin)
    assert seen[-1] == (trt.IPluginResourceContext, None)


def test_a_resource_context_that_is_kept(logger):
    """A plugin may keep it; its members are None once the context is destroyed."""
    kept = []

    def attach_to_context(plugin, resource_context):
        kept.append(resource_context)
        assert resource_context.gpu_allocator is not None
        return plugin.clone()

    plugin = Lab(attach_to_context=attach_to_context)
    definition = Definition(logger)
    definition.output(definition.plugin(plugin, [definition.input("x", trt.float32, (4,))])[0], "y")
    engine = Engine(logger, definition.build(), plugin)
    assert all(context.gpu_allocator is not None for context in kept[-1:])
    del engine
    gc.collect()
    for context in kept:
        assert context.gpu_allocator is None
        assert context.error_recorder is None
