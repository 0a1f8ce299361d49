# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Element types that networks lack, and constants of narrow types."""

import ml_dtypes
import numpy as np
import onnx_lab as lab
import pytest

import onnx
from onnx import TensorProto, helper, numpy_helper

# What a network takes elements as.
TAKEN = {
    np.float64: np.float32,
    np.int16: np.int32,
    np.uint16: np.int32,
    np.uint32: np.int64,
    np.uint64: np.int64,
}


def one_node(array, raw, op="Add", **attributes):
    """y = x op w, with w as an initializer; x has the type of w."""
    dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
    values = array.tobytes() if raw else array.flatten()
    tensor = helper.make_tensor("w", dtype, array.shape, values, raw=raw)
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "w"], ["y"], **attributes)],
        "g",
        [helper.make_tensor_value_info("x", dtype, array.shape)],
        [helper.make_tensor_value_info("y", dtype, array.shape)],
        [tensor],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


@pytest.mark.parametrize("dtype", list(TAKEN))
@pytest.mark.parametrize("raw", [True, False])
def test_replaced_types(dtype, raw):
    array = np.array([[1, 2], [3, 200]], dtype)
    if np.dtype(dtype).kind == "i":
        array[0] *= -1
    model = one_node(array, raw)
    messages = lab.Messages()
    results = lab.run(model, {"x": array.astype(TAKEN[dtype])}, messages)
    assert results["y"].dtype == TAKEN[dtype]
    np.testing.assert_array_equal(results["y"], array + array)
    assert len(messages.warnings) == 1
    name = TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(array.dtype))
    assert f"{name} in the model is taken as" in messages.warnings[0]


def test_double_everywhere_warns_once():
    text = """
    g (double[2, 3] x) => (double[2, 3] y)
    <double w = {1.5}>
    {
      c = Constant <value = double {0.25}> ()
      i = Cast <to = 7> (x)
      d = Cast <to = 11> (i)
      e = Add (d, w)
      y = Mul (e, c)
    }
    """
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float64)
    model = lab.model_of(text)
    lab.check(model, {"x": x}, taken={"x": x.astype(np.float32)})
    messages = lab.Messages()
    lab.parsed(model, messages)
    assert [m for m in messages.warnings if "DOUBLE" in m] == [
        "[onnx] DOUBLE in the model is taken as FLOAT, which networks have"
    ]


NARROW = {
    "BFLOAT16": ml_dtypes.bfloat16,
    "FLOAT16": np.float16,
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "INT4": ml_dtypes.int4,
    "UINT4": ml_dtypes.uint4,
    "INT8": np.int8,
    "UINT8": np.uint8,
}


@pytest.mark.parametrize("name", list(NARROW))
@pytest.mark.parametrize("raw", [True, False])
def test_narrow_constants(name, raw):
    """A constant of five elements, cast or dequantized to FLOAT."""
    type_number = TensorProto.DataType.Value(name)
    values = np.array([1, 2, 3, 4, 6], np.float32)
    tensor = numpy_helper.from_array(values.astype(NARROW[name]), "w")
    if not raw:
        tensor = helper.make_tensor("w", type_number, [5], values.astype(NARROW[name]))
        assert not tensor.raw_data
    scale = numpy_helper.from_array(np.float32(0.5), "s")
    quantized = "INT" in name or "8E4" in name
    nodes = (
        [helper.make_node("DequantizeLinear", ["w", "s"], ["d"])]
        if quantized
        else [helper.make_node("Cast", ["w"], ["d"], to=TensorProto.FLOAT)]
    )
    nodes.append(helper.make_node("Add", ["d", "x"], ["y"]))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5])],
        [tensor, scale],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    x = np.ones(5, np.float32)
    wanted = values * (0.5 if quantized else 1) + x
    lab.check(model, {"x": x}, wanted={"y": wanted})


def test_external_data_above_2_gb(tmp_path):
    """Offsets of more than 32 bits; the file has holes and takes no space."""
    offset = (5 << 30) + 4096
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    with open(tmp_path / "w.bin", "wb") as file:
        file.seek(offset)
        file.write(values.tobytes())
    model = one_node(values, True)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": "w.bin", "offset": offset, "length": 24}.items():
        tensor.external_data.add(key=key, value=str(value))
    onnx.save(model, tmp_path / "model.onnx")
    messages = lab.Messages()
    network, _, _builder = lab.parsed(tmp_path / "model.onnx", messages)
    assert network is not None, messages.errors
    weights = [network.get_layer(i) for i in range(network.num_layers)]
    constants = [layer for layer in weights if layer.type == lab.trt.LayerType.CONSTANT]
    constants[0].__class__ = lab.trt.IConstantLayer
    np.testing.assert_array_equal(constants[0].weights, values.flatten())
