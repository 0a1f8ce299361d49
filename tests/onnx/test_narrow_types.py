# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Casts, constants and arithmetic of types that networks lack have the numbers of the type."""

import ml_dtypes
import node_suite
import numpy as np
import onnx_lab as lab
import pytest

import onnx
from onnx import TensorProto, helper, numpy_helper

FLOATS = {
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
}


def all_numbers(dtype):
    """Every number of the type, those halfway between two, and their neighbours."""
    numbers = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    halves = (numbers[1:] + numbers[:-1]) / 2
    return np.concatenate(
        [numbers, halves, np.nextafter(halves, np.inf), np.nextafter(halves, -np.inf)]
    ).astype(np.float32)


def cast(x, to, back=TensorProto.FLOAT, **attributes):
    """A cast to a type and back."""
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["z"], to=to, **attributes),
            helper.make_node("Cast", ["z"], ["y"], to=back),
        ],
        "g",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_tensor_value_info("y", back, x.shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11)
    return node_suite.run(model, [x], node_suite.Messages())[0]


@pytest.mark.parametrize("name", list(FLOATS))
def test_casts_round(name):
    x = all_numbers(FLOATS[name])
    found = cast(x, TensorProto.DataType.Value(name))
    np.testing.assert_array_equal(found, x.astype(FLOATS[name]).astype(np.float32))


@pytest.mark.parametrize("name", list(FLOATS))
@pytest.mark.parametrize("saturate", [0, 1])
def test_casts_beyond_the_range(name, saturate):
    largest = np.float32(ml_dtypes.finfo(FLOATS[name]).max)
    x = np.array([largest * 1.01, largest * 2, np.inf, np.nan, 1e30], np.float32)
    x = np.concatenate([x, -x])
    found = cast(x, TensorProto.DataType.Value(name), saturate=saturate)
    signs = np.sign(np.nan_to_num(x, nan=1.0))
    beyond = largest if saturate else (np.inf if name == "FLOAT8E5M2" else np.nan)
    wanted = np.where(np.abs(x) < largest * 1.02, largest, beyond) * signs
    wanted[np.isnan(x)] = np.nan
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", ["FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"])
@pytest.mark.parametrize("raw", [True, False])
def test_constants_of_narrow_floats(name, raw):
    values = np.array([0.5, -3, 1.75, 0, 28], np.float32).astype(FLOATS[name])
    type_number = TensorProto.DataType.Value(name)
    tensor = helper.make_tensor("w", type_number, [5], values.tobytes() if raw else values, raw)
    nodes = [
        helper.make_node("Cast", ["w"], ["d"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["d", "x"], ["y"]),
    ]
    found = run_with(tensor, nodes, np.ones(5, np.float32))
    np.testing.assert_array_equal(found, values.astype(np.float32) + 1)


def run_with(tensor, nodes, x, opset=21, sparse=False):
    """The output `y` of nodes on input `x` and an initializer."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [onnx.ValueInfoProto(name="y")],
    )
    (graph.sparse_initializer if sparse else graph.initializer).append(tensor)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)
    return node_suite.run(model, [x], node_suite.Messages())[0]


WHOLE = {"INT4": (-8, 7), "UINT4": (0, 15), "INT2": (-2, 1), "UINT2": (0, 3)}
WHOLE |= {"INT16": (-(2**15), 2**15 - 1), "UINT16": (0, 2**16 - 1), "UINT32": (0, 2**32 - 1)}


@pytest.mark.parametrize("name", list(WHOLE))
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_casts_wrap(name, dtype):
    least, most = WHOLE[name]
    span = most - least + 1
    near = [0, 1, most, least, most // 2, most + 1, most + 3, least - 1, -1, -span, span + 2]
    limit = 2**24 if dtype == np.float32 else 2**31 - 1
    x = np.array([value for value in near if -limit <= value <= limit]).astype(dtype)
    found = cast(x, TensorProto.DataType.Value(name), TensorProto.INT64)
    np.testing.assert_array_equal(found, (x.astype(np.int64) - least) % span + least)


@pytest.mark.parametrize("dtype", [np.uint16, np.int16, np.uint32])
@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "BitwiseNot", "BitwiseAnd", "BitwiseXor"])
def test_arithmetic_wraps(op, dtype):
    info = np.iinfo(dtype)
    x = np.array([info.max, info.min, 1, 300, info.max - 7], dtype)
    w = np.array([1, info.max, 2, 700, 999], dtype)
    operation = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}
    operation |= {"BitwiseNot": lambda a, _: ~a, "BitwiseAnd": np.bitwise_and}
    wanted = (operation | {"BitwiseXor": np.bitwise_xor})[op](x, w)
    inputs = ["x"] if op == "BitwiseNot" else ["x", "w"]
    found = run_with(numpy_helper.from_array(w, "w"), [helper.make_node(op, inputs, ["y"])], x)
    np.testing.assert_array_equal(found, wanted)


SPARSE = np.array([[0, 1.5, 0, 0], [0, 0, 0, -2], [3, 0, 0, 0]], np.float32)


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("where", ["initializer", "constant"])
def test_sparse_tensors(rows, where):
    places = np.argwhere(SPARSE) if rows else np.flatnonzero(SPARSE)
    values = numpy_helper.from_array(SPARSE[SPARSE != 0], "w")
    indices = numpy_helper.from_array(places.astype(np.int64), "places")
    sparse = helper.make_sparse_tensor(values, indices, list(SPARSE.shape))
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    x = np.ones((3, 4), np.float32)
    if where == "constant":
        nodes.insert(0, helper.make_node("Constant", [], ["w"], sparse_value=sparse))
        other = numpy_helper.from_array(np.zeros(1, np.float32), "unused")
        found = run_with(other, nodes, x)
    else:
        found = run_with(sparse, nodes, x, sparse=True)
    np.testing.assert_array_equal(found, SPARSE + 1)


@pytest.mark.parametrize(
    "places, shape, text",
    [
        ([1, 12], [3, 4], r"expected indices of 0 \.\. 11, got 12"),
        ([-1, 3], [3, 4], "got -1"),
        ([1], [3, 4], "expected 2 indices, got 1"),
        ([1, 2], [1 << 20, 1 << 20], "times as many as it stores at most"),
    ],
)
def test_sparse_tensors_that_are_wrong(places, shape, text):
    values = numpy_helper.from_array(np.ones(2, np.float32), "w")
    indices = numpy_helper.from_array(np.array(places, np.int64), "places")
    sparse = onnx.SparseTensorProto(values=values, indices=indices, dims=shape)
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    with pytest.raises(node_suite.Refused, match=text):
        run_with(sparse, nodes, np.ones((3, 4), np.float32), sparse=True)


def test_type_of_results():
    """A cast like the result of an operator knows the type of the model."""
    text = """
    g (int32[4] x) => (int32 y)
    {
      z = Cast <to = 4> (x)
      s = Add (z, z)
      l = CastLike (x, s)
      y = Cast <to = 6> (l)
    }
    """
    x = np.array([-1, 70000, 5, 65535], np.int32)
    lab.check(lab.model_of(text, 19), {"x": x}, wanted={"y": (x % 65536).astype(np.int32)})
