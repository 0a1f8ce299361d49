# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions during the destruction of plugins reach the logger and the error recorder."""

import gc

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab

pytestmark = [
    pytest.mark.xdist_group("registry"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Recorder(trt.IErrorRecorder):
    """Keeps the texts."""

    def __init__(self):
        trt.IErrorRecorder.__init__(self)
        self.texts = []

    def report_error(self, value, text):
        self.texts.append(text)
        return True

    def num_errors(self):
        return len(self.texts)

    def get_error_code(self, index):
        return trt.ErrorCodeTRT.INTERNAL_ERROR

    def get_error_desc(self, index):
        return self.texts[index]

    def has_overflowed(self):
        return False

    def clear(self):
        self.texts.clear()


class Armed:
    """Whether objects of a plugin raise when they are destroyed: not while the engine is built."""

    on = False


def run_once(logger, plugin, recorder):
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (4,))
    definition.output(definition.plugin(plugin, [x], name="dying")[0], "y")
    plan = definition.build()
    assert plan is not None, logger.errors()
    engine = Engine(logger, plan, plugin)
    engine.engine.error_recorder = recorder
    context = engine.engine.create_execution_context()
    context.error_recorder = recorder
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    assert context.execute_async_v3(0), logger.errors()
    return engine, context


def check(logger, recorder, phase, words):
    place = f"[plugin] layer 'dying', plugin Lab (version 1), {phase}: raised an error"
    for text in (logger.errors(), "\n".join(recorder.texts)):
        assert place in text
        assert words in text
        assert "Traceback (most recent call last)" in text


def test_destroy(logger):
    armed, recorder = Armed(), Recorder()

    def destroy(plugin):
        if armed.on:
            raise RuntimeError("no way out")

    engine, context = run_once(logger, Lab(destroy=destroy), recorder)
    assert logger.errors() == ""
    armed.on = True
    del context
    gc.collect()
    check(logger, recorder, "destroy", "RuntimeError: no way out")
    recorder.texts.clear()
    del engine
    gc.collect()
    check(logger, recorder, "destroy", "RuntimeError: no way out")


def test_finalizer(logger):
    armed, recorder = Armed(), Recorder()

    class Finalized:
        def __del__(self):
            if armed.on:
                raise ValueError("the last word")

    class Dying(Lab):
        def clone(self):
            return Dying()

        def attach_to_context(self, resource_context):
            attached = Dying()
            attached.finalized = Finalized()
            return attached

    _engine, context = run_once(logger, Dying(), recorder)
    armed.on = True
    del context
    gc.collect()
    check(logger, recorder, "destroy", "ValueError: the last word")


def test_in_a_build(logger):
    def destroy(plugin):
        raise RuntimeError("no way out")

    definition = Definition(logger)
    recorder = Recorder()
    definition.builder.error_recorder = recorder
    x = definition.input("x", trt.float32, (4,))
    definition.output(definition.plugin(Lab(destroy=destroy), [x], name="dying")[0], "y")
    assert definition.build() is not None
    check(logger, recorder, "destroy", "RuntimeError: no way out")


class V2(trt.IPluginV2DynamicExt):
    """A plugin of the older style; `armed` callbacks raise."""

    def __init__(self, armed):
        trt.IPluginV2DynamicExt.__init__(self)
        self.plugin_type, self.plugin_version, self.plugin_namespace = "Lab2", "1", ""
        self.num_outputs, self.armed = 1, armed

    def clone(self):
        return V2(self.armed)

    def get_output_datatype(self, index, input_types):
        return input_types[0]

    def get_output_dimensions(self, output_index, inputs, expr_builder):
        return inputs[0]

    def supports_format_combination(self, pos, in_out, num_inputs):
        return in_out[pos].format == trt.TensorFormat.LINEAR

    def configure_plugin(self, inputs, outputs):
        pass

    def serialize(self):
        return b""

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        pass

    def raise_if(self, phase):
        if phase in self.armed:
            raise RuntimeError(f"{phase} failed")

    def terminate(self):
        self.raise_if("terminate")

    def detach_from_context(self):
        self.raise_if("detach_from_context")

    def destroy(self):
        self.raise_if("destroy")


class V2Creator(trt.IPluginCreator):
    def __init__(self, armed):
        trt.IPluginCreator.__init__(self)
        self.name, self.plugin_version, self.plugin_namespace = "Lab2", "1", ""
        self.field_names, self.armed = trt.PluginFieldCollection(), armed

    def create_plugin(self, name, fields):
        return V2(self.armed)

    def deserialize_plugin(self, name, data):
        return V2(self.armed)


@pytest.mark.parametrize("callback", ["terminate", "destroy", "detach_from_context"])
def test_v2(logger, callback):
    armed, recorder = set(), Recorder()
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (4,))
    layer = definition.network.add_plugin_v2([x], V2(armed))
    layer.name = "dying"
    definition.output(layer.get_output(0), "y")
    plan = definition.build()
    assert plan is not None, logger.errors()
    registry, creator = trt.get_plugin_registry(), V2Creator(armed)
    assert registry.register_creator(creator, "")
    try:
        engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    finally:
        registry.deregister_creator(creator)
    assert engine is not None, logger.errors()
    engine.error_recorder = recorder
    context = engine.create_execution_context()
    armed.add(callback)
    del context, engine
    gc.collect()
    place = f"[plugin] layer 'dying', plugin Lab2 (version 1), {callback}: raised an error"
    for text in (logger.errors(), "\n".join(recorder.texts)):
        assert place in text
        assert f"RuntimeError: {callback} failed" in text


def test_resource():
    class Resource(trt.IPluginResource):
        def clone(self):
            return Resource()

        def release(self):
            pass

        def __del__(self):
            if armed.on:
                raise ValueError("the last word")

    armed = Armed()
    recorder, registry = Recorder(), trt.get_plugin_registry()
    registry.error_recorder = recorder
    assert registry.acquire_plugin_resource("late", Resource()) is not None
    gc.collect()
    armed.on = True
    assert registry.release_plugin_resource("late") == 0
    armed.on = False
    registry.error_recorder = None
    text = "\n".join(recorder.texts)
    assert "[registry] plugin resource 'late', destruction: raised an error" in text
    assert "ValueError: the last word" in text
