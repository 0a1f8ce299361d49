# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiler, inspector, progress monitor and debug listener on engines of plugins."""

import json

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array

pytestmark = pytest.mark.xdist_group("registry")


def double(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    array(outputs[0], output_desc[0])[...] = 2 * array(inputs[0], input_desc[0])


def definition_of(logger, plugin):
    """x -> first -> middle -> second -> y; both layers use the plugin."""
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (4,))
    (middle,) = definition.plugin(plugin, [x], name="first")
    middle.name = "middle"
    definition.output(definition.plugin(plugin, [middle], name="second")[0], "y")
    return definition, middle


def run(engine, expected=4.0):
    y = np.zeros(4, np.float32)
    assert engine.run({"x": np.ones(4, np.float32)}, {"y": y})
    np.testing.assert_array_equal(y, expected)


class Profiler(trt.IProfiler):
    def __init__(self):
        super().__init__()
        self.times = []

    def report_layer_time(self, layer_name, ms):
        self.times.append((layer_name, ms))


class TestProfiler:
    @pytest.fixture
    def engine(self, logger):
        plugin = Lab(enqueue=double)
        return Engine(logger, definition_of(logger, plugin)[0].build(), plugin)

    def test_each_run(self, engine):
        profiler = Profiler()
        engine.context.profiler = profiler
        assert engine.context.profiler is profiler
        for runs in (1, 2):
            run(engine)
            assert [name for name, _ in profiler.times] == ["first", "second"] * runs
        assert all(0 < ms < 1000 for _, ms in profiler.times)

    def test_on_request(self, engine):
        profiler = Profiler()
        engine.context.profiler = profiler
        engine.context.enqueue_emits_profile = False
        run(engine)
        run(engine)
        assert profiler.times == []
        assert engine.context.report_to_profiler()
        assert [name for name, _ in profiler.times] == ["first", "second"]

    def test_nothing_to_report(self, engine, logger):
        assert not engine.context.report_to_profiler()
        assert "expected a profiler and a run that it watched" in logger.errors()


def test_inspector(logger):
    def get_valid_tactics(plugin):
        return [11]

    plugin = Lab(
        enqueue=double, get_valid_tactics=get_valid_tactics, metadata_string="how it works"
    )
    definition, _ = definition_of(logger, plugin)
    definition.config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    engine = Engine(logger, definition.build(), plugin)
    inspector = engine.engine.create_engine_inspector()
    information = json.loads(inspector.get_engine_information(trt.LayerInformationFormat.JSON))
    layers = information["Layers"]
    assert [layer["Name"] for layer in layers] == ["first", "second"]
    assert "how it works" in json.dumps(layers[0])
    one = json.loads(inspector.get_layer_information(1, trt.LayerInformationFormat.JSON))
    assert one == layers[1]
    text = inspector.get_engine_information(trt.LayerInformationFormat.ONELINE)
    assert "first" in text and "second" in text
    assert inspector.get_layer_information(7, trt.LayerInformationFormat.JSON) in ("", None)
    assert "[inspector] layer: expected a number from 0 to 1, got 7" in logger.errors()


class Monitor(trt.IProgressMonitor):
    def __init__(self, stop_at=None):
        super().__init__()
        self.events, self.stop_at = [], stop_at

    def phase_start(self, phase_name, parent_phase, num_steps):
        self.events.append(("start", phase_name, num_steps))

    def step_complete(self, phase_name, step):
        self.events.append(("step", phase_name, step))
        return len(self.events) != self.stop_at

    def phase_finish(self, phase_name):
        self.events.append(("finish", phase_name))


class TestProgressMonitor:
    def build(self, logger, monitor):
        definition, _ = definition_of(logger, Lab(enqueue=double))
        definition.config.progress_monitor = monitor
        assert definition.config.progress_monitor is monitor
        return definition.build()

    def test_phases_and_steps(self, logger):
        monitor = Monitor()
        assert self.build(logger, monitor) is not None
        started = {event[1]: event[2] for event in monitor.events if event[0] == "start"}
        finished = [event[1] for event in monitor.events if event[0] == "finish"]
        assert started
        assert sorted(started) == sorted(finished)
        for name, count in started.items():
            steps = [event[2] for event in monitor.events if event[:2] == ("step", name)]
            assert steps == list(range(count))

    def test_stopped(self, logger):
        monitor = Monitor(stop_at=2)
        assert self.build(logger, monitor) is None
        assert "progress monitor" in logger.errors()


class Listener(trt.IDebugListener):
    def __init__(self):
        super().__init__()
        self.seen = []

    def process_debug_tensor(self, addr, location, type, shape, name, stream):
        desc = trt.PluginTensorDesc()
        desc.dims, desc.type, desc.format = shape, type, trt.TensorFormat.LINEAR
        self.seen.append((name, type, tuple(shape), array(addr, desc).tolist()))
        return True


class TestDebugTensors:
    @pytest.fixture
    def engine(self, logger):
        plugin = Lab(enqueue=double)
        definition, middle = definition_of(logger, plugin)
        assert definition.network.mark_debug(middle)
        assert definition.network.is_debug_tensor(middle)
        plan = definition.build()
        assert plan is not None, logger.errors()
        return Engine(logger, plan, plugin)

    def test_marked_and_on(self, engine):
        listener = Listener()
        assert engine.engine.is_debug_tensor("middle")
        assert engine.context.set_debug_listener(listener)
        assert engine.context.get_debug_listener() is listener
        run(engine)
        assert listener.seen == []  # off by default
        assert engine.context.set_tensor_debug_state("middle", True)
        assert engine.context.get_debug_state("middle")
        run(engine)
        assert listener.seen == [("middle", trt.float32, (4,), [2.0] * 4)]
        assert engine.context.set_all_tensors_debug_state(False)
        run(engine)
        assert len(listener.seen) == 1

    def test_not_marked(self, engine, logger):
        assert not engine.context.set_tensor_debug_state("y", True)
        assert "debug tensor 'y': expected a tensor that was marked" in logger.errors()


def test_two_threads_in_one_context(logger):
    """The second run is refused; here it starts inside of the first."""
    inner = []

    def enqueue(plugin, *arguments):
        if not inner:
            inner.append(None)
            inner[0] = engine.context.execute_async_v3(0)
        double(plugin, *arguments)

    plan = definition_of(logger, Lab(enqueue=double))[0].build()
    engine = Engine(logger, plan, Lab(enqueue=enqueue))
    run(engine)
    assert inner == [False]
    assert "the execution context is running already" in logger.errors()
    run(engine)
