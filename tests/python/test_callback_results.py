# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of plugin callbacks: every kind with a meaning works, the others are named."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorrt as trt
from scaling import CREATORS, PLUGINS, Engine, Registered, build

pytestmark = pytest.mark.xdist_group("registry")


TYPES = {
    "list": lambda p, types: [types[0]],
    "tuple": lambda p, types: (types[0],),
    "generator": lambda p, types: (item for item in types[:1]),
    "object array": lambda p, types: np.array(types[:1], object),
}
SHAPES = {
    "list of DimsExprs": lambda p, inputs, *_: [trt.DimsExprs(inputs[0])],
    "tuple of DimsExprs": lambda p, inputs, *_: (trt.DimsExprs(inputs[0]),),
    "generator": lambda p, inputs, *_: (shape for shape in inputs[:1]),
    "the inputs": lambda p, inputs, *_: inputs,
    "list of expressions": lambda p, inputs, *_: [list(inputs[0])],
    "expressions and int": lambda p, inputs, *_: [(inputs[0][0], 4)],
    "expressions and NumPy integer": lambda p, inputs, *_: [(inputs[0][0], np.int64(4))],
    "DimsExprs with int": lambda p, inputs, *_: [trt.DimsExprs([inputs[0][0], 4])],
    "assigned int": lambda p, inputs, *_: [assigned(inputs[0])],
    "operands that are int": lambda p, inputs, _, exprs: [
        (
            exprs.operation(
                trt.DimensionOperation.FLOOR_DIV,
                exprs.operation(trt.DimensionOperation.PROD, inputs[0][0], 3),
                np.int64(3),
            ),
            4,
        )
    ],
}
TRUTHS = {
    "bool": bool,
    "int": int,
    "NumPy bool": np.bool_,
    "NumPy array of one": lambda value: np.array([value]),
    "None for False": lambda value: True if value else None,
}
SIZES = {"int": 64, "NumPy integer": np.int64(64), "bool": True, "enum member": trt.int8}
CODES = {
    "None": None,
    "0": 0,
    "NumPy 0": np.int32(0),
    "True": True,
    "text": "done",
    "list": [1],
    "array": np.ones(3),
    "array of an int": np.array([1]),
    "tuple": (None,),
}


def assigned(shape):
    result = trt.DimsExprs(2)
    result[0], result[1] = shape[0], 4
    return result


def good(table, style, callback):
    return [pytest.param(style, callback, value, id=f"{style}-{callback}-{label}")
            for label, value in table.items()]  # fmt: skip


def linear_float(style):
    def supports(position, in_out, wrap):
        desc = in_out[position].desc if style == "v3" else in_out[position]
        return wrap(desc.format == trt.TensorFormat.LINEAR and desc.type == trt.float32)

    return supports


RESULTS = [
    *good(TYPES, "v3", "get_output_data_types"),
    *good(SHAPES, "v3", "get_output_shapes"),
    *good(
        {
            label: lambda p, index, inputs, exprs, f=function: f(p, inputs, [], exprs)[0]
            for label, function in SHAPES.items()
            if label != "generator"
        },
        "v2",
        "get_output_dimensions",
    ),
    *[
        case
        for style in ("v2", "v3")
        for case in good(
            {
                label: lambda p, at, in_out, _, w=wrap, s=style: linear_float(s)(at, in_out, w)
                for label, wrap in TRUTHS.items()
            },
            style,
            "supports_format_combination",
        )
    ],
    *[
        case
        for style in ("v2", "v3")
        for case in good(
            {label: lambda *_, v=value: v for label, value in SIZES.items()},
            style,
            "get_workspace_size",
        )
    ],
    *[
        case
        for style, callback in (("v2", "configure_plugin"), ("v3", "configure_plugin"))
        for case in good(
            {label: lambda *_, v=value: v for label, value in CODES.items()}, style, callback
        )
    ],
    *good(
        {
            "list": lambda p: [3, 1],
            "NumPy array": lambda p: np.array([3, 1]),
            "range": lambda p: range(1, 3),
            "empty": lambda p: (),
        },
        "v3",
        "get_valid_tactics",
    ),
    *good(
        {
            "list": lambda p: [trt.PluginField("factor", [2.0], trt.PluginFieldType.FLOAT32)],
            "tuple": lambda p: (trt.PluginField("factor", [2.0], trt.PluginFieldType.FLOAT32),),
            "PluginFieldCollection_": lambda p: trt.PluginFieldCollection_(
                trt.PluginFieldCollection(
                    [trt.PluginField("factor", [2.0], trt.PluginFieldType.FLOAT32)]
                )
            ),
        },
        "v3",
        "get_fields_to_serialize",
    ),
]


