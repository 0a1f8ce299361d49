# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Observing a build or a run from Python: timing cache, inspector, profiler, debug tensors."""

import ctypes
import json

import numpy as np
import pytest
import tensorrt as trt
from scaling import Registered, ScaleCreatorV3, ScaleV3, add_plugin

pytestmark = pytest.mark.xdist_group("registry")


class Cached(ScaleV3):
    """A plugin with tactics to time and a timing cache id."""

    timing_cache_id = "scale"

    def clone(self):
        return Cached()

    def get_valid_tactics(self):
        return [1, 2]


def make_plan(logger, configure=lambda config: None, mark=lambda network: None):
    """The plan of a plugin behind a relu."""
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", trt.float32, (2, 4))
    relu = network.add_activation(x, trt.ActivationType.RELU)
    relu.name = "relu"
    relu.get_output(0).name = "middle"
    layer = add_plugin(network, relu.get_output(0), Cached())
    layer.name = "scale"
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    mark(network)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    configure(config)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return plan


def make_context(logger, plan):
    with Registered(ScaleCreatorV3()):
        return trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()


def run(context):
    x, y = -np.ones((2, 4), np.float32), np.ones((2, 4), np.float32)
    assert context.execute_v2([x.ctypes.data, y.ctypes.data])
    return y


def test_timing_cache(logger):
    kept = {}

    def configure(config):
        config.set_flag(trt.BuilderFlag.EDITABLE_TIMING_CACHE)
        kept["config"] = config
        kept["cache"] = config.create_timing_cache(serialized_timing_cache=b"")
        assert config.set_timing_cache(cache=kept["cache"], ignore_mismatch=False)

    make_plan(logger, configure)
    cache = kept["config"].get_timing_cache()
    blob = bytes(cache.serialize())
    again = kept["config"].create_timing_cache(blob)
    assert again is not None
    keys = cache.queryKeys()
    assert keys
    assert set(again.queryKeys()) == set(keys)
    key = keys[0]
    assert trt.TimingCacheKey.parse(text=str(key)) == key
    value = cache.query(key=key)
    assert value.timingMSec >= 0
    changed = trt.TimingCacheValue(value.tacticHash, 7.5)
    assert (changed.tacticHash, changed.timingMSec) == (value.tacticHash, 7.5)
    assert cache.update(key=key, value=changed)
    assert cache.query(key).timingMSec == 7.5
    empty = kept["config"].create_timing_cache(b"")
    assert empty.combine(input_cache=cache, ignore_mismatch=False)
    assert len(empty.queryKeys()) == len(keys)
    assert empty.reset()
    assert not empty.queryKeys()
    with pytest.raises(ValueError, match="expected 0x and 32 hexadecimal digits"):
        trt.TimingCacheKey.parse("0x12")


def test_inspector(logger):
    context = make_context(logger, make_plan(logger))
    inspector = context.engine.create_engine_inspector()
    inspector.execution_context = context
    text = inspector.get_engine_information(format=trt.LayerInformationFormat.JSON)
    assert "scale" in text
    json.loads(text)
    assert inspector.get_layer_information(layer_index=0, format=trt.LayerInformationFormat.ONELINE)


def test_profiler(logger):
    class Times(trt.IProfiler):
        def __init__(self):
            super().__init__()
            self.seen = {}

        def report_layer_time(self, layer_name, ms):
            self.seen[layer_name] = ms

    context = make_context(logger, make_plan(logger))
    context.profiler = times = Times()
    run(context)
    assert context.profiler is times
    assert any("scale" in name for name in times.seen)
    assert all(ms >= 0 for ms in times.seen.values())


def test_progress_monitor(logger):
    class Monitor(trt.IProgressMonitor):
        def __init__(self, go_on=True):
            super().__init__()
            self.go_on, self.phases, self.steps = go_on, [], 0

        def phase_start(self, phase_name, parent_phase, num_steps):
            self.phases.append(phase_name)

        def step_complete(self, phase_name, step):
            self.steps += 1
            return self.go_on

        def phase_finish(self, phase_name):
            self.phases.remove(phase_name)

    monitor = Monitor()
    make_plan(logger, lambda config: setattr(config, "progress_monitor", monitor))
    assert monitor.steps > 0
    assert not monitor.phases
    with pytest.raises(AssertionError):
        make_plan(logger, lambda config: setattr(config, "progress_monitor", Monitor(False)))


def test_debug_listener(logger):
    class Listener(trt.IDebugListener):
        def __init__(self):
            super().__init__()
            self.seen = []

        def process_debug_tensor(self, addr, location, type, shape, name, stream):
            values = np.ctypeslib.as_array((ctypes.c_float * 8).from_address(addr))
            self.seen.append((name, type, tuple(shape), values.tolist()))
            return True

    def mark(network):
        assert network.mark_debug(network[0].get_output(0))

    context = make_context(logger, make_plan(logger, mark=mark))
    listener = Listener()
    assert context.set_debug_listener(listener=listener)
    assert context.set_tensor_debug_state(name="middle", flag=True)
    run(context)
    assert listener.seen == [("middle", trt.float32, (2, 4), [0.0] * 8)]
    assert context.set_all_tensors_debug_state(flag=False)
    run(context)
    assert len(listener.seen) == 1
