# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of every type: given, defaulted, saved and restored."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, definition_of, op_of
from typing_extensions import TypeAliasType

pytestmark = pytest.mark.xdist_group("registry")

SCALARS = {
    int: [0, -5, 1 << 62, np.int32(7)],
    float: [0.5, 3, np.float32(1.5), float("inf")],
    bool: [True, False, np.True_],
    str: ["", "text", "\u00e9"],
    bytes: [b"", b"\x00\xff"],
}
Scalar = TypeVar("Scalar", bound=np.generic)
# NDArray as NumPy 2.5 defines it.
Aliased = TypeAliasType(
    "Aliased", np.ndarray[tuple[Any, ...], np.dtype[Scalar]], type_params=(Scalar,)
)
ELEMENTS = ["int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"]


def identity(annotation):
    """An op of one attribute; returns its id and what impl saw."""
    seen = []

    def desc(x: trtp.TensorDesc, value: annotation) -> trtp.TensorDesc:
        return x.like()

    def impl(x, value: annotation, outputs, stream):
        seen.append(value)

    return define(desc, impl), seen


def run(logger, plugin_id, *args, **kwargs):
    """Builds, saves, opens and runs an engine of the op."""
    net = Net(logger)
    net.output(net.add(op_of(plugin_id)(net.input("x", (1,)), *args, **kwargs))[0], "y")
    x = np.ones(1, np.float32)
    assert net.engine().run({"x": x}, {"y": x.copy()}), logger.errors()


@pytest.mark.parametrize("kind", list(SCALARS))
def test_scalars(logger, kind):
    plugin_id, seen = identity(kind)
    for value in SCALARS[kind]:
        run(logger, plugin_id, value)
        assert seen[-1] == value and type(seen[-1]) is kind


@pytest.mark.parametrize("name", ELEMENTS)
def test_arrays(logger, name):
    plugin_id, seen = identity(npt.NDArray[np.dtype(name).type])
    for values in ([1, 0, 1], [1], []):
        array = np.array(values, name)
        run(logger, plugin_id, value=array)
        assert seen[-1].dtype == array.dtype
        np.testing.assert_array_equal(seen[-1], array)


def test_arrays_by_a_type_alias(logger):
    plugin_id, seen = identity(Aliased[np.int32])
    run(logger, plugin_id, value=np.array([3, 4], np.int32))
    assert seen[-1].tolist() == [3, 4]


def test_several_with_defaults(logger):
    seen = []

    def desc(
        x: trtp.TensorDesc,
        first: int,
        scale: float = 2,
        pads: npt.NDArray[np.int32] = np.array([1, 2], np.int32),  # noqa: B008
        mode: str = "wrap",
    ) -> trtp.TensorDesc:
        return x.like()

    def impl(x, mode, pads, outputs, stream):
        seen.append((mode, pads.tolist()))

    plugin_id = define(desc, impl)
    definition = definition_of(plugin_id)
    run(logger, plugin_id, 3)
    run(logger, plugin_id, first=3, mode="edge")
    run(logger, plugin_id, 3, 0.5, np.array([7], np.int32))
    assert seen == [("wrap", [1, 2]), ("edge", [1, 2]), ("wrap", [7])]
    assert definition.impl_attr_names == ["mode", "pads"]
    assert definition.input_tensor_names == ["x"]
    assert list(definition.input_attrs) == ["first", "scale", "pads", "mode"]
    assert list(definition.input_arg_schema) == ["x", "first", "scale", "pads", "mode"]
    assert definition.input_attrs["first"] is int


def test_a_plan_keeps_what_impl_takes(logger):
    def desc(x: trtp.TensorDesc, kept: int, other: str) -> trtp.TensorDesc:
        return x.like()

    plugin_id = define(desc, lambda x, kept, outputs, stream: None)
    net = Net(logger)
    _, _, plugin = op_of(plugin_id)(net.input("x", (1,)), 1, "b")
    fields = plugin.get_fields_to_serialize()
    assert [(f.name, f.type, f.data.tolist()) for f in fields] == [
        ("kept", trt.PluginFieldType.INT64, [1])
    ]


def test_an_array_is_a_copy_or_contiguous(logger):
    plugin_id, seen = identity(npt.NDArray[np.float32])
    run(logger, plugin_id, np.arange(6, dtype=np.float32)[::2])
    assert seen[-1].tolist() == [0, 2, 4]