def run(logger, style, plan, **replaced):
    with Registered(CREATORS[style](**replaced)):
        engine = Engine(logger, plan)
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    return x, engine.run(x) if engine.context is not None else None


@pytest.mark.parametrize(("style", "callback", "function"), RESULTS)
def test_results_that_work(logger, style, callback, function):
    plan = build(logger, PLUGINS[style](**{callback: function}))
    assert plan is not None, logger.errors()
    x, y = run(logger, style, plan, **{callback: function})
    np.testing.assert_array_equal(y, 2 * x)


STATES = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "strided memoryview": lambda state: memoryview(np.repeat(bytearray(state), 2).tobytes())[::2],
    "numpy.ndarray": lambda state: np.frombuffer(state, np.uint8),
    "float numpy.ndarray": lambda state: np.frombuffer(state, np.float32),
}  # fmt: skip


@pytest.mark.parametrize("size", ["default", "own"])
@pytest.mark.parametrize("kind", list(STATES))
def test_state_of_v2(logger, kind, size):
    state = np.float32(2).tobytes()
    replaced = {"serialize": lambda plugin: STATES[kind](state)}
    if size == "own":
        replaced["get_serialization_size"] = lambda plugin: np.int64(len(state))
    plugin = PLUGINS["v2"](**replaced)
    assert plugin.serialization_size == 4
    plan = build(logger, plugin)
    assert plan is not None, logger.errors()
    x, y = run(logger, "v2", plan)
    np.testing.assert_array_equal(y, 2 * x)


@pytest.mark.parametrize("text", ["", '{"factor": 2}', "Ma\u00dfstab"])
def test_state_of_v2_as_text(logger, text):
    """A str, as json.dumps() returns it, is restored as bytes in UTF-8."""
    plugin = PLUGINS["v2"](serialize=lambda plugin: text)
    assert plugin.serialization_size == len(text.encode())
    assert plugin.get_serialization_size() == len(text.encode())
    plan = build(logger, plugin)
    assert plan is not None, logger.errors()
    seen = []

    class Creator(CREATORS["v2"]):
        def deserialize_plugin(self, name, serialized_plugin):
            seen.append(serialized_plugin)
            return PLUGINS["v2"]()

    with Registered(Creator()):
        assert Engine(logger, plan).engine is not None
    assert seen == [text.encode()]


RUN_CALLBACKS = [
    ("v2", "initialize"),
    ("v2", "configure_plugin"),
    ("v2", "enqueue"),
    ("v2", "terminate"),
    ("v3", "set_tactic"),
    ("v3", "on_shape_change"),
    ("v3", "enqueue"),
]


@pytest.mark.parametrize("result", list(CODES.values()), ids=list(CODES))
@pytest.mark.parametrize(("style", "callback"), RUN_CALLBACKS)
def test_codes_that_mean_success(logger, style, callback, result):
    real = getattr(PLUGINS[style], callback)

    def replaced(plugin, *arguments):
        real(plugin, *arguments)
        return result

    x, y = run(logger, style, build(logger, PLUGINS[style]()), **{callback: replaced})
    np.testing.assert_array_equal(y, 2 * x)
    assert not logger.errors()


@pytest.mark.parametrize("code", [1, -1, np.int64(7), 2**40, trt.int8])
@pytest.mark.parametrize("style", ["v2", "v3"])
def test_codes_that_mean_failure(logger, style, code):
    _, y = run(logger, style, build(logger, PLUGINS[style]()), enqueue=lambda *_: code)
    assert y is None


