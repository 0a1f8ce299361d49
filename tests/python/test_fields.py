# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugin fields: every type, from a creator to a plugin and through a plan."""

import subprocess
import sys

import numpy as np
import pytest
import tensorrt as trt
from scaling import CREATORS, Engine, Registered, ScaleCreatorV3, ScaleV3, build

pytestmark = pytest.mark.xdist_group("registry")
T = trt.PluginFieldType

# The elements of each type; a round trip takes 0, 1 and all of them.
VALUES = {
    T.FLOAT16: np.array([1.5, -2, 3], np.float16),
    T.FLOAT32: np.array([1.5, -2, 3], np.float32),
    T.FLOAT64: np.array([1.5, -2, 3], np.float64),
    T.INT8: np.array([1, -2, 3], np.int8),
    T.INT16: np.array([1, -2, 3], np.int16),
    T.INT32: np.array([1, -2, 3], np.int32),
    T.INT64: np.array([1, -(2**40), 3], np.int64),
    T.CHAR: np.frombuffer(b"same", np.int8),
    T.BF16: np.array([0x3F80, 0xC000, 0], np.uint16),
    T.FP8: np.array([0x38, 0xC0, 0], np.uint8),
    T.INT4: np.array([0x12, 0x34], np.uint8),
    T.FP4: np.array([0x12, 0x34], np.uint8),
    T.DIMS: [(1, 2), (3,), ()],
    T.UNKNOWN: np.array([1, 2, 3], np.int8),
}


def content(field):
    """The contents of a field, as a creator sees it."""
    values = field.data
    if field.type == T.DIMS:
        return field.name, field.type, field.size, [tuple(shape) for shape in values]
    return field.name, field.type, field.size, values.dtype, values.tolist()


def through_a_plan(logger, field):
    """The field as a creator sees it when the plan is opened."""
    seen = []

    class Plugin(ScaleV3):
        def clone(self):
            return Plugin()

        def get_fields_to_serialize(self):
            return trt.PluginFieldCollection([field])

    class Creator(ScaleCreatorV3):
        def create_plugin(self, name, field_collection, phase):
            assert (name, len(field_collection)) == ("scale", 1)
            assert phase == trt.TensorRTPhase.RUNTIME
            seen.append(
                trt.PluginField(
                    field_collection[0].name, field_collection[0].data, field_collection[0].type
                )
            )
            assert content(seen[0]) == content(field_collection[0])
            return Plugin()

    plan = build(logger, Plugin())
    assert plan is not None, logger.errors()
    with Registered(Creator()):
        assert Engine(logger, plan).engine is not None, logger.errors()
    return seen[0]


def test_every_type_is_listed():
    assert set(VALUES) == set(T)


@pytest.mark.parametrize("length", [0, 1, None])
@pytest.mark.parametrize("kind", list(VALUES))
def test_every_type_and_length_through_a_plan(logger, kind, length):
    """The same field when the engine is built and when the plan is opened."""
    field = trt.PluginField("values", VALUES[kind][:length], kind)
    built = []

    class Creator(ScaleCreatorV3):
        def create_plugin(self, name, field_collection, phase):
            built.append(content(field_collection[0]))
            return ScaleV3()

    creator = Creator()
    creator.create_plugin("scale", trt.PluginFieldCollection([field]), trt.TensorRTPhase.BUILD)
    assert content(through_a_plan(logger, field)) == built[0]


@pytest.mark.parametrize("kind", [T.CHAR, T.INT32, T.FLOAT32])
def test_a_field_without_data_is_empty_when_it_arrives(logger, kind):
    field = trt.PluginField("values")
    field.type = kind
    assert through_a_plan(logger, field).data.tolist() == []


def test_text_through_a_plan(logger):
    field = trt.PluginField("mode", "\u00fcbrig", T.CHAR)
    assert through_a_plan(logger, field).data.tobytes().decode() == "\u00fcbrig"


def test_elements_of_a_type_that_nobody_named_arrive(logger):
    field = trt.PluginField("values", np.array([1, 2], np.int32))
    assert field.type == T.UNKNOWN
    assert through_a_plan(logger, field).data.tolist() == [1, 2]


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


@pytest.mark.parametrize("kind", list(T))
def test_empty_data_of_any_type(kind):
    for data in (np.array([]), np.array([], np.int64), [], (), b"", np.zeros((0, 3))):
        field = trt.PluginField("x", data, kind)
        assert field.size == 0
        assert len(field.data) == 0


CONVERTED = [
    (np.array([1, 2]), T.INT32, np.array([1, 2], np.int32)),
    (np.array([1.1, 2]), T.FLOAT32, np.array([1.1, 2], np.float32)),
    (np.array([1.5, np.inf, np.nan]), T.FLOAT16, np.array([1.5, np.inf, np.nan], np.float16)),
    (np.array([3.0]), T.INT64, np.array([3])),
    (np.array([1, 0], bool), T.INT32, np.array([1, 0], np.int32)),
    (np.array([1, 2], np.uint8), T.INT32, np.array([1, 2], np.int32)),
    (np.array([1, 2], np.int32), T.FLOAT32, np.array([1, 2], np.float32)),
    (np.array([2**31 - 1]), T.INT32, np.array([2**31 - 1], np.int32)),
    (np.array([[1, 2], [3, 4]]), T.INT32, np.array([1, 2, 3, 4], np.int32)),
    (np.arange(6)[::2], T.INT32, np.array([0, 2, 4], np.int32)),
    (7, T.INT32, np.array([7], np.int32)),
    (np.float32(2.5), T.FLOAT32, np.array([2.5], np.float32)),
    ([1, 2.5], T.FLOAT64, np.array([1, 2.5])),
    (True, T.INT8, np.array([1], np.int8)),
    ([65, 66], T.CHAR, np.frombuffer(b"AB", np.int8)),
    (np.array("text"), T.CHAR, np.frombuffer(b"text", np.int8)),
    (np.array([1, -2.5, 3.0e38, np.inf]), T.BF16,
     np.array([0x3F80, 0xC020, 0x7F62, 0x7F80], np.uint16)),
    (np.array([1], np.float16), T.BF16, np.array([0x3F80], np.uint16)),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "expected"), CONVERTED)
