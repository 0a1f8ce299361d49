# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors in a callback are logged with the traceback and the callback's name."""

import gc

import numpy as np
import pytest
import tensorrt as trt
from scaling import CREATORS, PLUGINS, Engine, Registered, build

pytestmark = pytest.mark.xdist_group("registry")
STYLES = pytest.mark.parametrize("style", ["v2", "v3"])


class Oops(Exception):
    pass


def fail(plugin, *_):
    raise Oops("the pads do not fit")


BUILD_CALLBACKS = [
    *[("v2", name) for name in (
        "clone", "configure_plugin", "get_output_datatype", "get_output_dimensions", "serialize",
        "supports_format_combination", "get_serialization_size", "get_workspace_size",
    )],
    *[("v3", name) for name in (
        "clone", "configure_plugin", "get_capability_interface", "get_fields_to_serialize",
        "get_output_data_types", "get_output_shapes", "supports_format_combination",
        "get_valid_tactics", "get_workspace_size",
    )],
]  # fmt: skip
RUN_CALLBACKS = [
    *[("v2", name) for name in ("clone", "initialize", "configure_plugin", "enqueue")],
    *[("v3", name) for name in ("attach_to_context", "set_tactic", "on_shape_change", "enqueue")],
]


@pytest.mark.parametrize(("style", "callback"), BUILD_CALLBACKS)
def test_exception_while_building(logger, style, callback):
    assert build(logger, PLUGINS[style](**{callback: fail})) is None
    text = logger.errors()
    assert "Oops: the pads do not fit" in text
    assert "Traceback (most recent call last)" in text
    assert 'raise Oops("the pads do not fit")' in text
    # The plugin's name comes from the interface that this callback returns.
    assert "plugin Scale (version" in text or callback == "get_capability_interface"


@pytest.mark.parametrize(("style", "callback"), BUILD_CALLBACKS)
def test_exception_while_building_is_raised_on_request(logger, raising, style, callback):
    with pytest.raises(Oops, match="the pads do not fit"):
        build(logger, PLUGINS[style](**{callback: fail}))


def run(logger, style, callback, function):
    """Builds with a good plugin, runs with a bad one."""
    plan = build(logger, PLUGINS[style]())
    assert plan is not None, logger.errors()
    with Registered(CREATORS[style](**{callback: function})):
        engine = Engine(logger, plan)
    if engine.context is None:
        return None
    return engine.run(np.ones((2, 4), np.float32))


@pytest.mark.parametrize(("style", "callback"), RUN_CALLBACKS)
def test_exception_while_running(logger, style, callback):
    assert run(logger, style, callback, fail) is None
    text = logger.errors()
    assert "Oops: the pads do not fit" in text
    assert "Traceback (most recent call last)" in text
    assert "scale" in text
    assert "Scale" in text


@pytest.mark.parametrize(("style", "callback"), RUN_CALLBACKS)
def test_exception_while_running_is_raised_on_request(logger, raising, style, callback):
    with pytest.raises(Oops, match="the pads do not fit"):
        run(logger, style, callback, fail)


@STYLES
def test_an_engine_runs_again_after_an_exception(logger, style):
    failing = [True]
    real = PLUGINS[style].enqueue

    def enqueue(plugin, *arguments):
        if failing[0]:
            fail(plugin)
        real(plugin, *arguments)

    plan = build(logger, PLUGINS[style]())
    with Registered(CREATORS[style](enqueue=enqueue)):
        engine = Engine(logger, plan)
    x = np.ones((2, 4), np.float32)
    assert engine.run(x) is None
    failing[0] = False
    np.testing.assert_array_equal(engine.run(x), 2 * x)


@pytest.mark.parametrize(
    ("style", "callback"), [("v2", "destroy"), ("v2", "terminate"), ("v3", "destroy")]
)
def test_exception_at_the_end(logger, monkeypatch, style, callback):
    """No call is left to fail, so Python's own hook gets the exception."""
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda event: seen.append(repr(event.exc_value)))
    run(logger, style, callback, fail)
    gc.collect()
    assert "Oops('the pads do not fit')" in seen


@STYLES
def test_keyboard_interrupt_reaches_the_caller(logger, style):
    def interrupt(plugin, *_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(logger, style, "enqueue", interrupt)


class FailingCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Scale", "3", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(self, name, field_collection, phase):
        raise Oops(f"no plugin at {phase}")


def test_exception_in_a_creator(logger):
    plan = build(logger, PLUGINS["v3"]())
    with Registered(FailingCreator()):
        assert Engine(logger, plan).engine is None
    assert "Oops: no plugin at TensorRTPhase.RUNTIME" in logger.errors()


WRONG_RESULTS = [
    ("v3", "get_output_data_types", lambda *_: [trt.float32] * 2,
     "get_output_data_types: expected a list of 1 DataType (num_outputs), got 2"),
    ("v3", "get_output_data_types", lambda *_: trt.float32,
     "get_output_data_types: expected a list of 1 DataType (num_outputs), got DataType"),
    ("v3", "get_output_data_types", lambda *_: [np.float32],
     "get_output_data_types: expected a DataType for output 0, got type"),
    ("v3", "get_output_shapes", lambda *_: [],
     "get_output_shapes: expected a list of 1 DimsExprs (num_outputs), got 0"),
    ("v3", "get_output_shapes", lambda *_: [trt.DimsExprs(2)],
     "expected an expression, got an extent that was never set"),
    ("v3", "get_workspace_size", lambda *_: -4,
     "get_workspace_size: expected 0 or more, got -4"),
    ("v3", "get_workspace_size", lambda *_: "a lot",
     "get_workspace_size: expected an int, got str"),
    ("v3", "clone", lambda *_: None, "clone: expected an IPluginV3, got NoneType"),
    ("v3", "get_fields_to_serialize", lambda *_: None,
     "get_fields_to_serialize: expected a PluginFieldCollection, got NoneType"),
    ("v3", "get_capability_interface", lambda *_: object(),
     "get_capability_interface(CORE): expected an IPluginV3OneCore or an IPluginV3QuickCore, got "
     "object"),
    ("v2", "get_output_datatype", lambda *_: "float",
     "get_output_datatype: expected a DataType for output 0, got str"),
    ("v2", "get_output_dimensions", lambda *_: None,
     "get_output_dimensions: expected a DimsExprs for output 0, got NoneType"),
    ("v2", "get_serialization_size", lambda *_: 3,
     "serialize: expected 3 bytes (get_serialization_size), got 4"),
    ("v2", "clone", lambda *_: 5, "clone: expected an IPluginV2DynamicExt, got int"),
]  # fmt: skip


@pytest.mark.parametrize(("style", "callback", "function", "message"), WRONG_RESULTS)
def test_wrong_result_while_building(logger, style, callback, function, message):
    assert build(logger, PLUGINS[style](**{callback: function})) is None
    assert message in logger.errors()


@pytest.mark.parametrize(
    ("style", "callback"), [("v3", "get_output_shapes"), ("v2", "get_output_dimensions")]
)
def test_expressions_end_with_their_callback(logger, style, callback):
    kept = []
    real = getattr(PLUGINS[style], callback)

    def keep(plugin, *arguments):
        kept.extend(arguments)
        return real(plugin, *arguments)

    assert build(logger, PLUGINS[style](**{callback: keep})) is not None
    builder = kept[-1]
    with pytest.raises(RuntimeError, match="inside the callback"):
        builder.constant(1)
    shape = next(item for item in kept if isinstance(item, list))[0]
    with pytest.raises(RuntimeError, match="inside the callback"):
        shape[0].is_constant()