WRONG = [
    ("v3", "get_output_shapes", lambda *_: [4, 5],
     "get_output_shapes: expected a list of 1 DimsExprs (num_outputs), got 2"),
    ("v3", "get_output_shapes", lambda *_: [4],
     "get_output_shapes: expected a DimsExprs for output 0, got int"),
    ("v3", "get_output_shapes", lambda p, inputs, *_: inputs[0],
     "get_output_shapes: expected a list of 1 DimsExprs (num_outputs), got tensorrt"),
    ("v3", "get_output_shapes", lambda *_: [("2", "4")],
     "[DimsExprs] expected an IDimensionExpr or an int for each extent, got str"),
    ("v3", "get_output_shapes", lambda *_: [(2.0, 4)],
     "[DimsExprs] expected an IDimensionExpr or an int for each extent, got float"),
    ("v3", "get_output_shapes", lambda *_: [range(9)],
     "[DimsExprs] expected at most 8 dimensions, got 9"),
    ("v3", "get_output_shapes", lambda *_: None,
     "get_output_shapes: expected a list of 1 DimsExprs (num_outputs), got NoneType"),
    ("v2", "get_output_dimensions", lambda *_: 4,
     "get_output_dimensions: expected a DimsExprs for output 0, got int"),
    ("v2", "get_output_dimensions", lambda *_: "24",
     "get_output_dimensions: expected a DimsExprs for output 0, got str"),
    ("v3", "get_output_data_types", lambda *_: [1],
     "get_output_data_types: expected a DataType for output 0, got int"),
    ("v3", "get_output_data_types", lambda *_: [np.dtype("float32")],
     "get_output_data_types: expected a DataType for output 0, got numpy.dtype"),
    ("v3", "get_output_data_types", lambda *_: "float",
     "get_output_data_types: expected a list of 1 DataType (num_outputs), got str"),
    ("v3", "get_workspace_size", lambda *_: None,
     "get_workspace_size: expected an int, got NoneType"),
    ("v3", "get_workspace_size", lambda *_: 64.0,
     "get_workspace_size: expected an int, got float"),
    ("v3", "get_valid_tactics", lambda *_: None,
     "get_valid_tactics: expected a list of int, got NoneType"),
    ("v3", "get_valid_tactics", lambda *_: ["1"],
     "get_valid_tactics: expected an int, got str"),
    ("v3", "get_fields_to_serialize", lambda *_: ["factor"],
     "get_fields_to_serialize: expected a PluginFieldCollection, got str in it"),
    ("v2", "serialize", lambda *_: None, "serialize: expected bytes or str, got NoneType"),
    ("v2", "serialize", lambda *_: [1, 2], "serialize: expected bytes or str, got list"),
    ("v2", "get_output_datatype", lambda *_: np.float32,
     "get_output_datatype: expected a DataType for output 0, got type"),
]  # fmt: skip


@pytest.mark.parametrize(("style", "callback", "function", "message"), WRONG)
def test_results_without_a_meaning(logger, style, callback, function, message):
    assert build(logger, PLUGINS[style](**{callback: function})) is None
    assert message.replace("got tensorrt", "got kiln._core.DimsExprs") in logger.errors()
    assert "C++ type" not in logger.errors()


@pytest.mark.parametrize("style", ["v2", "v3"])
def test_no_return_at_all_is_told(style):
    """None counts as False, so every combination is refused; the warning says why."""
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from list_logger import ListLogger
from scaling import PLUGINS, build

logger = ListLogger()
assert build(logger, PLUGINS[{style!r}](supports_format_combination=lambda *_: None)) is None
print([text for _, text in logger.messages if "counts as False" in text])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    name = f"Scale{style.upper()}"
    assert done.stdout.count("supports_format_combination of Scale") == 1, done.stderr
    assert name in done.stdout


@pytest.mark.parametrize("kind", ["bytes", "bytearray", "memoryview", "numpy.ndarray"])
def test_bytes_of_a_stream_reader(logger, kind):
    plan = bytes(build(logger, PLUGINS["v3"]()))

    class Reader(trt.IStreamReader):
        at = 0

        def read(self, size):
            start, self.at = self.at, self.at + size
            return STATES[kind](plan[start : self.at])

    with Registered(CREATORS["v3"]()):
        assert trt.Runtime(logger).deserialize_cuda_engine(Reader()) is not None, logger.errors()


ALLOCATOR = [
    ("allocate_async", lambda a: trt.IGpuAllocator.allocate_async(a, 16, 16, 0, 0),
     "allocate_async: expected an int or None, got str"),
    ("deallocate_async", lambda a: trt.IGpuAllocator.deallocate_async(a, None, 0),
     "deallocate_async: expected a bool, got str"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "message"), ALLOCATOR)
def test_results_of_an_allocator(monkeypatch, name, call, message):
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda event: seen.append(str(event.exc_value)))
    allocator = type("Allocator", (trt.IGpuAsyncAllocator,), {name: lambda *_: "text"})()
    call(allocator)
    assert [text.partition(" (python-")[0] for text in seen] == [message]
