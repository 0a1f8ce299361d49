# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugin fields: every type, from a creator to a plugin and through a plan."""

import numpy as np
import pytest
import tensorrt as trt
from scaling import CREATORS, Engine, Registered, ScaleCreatorV3, ScaleV3, build

pytestmark = pytest.mark.xdist_group("registry")
T = trt.PluginFieldType

VALUES = [
    (T.FLOAT16, np.array([1.5, -2], np.float16)),
    (T.FLOAT32, np.array([1.5, -2], np.float32)),
    (T.FLOAT64, np.array([1.5, -2], np.float64)),
    (T.INT8, np.array([1, -2], np.int8)),
    (T.INT16, np.array([1, -2], np.int16)),
    (T.INT32, np.array([1, -2], np.int32)),
    (T.INT64, np.array([1, -(2**40)], np.int64)),
    (T.CHAR, np.frombuffer(b"same", np.int8)),
    (T.BF16, np.array([0x3F80, 0xC000], np.uint16)),
    (T.FP8, np.array([0x38, 0xC0], np.uint8)),
    (T.UNKNOWN, np.array([1, 2, 3], np.int8)),
]


@pytest.mark.parametrize(("kind", "values"), VALUES)
def test_every_type_through_a_plan(logger, kind, values):
    seen = []

    class Plugin(ScaleV3):
        def clone(self):
            return Plugin()

        def get_fields_to_serialize(self):
            return trt.PluginFieldCollection([trt.PluginField("values", values, kind)])

    class Creator(ScaleCreatorV3):
        def create_plugin(self, name, field_collection, phase):
            field = field_collection[0]
            seen.append((name, len(field_collection), field.name, field.type, field.data, phase))
            return Plugin()

    plan = build(logger, Plugin())
    assert plan is not None, logger.errors()
    with Registered(Creator()):
        assert Engine(logger, plan).engine is not None, logger.errors()
    name, count, field_name, field_type, data, phase = seen[0]
    assert (name, count, field_name, field_type) == ("scale", 1, "values", kind)
    assert phase == trt.TensorRTPhase.RUNTIME
    assert data.dtype == values.dtype
    np.testing.assert_array_equal(data, values)


def test_four_bits():
    field = trt.PluginField("codes", b"\x12\x34", T.INT4)
    assert field.size == 4
    assert field.data.tobytes() == b"\x12\x34"


def test_dims():
    field = trt.PluginField("shapes", [(1, 2), (3,)], T.DIMS)
    assert field.size == 2
    assert [tuple(shape) for shape in field.data] == [(1, 2), (3,)]


def test_bytes_and_text():
    field = trt.PluginField("mode", b"wrap", T.CHAR)
    assert (field.size, field.data.tobytes()) == (4, b"wrap")
    assert trt.PluginField(b"name").name == "name"
    empty = trt.PluginField("x")
    assert (empty.data, empty.size, empty.type) == (None, 0, T.UNKNOWN)


def test_strided_arrays_are_copied():
    field = trt.PluginField("x", np.arange(6, dtype=np.int32)[::2], T.INT32)
    np.testing.assert_array_equal(field.data, [0, 2, 4])


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (
            np.zeros(2),
            T.FLOAT32,
            "'x': expected float32 data for PluginFieldType.FLOAT32, got float",
        ),
        (np.zeros(2, np.int32), T.FLOAT32, "expected float32 data"),
        (
            np.zeros(2, np.int64),
            T.INT32,
            "expected int32 data for PluginFieldType.INT32, got int64",
        ),
        (b"abc", T.INT32, "expected whole elements of 32 bits"),
    ],
)
def test_data_of_another_type(data, kind, message):
    with pytest.raises(ValueError, match=message):
        trt.PluginField("x", data, kind)


def test_data_that_is_no_buffer():
    with pytest.raises(TypeError, match="'x': expected an array or bytes, got list"):
        trt.PluginField("x", [1, 2], T.INT32)


def test_collection_is_a_list():
    fields = trt.PluginFieldCollection()
    assert not fields
    fields.append(trt.PluginField("a"))
    fields.extend([trt.PluginField("b"), trt.PluginField("c")])
    fields.insert(0, trt.PluginField("first"))
    assert [field.name for field in fields] == ["first", "a", "b", "c"]
    assert [field.name for field in fields[1:3]] == ["a", "b"]
    assert fields.pop().name == "c"
    fields[0].name = "renamed"
    assert fields[0].name == "renamed"
    del fields[0]
    assert len(fields) == 2


@pytest.mark.parametrize("style", ["v2", "v3"])
def test_field_names_of_a_creator(style):
    creator = CREATORS[style]()
    assert isinstance(creator.field_names, trt.PluginFieldCollection_)
    assert [field.name for field in creator.field_names] == ["factor"]
    assert creator.field_names[-1].type == T.FLOAT32
    with pytest.raises(IndexError):
        creator.field_names[1]
