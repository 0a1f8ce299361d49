# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of plugin callbacks are reused between calls, and are always right."""

import sys

import numpy as np
import pytest
import tensorrt as trt
from scaling import CREATORS, PLUGINS, Engine, Registered, build

pytestmark = pytest.mark.xdist_group("registry")
STYLES = pytest.mark.parametrize("style", ["v2", "v3"])


def x_of(rows, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, 4)).astype(np.float32)


def engine_with(logger, style, enqueue):
    """An engine whose plugin calls the given enqueue when it runs."""
    plan = build(logger, PLUGINS[style]())
    assert plan is not None, logger.errors()
    with Registered(CREATORS[style](enqueue=enqueue)):
        engine = Engine(logger, plan)
    assert engine.context is not None, logger.errors()
    return engine


class Recorder:
    """An enqueue that records its arguments before it calls the real one."""

    def __init__(self, style, also=None):
        self.real = PLUGINS[style].enqueue
        self.also = also
        self.calls = []

    def function(self):
        def enqueue(plugin, *arguments):
            descs, _, inputs, outputs, workspace, stream = arguments
            ids = [id(argument) for argument in (*arguments[:4], descs[0])]
            self.calls.append(
                (tuple(descs[0].dims), list(inputs), list(outputs), workspace, stream, ids)
            )
            self.real(plugin, *arguments)
            if self.also:
                self.also(plugin, *arguments)

        return enqueue


@STYLES
def test_result(logger, style):
    plan = build(logger, PLUGINS[style](3.0))
    with Registered(CREATORS[style]()):
        engine = Engine(logger, plan)
        for rows in (1, 8, 2):
            x = x_of(rows, rows)
            np.testing.assert_array_equal(engine.run(x), 3 * x)


@STYLES
def test_unchanged_calls_get_the_same_objects(logger, style):
    recorder = Recorder(style)
    engine = engine_with(logger, style, recorder.function())
    x, y = x_of(2), np.empty((2, 4), np.float32)
    for _ in range(5):
        assert engine.run_into(x, y)
    assert len({tuple(call[-1]) for call in recorder.calls}) == 1


@STYLES
def test_addresses_shapes_and_streams_change(logger, style):
    recorder = Recorder(style)
    engine = engine_with(logger, style, recorder.function())
    arrays = [x_of(rows, i) for i, rows in enumerate((2, 2, 3, 1, 8, 2))]
    for stream, x in enumerate(arrays):
        y = np.empty_like(x)
        assert engine.run_into(x, y, stream)
        np.testing.assert_array_equal(y, 2 * x)
        shape, inputs, outputs, _, seen, _ = recorder.calls[-1]
        assert (shape, inputs, outputs) == (x.shape, [x.ctypes.data], [y.ctypes.data])
        assert seen == stream


@STYLES
def test_kept_arguments_are_not_changed_later(logger, style):
    kept = []
    recorder = Recorder(style, also=lambda plugin, *arguments: kept.append(arguments))
    engine = engine_with(logger, style, recorder.function())
    arrays = [x_of(rows, i) for i, rows in enumerate((2, 2, 3, 1))]
    for x in arrays:
        np.testing.assert_array_equal(engine.run(x), 2 * x)
    for x, (input_desc, output_desc, inputs, _, _, _) in zip(arrays, kept, strict=True):
        assert tuple(input_desc[0].dims) == x.shape
        assert tuple(output_desc[0].dims) == x.shape
        assert inputs == [x.ctypes.data]
    assert len({id(arguments[0]) for arguments in kept}) == len(kept)


@STYLES
def test_a_kept_part_of_a_descriptor_is_not_changed_later(logger, style):
    kept = []
    recorder = Recorder(style, also=lambda plugin, descs, *_: kept.append(descs[0].dims))
    engine = engine_with(logger, style, recorder.function())
    for rows in (2, 3, 1):
        assert engine.run(x_of(rows)) is not None
    assert [tuple(dims) for dims in kept] == [(2, 4), (3, 4), (1, 4)]