WRONG = [
    (int, 1.5, "expected int, got float"),
    (int, True, "expected int, got bool"),
    (int, "1", "expected int, got str"),
    (float, "1", "expected float, got str"),
    (bool, 1, "expected bool, got int"),
    (str, b"x", "expected str, got bytes"),
    (bytes, "x", "expected bytes, got str"),
    (npt.NDArray[np.int32], [1, 2], r"expected NDArray\[int32\], got list. Give a 1-D array"),
    (
        npt.NDArray[np.int32],
        np.ones(2),
        r"expected NDArray\[int32\], got an array of float64, shape \(2,",
    ),
    (
        npt.NDArray[np.int32],
        np.ones((2, 2), np.int32),
        r"expected NDArray.*, got an array of int32, shape \(2, 2\)",
    ),
]


@pytest.mark.parametrize(("annotation", "value", "message"), WRONG)
def test_wrong_types(logger, annotation, value, message):
    plugin_id, _ = identity(annotation)
    x = Net(logger).input("x", (1,))
    with pytest.raises(TypeError, match=f"{plugin_id}, attribute 'value': {message}"):
        op_of(plugin_id)(x, value)


def test_wrong_calls(logger):
    def desc(x: trtp.TensorDesc, block_size: int) -> trtp.TensorDesc:
        return x.like()

    plugin_id = define(desc, lambda x, outputs, stream: None)
    op, x = op_of(plugin_id), Net(logger).input("x", (1,))
    for args, kwargs, message in (
        ((x,), {}, "got none for block_size"),
        ((x, 1, 2), {}, r"expected at most 2 arguments \(x, block_size\), got 3"),
        ((x, 1), {"blocksize": 2}, "argument 'blocksize': .* Did you mean 'block_size'"),
        ((x, 1), {"x": x}, "argument 'x': .* got one given twice"),
        ((1, 1), {}, "input 'x': expected an ITensor, got int"),
    ):
        with pytest.raises(TypeError, match=f"{plugin_id}.*{message}"):
            op(*args, **kwargs)


def creator_of(plugin_id):
    namespace, name = plugin_id.split("::")
    return trt.get_plugin_registry().get_creator(name, "1", namespace)


def made(plugin_id, *fields, phase=trt.TensorRTPhase.BUILD):
    """The attributes of a plugin that the creator makes from these fields."""
    creator = creator_of(plugin_id)
    plugin = creator.create_plugin(
        name=creator.name,
        namespace="lab",
        field_collection=trt.PluginFieldCollection(list(fields)),
        phase=phase,
        quick_plugin_creation_request=trt.QuickPluginCreationRequest.UNKNOWN,
    )
    return plugin.attributes


def field(name, values, dtype, kind):
    return trt.PluginField(name, np.array(values, dtype), getattr(trt.PluginFieldType, kind))


@pytest.mark.parametrize(
    ("annotation", "source", "expected"),
    [
        (int, field("value", [3], np.int32, "INT32"), 3),
        (float, field("value", [1.5], np.float32, "FLOAT32"), 1.5),
        (float, field("value", [2], np.int64, "INT64"), 2.0),
        (bool, field("value", [1], np.int64, "INT64"), True),
        (str, field("value", list(b"abc"), np.uint8, "CHAR"), "abc"),
        (npt.NDArray[np.int32], field("value", [1, -2], np.int64, "INT64"), [1, -2]),
        (npt.NDArray[np.float32], field("value", [0.5], np.float64, "FLOAT64"), [0.5]),
        (npt.NDArray[np.bool_], field("value", [1, 0], np.int64, "INT64"), [True, False]),
    ],
)
def test_fields_of_a_model(annotation, source, expected):
    """Fields of ONNX nodes have other types than the annotations."""
    plugin_id, _ = identity(annotation)
    value = made(plugin_id, source, trt.PluginField("plugin_namespace"))["value"]
    assert (value.tolist() if isinstance(expected, list) else value) == expected


@pytest.mark.parametrize(
    ("annotation", "source"),
    [
        (int, field("value", [1.5], np.float32, "FLOAT32")),
        (int, field("value", [1, 2], np.int64, "INT64")),
        (bool, field("value", [2], np.int64, "INT64")),
        (npt.NDArray[np.int32], field("value", [1 << 40], np.int64, "INT64")),
    ],
)
def test_fields_that_do_not_fit(annotation, source):
    plugin_id, _ = identity(annotation)
    with pytest.raises(TypeError, match=r"attribute 'value': expected .*, got . values of"):
        made(plugin_id, source)


def test_missing_and_unknown_fields():
    plugin_id, _ = identity(int)
    with pytest.raises(ValueError, match=f"{plugin_id}: expected values of value, got none for"):
        made(plugin_id)
    wrong = field("valu", [1], np.int64, "INT64")
    with pytest.raises(ValueError, match=r"got 'valu'\. Did you mean 'value'"):
        made(plugin_id, wrong)


def test_field_names():
    plugin_id, _ = identity(npt.NDArray[np.float16])
    (only,) = creator_of(plugin_id).field_names
    assert (only.name, only.type) == ("value", trt.PluginFieldType.FLOAT16)
