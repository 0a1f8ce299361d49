# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights beside the model at offsets and of sizes above 2 and 4 GB: a sparse file, mapped."""

import os
import sys
from pathlib import Path

import kiln as trt
import numpy as np
import pytest

from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).parent))

from onnx_lab import Messages

GIB = 1 << 30
SIZE = 5 * GIB
ROWS, WIDTH = 600_000, 1024  # a table of 2.3 GiB


def external(name, dims, offset, data_type=TensorProto.FLOAT):
    tensor = TensorProto(name=name, data_type=data_type, dims=dims)
    tensor.data_location = TensorProto.EXTERNAL
    size = int(np.prod(dims)) * 4
    for key, value in (("location", "w.bin"), ("offset", offset), ("length", size)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "w.bin"
    with open(path, "wb") as file:
        file.truncate(SIZE)
        if os.stat(path).st_blocks * 512 > SIZE // 2:
            pytest.skip("the file system has no sparse files")
        for offset, value in ((2 * GIB + 64, 2.0), (4 * GIB + 64, 3.0), (SIZE - 16, 4.0)):
            file.seek(offset)
            file.write(np.full(4, value, np.float32).tobytes())
    return tmp_path


def save(folder, nodes, initializers, inputs, output):
    graph = helper.make_graph(nodes, "g", inputs, [output], initializers)
    path = folder / "m.onnx"
    opset = [helper.make_opsetid("", 17)]
    path.write_bytes(helper.make_model(graph, opset_imports=opset).SerializeToString())
    return str(path)


def anonymous_bytes():
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("RssAnon"))
    return int(line.split()[1]) << 10


def parse(file, messages):
    builder = trt.Builder(messages)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, messages)
    assert parser.parse_from_file(file), messages.errors
    return builder, network, parser


def test_offsets_above_4_gigabytes(folder):
    value = helper.make_tensor_value_info
    weights = [
        external("a", [4], 2 * GIB + 64),
        external("b", [4], 4 * GIB + 64),
        external("c", [4], SIZE - 16),
    ]
    nodes = [
        helper.make_node("Mul", ["x", "a"], ["xa"]),
        helper.make_node("Mul", ["xa", "b"], ["xab"]),
        helper.make_node("Add", ["xab", "c"], ["y"]),
    ]
    inputs, output = [value("x", TensorProto.FLOAT, [4])], value("y", TensorProto.FLOAT, [4])
    messages = Messages()
    builder, network, _ = parse(save(folder, nodes, weights, inputs, output), messages)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    engine = trt.Runtime(messages).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    x, y = np.arange(4, dtype=np.float32), np.empty(4, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    assert context.execute_async_v3(0)
    np.testing.assert_array_equal(y, x * 6 + 4)


def test_tensor_above_2_gigabytes_is_mapped(folder):
    value = helper.make_tensor_value_info
    table = external("table", [ROWS, WIDTH], 64)
    gather = helper.make_node("Gather", ["table", "i"], ["y"])
    inputs, output = (
        [value("i", TensorProto.INT64, [2])],
        value("y", TensorProto.FLOAT, [2, WIDTH]),
    )
    file = save(folder, [gather], [table], inputs, output)
    before = anonymous_bytes()
    _, network, _ = parse(file, Messages())
    assert anonymous_bytes() - before < 64 << 20
    layers = [network.get_layer(i) for i in range(network.num_layers)]
    constant = next(layer for layer in layers if layer.type == trt.LayerType.CONSTANT)
    weights = constant.weights
    weights = weights if isinstance(weights, np.ndarray) else weights.numpy()
    assert weights.size == ROWS * WIDTH
    # Elements in front of byte 2 GiB + 64 of the file, and those behind it.
    first = 2 * GIB // 4
    np.testing.assert_array_equal(
        weights.reshape(-1)[first - 2 : first + 6], [0, 0, 2, 2, 2, 2, 0, 0]
    )
    assert anonymous_bytes() - before < 64 << 20


def test_past_the_end_is_refused(folder):
    value = helper.make_tensor_value_info
    table = external("table", [ROWS, WIDTH], SIZE - 4 * ROWS * WIDTH + 4)
    gather = helper.make_node("Gather", ["table", "i"], ["y"])
    inputs, output = (
        [value("i", TensorProto.INT64, [2])],
        value("y", TensorProto.FLOAT, [2, WIDTH]),
    )
    messages = Messages()
    network = trt.Builder(messages).create_network(0)
    file = save(folder, [gather], [table], inputs, output)
    assert not trt.OnnxParser(network, messages).parse_from_file(file)
    assert "table" in messages.errors[0]
    assert "w.bin" in messages.errors[0]


def test_a_location_is_a_path(tmp_path):
    tensor = external("w", [4], 0)
    tensor.external_data[0].value = "a/" * 2049
    value = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])
    file = save(tmp_path, [helper.make_node("Neg", ["w"], ["y"])], [tensor], [], value)
    messages = Messages()
    with pytest.raises(AssertionError):
        parse(file, messages)
    assert "external_data 'location' of 4096 bytes at most, got 4098" in messages.errors[0]
