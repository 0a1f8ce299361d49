# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects passed to Kiln live exactly as long as their users, in any order of `del`."""

import gc
import itertools
import sys
import weakref

import numpy as np
import pytest
import tensorrt as trt
from list_logger import ListLogger
from scaling import CREATORS, PLUGINS, Registered, add_plugin, build

pytestmark = pytest.mark.xdist_group("registry")
STYLES = pytest.mark.parametrize("style", ["v2", "v3"])


def make_engine(logger, style):
    plan = build(logger, PLUGINS[style]())
    with Registered(CREATORS[style]()):
        runtime = trt.Runtime(logger)
        engine = runtime.deserialize_cuda_engine(plan)
    return runtime, engine, engine.create_execution_context()


def run(context):
    x, y = np.ones((2, 4), np.float32), np.zeros((2, 4), np.float32)
    assert context.set_input_shape("x", x.shape)
    assert context.set_tensor_address("x", x.ctypes.data)
    assert context.set_tensor_address("y", y.ctypes.data)
    assert context.execute_async_v3(0)
    return y


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_objects_go_in_any_order(order):
    logger = ListLogger()
    seen = weakref.ref(logger)
    objects = [logger, *make_engine(logger, "v3")]
    del logger
    run(objects[3])
    for index in order:
        objects[index] = None
        gc.collect()
        if objects[3] is not None:
            assert run(objects[3])[0, 0] == 2
    assert seen() is None


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_builder_objects_go_in_any_order(order):
    logger = ListLogger()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    tensor = network.add_input("x", trt.float32, (2, 4))
    layer = add_plugin(network, tensor, PLUGINS["v3"]())
    objects = [builder, network, tensor, layer]
    seen = weakref.ref(logger)
    del logger, builder, network, tensor, layer
    for index in order:
        objects[index] = None
        gc.collect()
        if objects[2] is not None:
            assert objects[2].name == "x"
        if objects[3] is not None:
            assert objects[3].plugin.factor == 2.0
    assert seen() is None


def count_clones(style):
    """Returns callbacks that count clones and destroys, and the counts."""
    counts = {"clone": 0, "destroy": 0}
    real = PLUGINS[style].clone

    def clone(plugin):
        counts["clone"] += 1
        return real(plugin)

    def destroy(plugin):
        counts["destroy"] += 1

    return {"clone": clone, "destroy": destroy}, counts


@STYLES
def test_every_clone_is_destroyed_once(logger, style):
    replaced, counts = count_clones(style)
    plugin = PLUGINS[style](**replaced)
    plan = build(logger, plugin)
    gc.collect()
    assert counts["clone"] > 0
    assert counts["clone"] == counts["destroy"]

    counts.update(clone=0, destroy=0)
    with Registered(CREATORS[style](**replaced)):
        runtime = trt.Runtime(logger)
        engine = runtime.deserialize_cuda_engine(plan)
    contexts = [engine.create_execution_context() for _ in range(3)]
    run(contexts[0])
    del contexts, engine, runtime
    gc.collect()
    made = counts["clone"] + 1  # plus the one that the creator made
    assert counts["destroy"] == made


@STYLES
def test_plugins_go(logger, style):
    alive = weakref.WeakSet()
    cls = PLUGINS[style]

    class Counted(cls):
        def __init__(self):
            super().__init__() if style == "v2" else cls.__init__(self)
            alive.add(self)

        def clone(self):
            return Counted()

    assert build(logger, Counted()) is not None
    gc.collect()
    assert not list(alive)


def test_weights_live_as_long_as_the_network(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    values = np.arange(4, dtype=np.float32)
    seen = weakref.ref(values)
    layer = network.add_constant((4,), values)
    del values
    gc.collect()
    assert seen() is not None
    np.testing.assert_array_equal(layer.weights, [0, 1, 2, 3])

    other = np.arange(4, 8, dtype=np.float32)
    replaced = weakref.ref(other)
    layer.weights = other
    del other, layer
    gc.collect()
    assert replaced() is not None
    np.testing.assert_array_equal(network[0].weights, [4, 5, 6, 7])
    del network
    gc.collect()
    assert seen() is None
    assert replaced() is None


def test_error_recorder_lives_as_long_as_its_user(logger):
    class Recorder(trt.IErrorRecorder):
        def __init__(self):
            super().__init__()
            self.errors = []

        def report_error(self, code, desc):
            self.errors.append((code, desc))
            return False

        def get_num_errors(self):
            return len(self.errors)

        def get_error_code(self, index):
            return self.errors[index][0]

        def get_error_desc(self, index):
            return self.errors[index][1]

        def has_overflowed(self):
            return False

        def clear(self):
            self.errors.clear()

    builder = trt.Builder(logger)
    recorder = Recorder()
    seen = weakref.ref(recorder)
    builder.error_recorder = recorder
    assert builder.error_recorder is recorder
    del recorder
    gc.collect()
    assert seen() is not None
    del builder
    gc.collect()
    assert seen() is None


def test_logger_property(logger):
    builder = trt.Builder(logger)
    assert builder.logger is logger
    assert trt.Runtime(logger).logger is logger


class Steps(trt.IProfiler):
    """Counts the steps it was told."""

    def __init__(self):
        trt.IProfiler.__init__(self)
        self.count = 0

    def report_layer_time(self, layer_name, ms):
        self.count += 1


def test_a_profiler_lives_as_long_as_its_context_has_it():
    *_, context = make_engine(ListLogger(), "v3")
    seen = []
    for _ in range(3):
        context.profiler = Steps()
        seen.append(weakref.ref(context.profiler))
        run(context)
        gc.collect()
        assert context.profiler.count > 0
        assert [profiler() is None for profiler in seen] == [True] * (len(seen) - 1) + [False]
    context.profiler = None
    gc.collect()
    assert seen[-1]() is None
    context.profiler = Steps()
    last = weakref.ref(context.profiler)
    del context, _
    gc.collect()
    assert last() is None


def test_setting_a_profiler_again_keeps_it_once():
    *_, context = make_engine(ListLogger(), "v3")
    steps = Steps()
    before = sys.getrefcount(steps)
    for _ in range(10):
        context.profiler = steps
        context.profiler = None
    assert sys.getrefcount(steps) == before
    context.profiler = steps
    assert sys.getrefcount(steps) == before + 1


def test_an_error_recorder_is_replaced():
    class Recorder(trt.IErrorRecorder):
        pass

    *_, context = make_engine(ListLogger(), "v3")
    context.error_recorder = Recorder()
    seen = weakref.ref(context.error_recorder)
    context.error_recorder = None
    gc.collect()
    assert seen() is None