def test_data_that_is_converted(data, kind, expected):
    field = trt.PluginField("x", data, kind)
    assert field.size == expected.size
    assert field.data.dtype == expected.dtype
    np.testing.assert_array_equal(field.data, expected)


def test_a_conversion_is_told_once():
    script = """
import numpy as np
import tensorrt as trt

class Logger(trt.ILogger):
    def log(self, severity, text):
        if severity == trt.ILogger.WARNING:
            print(text)

builder = trt.Builder(Logger())
for _ in range(3):
    trt.PluginField("told", np.array([1, 2]), trt.PluginFieldType.INT32)
    trt.PluginField("fits", np.array([1, 2], np.int32), trt.PluginFieldType.INT32)
    trt.PluginField("empty", np.array([]), trt.PluginFieldType.INT32)
    trt.PluginField("bytes", b"abcd", trt.PluginFieldType.INT32)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == (
        "[plugin field] 'told': expected an array of int32 for PluginFieldType.INT32, got int64, "
        "which was converted. Pass an array of that type. (python-15)\n",
        "",
    )


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn"])
def test_types_that_numpy_lacks(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    data = np.array([1, -2], getattr(ml_dtypes, dtype))
    kind = T.BF16 if dtype == "bfloat16" else T.FP8
    assert trt.PluginField("x", data, kind).data.tobytes() == data.tobytes()
    assert trt.PluginField("x", np.array([1.0, -2]), kind).data.tobytes() == data.tobytes()
    assert trt.PluginField("x", data, T.FLOAT32).data.tolist() == [1, -2]


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    field = trt.PluginField("x", torch.tensor([1, 2]), T.INT32)
    assert field.data.tolist() == [1, 2]
    assert trt.PluginField("x", torch.tensor([1.5]), T.FLOAT32).data.tolist() == [1.5]


LOST = [
    (np.array([1.5]), T.INT32, ValueError, "'x': expected int32 data for PluginFieldType.INT32"),
    (np.array([np.nan]), T.INT64, ValueError, "got float64 with values that do not fit"),
    (np.array([np.inf]), T.INT64, ValueError, "values that do not fit"),
    (np.array([2**31]), T.INT32, ValueError, "got int64 with values that do not fit"),
    (np.array([2**32]), T.INT32, ValueError, "values that do not fit"),
    (np.array([2**63], np.uint64), T.FLOAT32, None, ""),
    (np.array([2.0**63]), T.INT64, ValueError, "values that do not fit"),
    (np.array([2**24 + 1]), T.FLOAT32, ValueError, "values that do not fit"),
    (np.array([1e300]), T.FLOAT32, ValueError, "values that do not fit"),
    (np.array([1e39]), T.BF16, ValueError, "values that do not fit"),
    (np.array([300]), T.INT8, ValueError, "values that do not fit"),
    (np.array([1, 2]), T.INT4, ValueError, "expected the codes of PluginFieldType.INT4"),
    (b"abc", T.INT32, ValueError, "expected whole elements of 32 bits, got 3 bytes"),
    (np.array([1j]), T.FLOAT32, TypeError, "got ndarray of complex128"),
    ([None], T.INT32, TypeError, "expected an array, a sequence of numbers, a number"),
    (object(), T.INT32, TypeError, "got object"),
    ("text", T.INT32, TypeError, "expected numbers for PluginFieldType.INT32, got str"),
    (["text", "more"], T.CHAR, TypeError, "got list of <U4"),
    ("text", T.DIMS, TypeError, "expected shapes for PluginFieldType.DIMS, got str"),
    ([(1, 2), "text"], T.DIMS, TypeError, "expected shapes for PluginFieldType.DIMS, got str"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "error", "message"), LOST)
def test_only_a_loss_is_refused(data, kind, error, message):
    if error is None:
        assert trt.PluginField("x", data, kind).data.tolist() == data.tolist()
        return
    with pytest.raises(error) as raised:
        trt.PluginField("x", data, kind)
    assert message in str(raised.value)


def test_a_type_set_after_the_data_converts_it():
    field = trt.PluginField("x")
    field.data = np.array([1, 2])
    field.type = T.INT32
    assert (field.size, field.data.dtype) == (2, np.int32)
    with pytest.raises(ValueError, match="expected the codes"):
        field.type = T.INT4
    assert (field.type, field.data.tolist()) == (T.INT32, [1, 2])


def test_size_stays_within_the_data():
    field = trt.PluginField("x", np.array([1, 2], np.int32), T.INT32)
    with pytest.raises(ValueError, match="'x': expected a size of 0 to 2, the elements of its"):
        field.size = 3
    field.size = 1
    assert field.data.tolist() == [1]


def test_right_data_is_not_copied():
    values = np.array([1, 2], np.int32)
    field = trt.PluginField("x", values, T.INT32)
    assert np.shares_memory(field.data, values)


def test_shapes():
    for data in ((4, 5), np.array([4, 5]), trt.Dims((4, 5)), [trt.Dims((4, 5))], [[4, 5]]):
        (shape,) = trt.PluginField("x", data, T.DIMS).data
        assert tuple(shape) == (4, 5)


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
