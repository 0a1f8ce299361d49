# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Bitwise operators and shifts of every integer type, against NumPy, and the layers they take."""

import numpy as np
import onnx_lab as lab
import pytest

from onnx import TensorProto, helper, numpy_helper

OPERATIONS = {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
}
# Types that networks do not have, and those that stand for them.
TAKEN = {np.int16: np.int32, np.uint16: np.int32, np.uint32: np.int64, np.uint64: np.int64}
TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def numbers(dtype):
    info = np.iinfo(dtype)
    special = [info.max, info.min, 0, 1, info.max - 7, info.max // 3]
    found = np.random.default_rng(3).integers(info.min, info.max, 6, dtype, endpoint=True)
    return np.concatenate([np.array(special, dtype), found])


def model_of(op, dtype, shapes, constant=None, **attributes):
    """y = op(x, w), as INT64; w is an input or a constant."""
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    names = ["x"] if constant is not None else ["x", "w"]
    inputs = [helper.make_tensor_value_info(n, kind, s) for n, s in zip(names, shapes, strict=True)]
    nodes = [
        helper.make_node(op, ["x", "w"], ["z"], **attributes),
        helper.make_node("Cast", ["z"], ["y"], to=TensorProto.INT64),
    ]
    y = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    weights = [] if constant is None else [numpy_helper.from_array(constant, "w")]
    graph = helper.make_graph(nodes, "g", inputs, [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def taken(x):
    return x.astype(TAKEN.get(x.dtype.type, x.dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", list(OPERATIONS))
@pytest.mark.parametrize("where", ["input", "constant", "mask"])
def test_operators(op, dtype, where):
    x = numbers(dtype)
    w = x[::-1].copy()
    if where == "mask":
        w = np.array([0, 1, 3, 7, 15, 127, 31, 63, 1, 3, 0, 7], dtype)
    feeds = {"x": taken(x)} | ({"w": taken(w)} if where == "input" else {})
    shapes = [x.shape] * len(feeds)
    found = lab.run(model_of(op, dtype, shapes, None if where == "input" else w), feeds)["y"]
    np.testing.assert_array_equal(found, OPERATIONS[op](x, w).astype(np.int64))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_shifts(dtype, direction):
    x = numbers(dtype)
    bits = np.iinfo(dtype).bits
    w = np.array([0, 1, bits - 1, bits, 2, 3, bits + 5, bits - 2, 7, 4, 5, 1], dtype)
    pairs = [(int(a), int(b)) for a, b in zip(x, w, strict=True)]
    mask = int(np.iinfo(dtype).max)
    wanted = [(a << b) & mask if direction == "LEFT" else a >> b for a, b in pairs]
    model = model_of("BitShift", dtype, [x.shape, w.shape], direction=direction)
    found = lab.run(model, {"x": taken(x), "w": taken(w)})["y"]
    np.testing.assert_array_equal(found, np.array(wanted, np.uint64).astype(np.int64))


def test_as_many_axes_as_a_tensor_may_have():
    x = np.arange(12, dtype=np.int32).reshape(1, 2, 1, 2, 1, 1, 3, 1) - 5
    w = np.arange(8, dtype=np.int32).reshape(2, 1, 2, 1, 1, 1, 1, 2) * 3 - 9
    found = lab.run(model_of("BitwiseXor", np.int32, [x.shape, w.shape]), {"x": x, "w": w})["y"]
    np.testing.assert_array_equal(found, x ^ w)


def test_extents():
    text = """
    g (float[N, 3] x, float[8] z) => (float[M] y) {
      extent = Shape <start = 0, end = 1> (x)
      mask = Constant <value_ints = [5]> ()
      zero = Constant <value_ints = [0]> ()
      end = BitwiseAnd (extent, mask)
      y = Slice (z, zero, end)
    }"""
    z = np.arange(8, dtype=np.float32)
    found = lab.run(lab.model_of(text, 18), {"x": np.zeros((6, 3), np.float32), "z": z})["y"]
    np.testing.assert_array_equal(found, z[: 6 & 5])


@pytest.mark.parametrize("op", ["BitwiseAnd", "BitShift"])
def test_number_of_layers(op):
    """Models of strangers may hold thousands of these nodes; there were 614 layers for each."""
    attributes = {"direction": "LEFT"} if op == "BitShift" else {}
    model = model_of(op, np.uint32, [(4,), (4,)], **attributes)
    network, _, _ = lab.parsed(model, lab.Messages())
    assert network.num_layers < 40