def alter_list(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    input_desc.clear()
    output_desc.append(None)
    inputs[0] = 0
    outputs.extend([1, 2, 3])


def alter_desc(plugin, input_desc, output_desc, *_):
    input_desc[0].dims = (99,)
    input_desc[0].type = trt.int8
    output_desc[0].dims[0] = 77


def swap_desc(plugin, input_desc, *_):
    input_desc[0] = trt.PluginTensorDesc()


@STYLES
@pytest.mark.parametrize("also", [alter_list, alter_desc, swap_desc])
def test_altered_arguments_come_back_right(logger, style, also):
    recorder = Recorder(style, also=also)
    engine = engine_with(logger, style, recorder.function())
    x = x_of(2)
    for _ in range(3):
        np.testing.assert_array_equal(engine.run(x), 2 * x)
        assert recorder.calls[-1][0] == (2, 4)
        assert recorder.calls[-1][1] == [x.ctypes.data]
        assert len(recorder.calls[-1][2]) == 1


def set_item(dims):
    dims[0] = 99


def set_slice(dims):
    dims[:] = (98, 99)


ALTERATIONS = {
    "dims": lambda desc: setattr(desc, "dims", (99,)),
    "extent": lambda desc: set_item(desc.dims),
    "extents": lambda desc: set_slice(desc.dims),
    "type": lambda desc: setattr(desc, "type", trt.int8),
    "format": lambda desc: setattr(desc, "format", trt.TensorFormat.CHW4),
    "scale": lambda desc: setattr(desc, "scale", 0.5),
}


@STYLES
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("alter", ALTERATIONS.values(), ids=ALTERATIONS)
def test_no_alteration_of_a_descriptor_is_overlooked(logger, style, which, alter):
    seen = []

    def also(plugin, *arguments):
        desc = arguments[which][0]
        seen.append((tuple(desc.dims), desc.type, desc.format, desc.scale))
        alter(desc)
        assert (tuple(desc.dims), desc.type, desc.format, desc.scale) != seen[0]

    engine = engine_with(logger, style, Recorder(style, also=also).function())
    x, y = x_of(2), np.empty((2, 4), np.float32)
    for _ in range(3):
        assert engine.run_into(x, y), logger.errors()
    assert seen == [((2, 4), trt.float32, trt.TensorFormat.LINEAR, 1.0)] * 3


@STYLES
def test_altered_between_runs(logger, style):
    """A descriptor that user code keeps belongs to that code; the next run gets another one."""
    kept, seen = [], []

    def also(plugin, descs, *_):
        seen.append(tuple(descs[0].dims))
        kept.append(descs[0])

    engine = engine_with(logger, style, Recorder(style, also=also).function())
    x, y = x_of(2), np.empty((2, 4), np.float32)
    for _ in range(3):
        assert engine.run_into(x, y)
        kept[-1].dims[1] = 77
    assert seen == [(2, 4)] * 3
    assert [tuple(desc.dims) for desc in kept] == [(2, 77)] * 3


@STYLES
def test_reference_counts_do_not_grow(logger, style):
    seen = []

    def also(plugin, *arguments):
        seen.append([sys.getrefcount(argument) for argument in arguments[:4]])

    engine = engine_with(logger, style, Recorder(style, also=also).function())
    for _ in range(50):
        assert engine.run(x_of(2)) is not None
    assert seen[1] == seen[-1]


@STYLES
def test_method_of_the_class_is_looked_up_once(logger, style):
    """A later change of the class does not affect a plugin that already runs."""
    plan = build(logger, PLUGINS[style]())
    with Registered(CREATORS[style]()):
        engine = Engine(logger, plan)
        x = x_of(1)
        assert engine.run(x) is not None
        cls = PLUGINS[style]
        original = cls.enqueue
        try:
            cls.enqueue = lambda *_: 1 / 0
            np.testing.assert_array_equal(engine.run(x), 2 * x)
        finally:
            cls.enqueue = original


@STYLES
def test_numbers_as_results(logger, style):
    """0 and None mean success, other numbers are error codes."""
    codes = iter([None, 0, 5])

    def enqueue(plugin, *_):
        return next(codes)

    engine = engine_with(logger, style, enqueue)
    x = x_of(1)
    assert engine.run(x) is not None
    assert engine.run(x) is not None
    assert engine.run(x) is None
    assert "returned 5" in logger.errors()
