# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ONNX models with QuantizeLinear and DequantizeLinear, against the reference evaluator of ONNX."""

import numpy as np
import pytest
import tensorrt as trt
from onnx.reference import ReferenceEvaluator
from quantized_nets import run

from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(4)


def scale(*shape):
    return RNG.uniform(0.01, 0.05, shape).astype(np.float32)


def codes(shape, dtype=np.int8):
    low, high = (0, 256) if dtype is np.uint8 else (-128, 128)
    return RNG.integers(low, high, shape).astype(dtype)


def model(nodes, shape, constants):
    graph = helper.make_graph(
        nodes,
        "quantized",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def around(constants, zero=None, **attributes):
    """x quantized and dequantized, as `a`."""
    names = ["x", "xs"] if zero is None else ["x", "xs", "xz"]
    if zero is not None:
        constants["xz"] = zero
    return [
        helper.make_node("QuantizeLinear", names, ["q"], **attributes),
        helper.make_node("DequantizeLinear", ["q", *names[1:]], ["a"], **attributes),
    ]


def through(shape, scales, zero=None, **attributes):
    constants = {"xs": scales}
    nodes = around(constants, zero, **attributes)
    return model([*nodes, helper.make_node("Relu", ["a"], ["y"])], shape, constants), shape


def product():
    constants = {"xs": scale(), "w": codes((16, 8)), "ws": scale(8), "wz": np.zeros(8, np.int8)}
    nodes = around(constants, np.array(0, np.int8))
    nodes += [
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["b"], axis=1),
        helper.make_node("MatMul", ["a", "b"], ["y"]),
    ]
    return model(nodes, (4, 16), constants), (4, 16)


def convolution():
    bias = RNG.integers(-999, 999, 6).astype(np.int32)
    constants = {"xs": scale(), "w": codes((6, 4, 3, 3)), "ws": scale(6), "c": bias, "cs": scale(6)}
    nodes = around(constants, np.array(0, np.int8))
    nodes += [
        helper.make_node("DequantizeLinear", ["w", "ws"], ["b"], axis=0),
        helper.make_node("DequantizeLinear", ["c", "cs"], ["d"], axis=0),
        helper.make_node("Conv", ["a", "b", "d"], ["y"], pads=[1, 1, 1, 1]),
    ]
    return model(nodes, (1, 4, 5, 5), constants), (1, 4, 5, 5)


MODELS = {
    "tensor": lambda: through((3, 5), scale(), np.array(3, np.int8)),
    "uint8": lambda: through((3, 5), scale(), np.array(100, np.uint8)),
    "default_type": lambda: through((3, 5), scale()),
    "output_dtype": lambda: through((3, 5), scale(), output_dtype=TensorProto.INT8),
    "axis": lambda: through((2, 3, 4), scale(3), codes(3), axis=1),
    "last_axis": lambda: through((2, 3, 4), scale(4), np.zeros(4, np.int8), axis=-1),
    "blocks": lambda: through((2, 32), scale(2, 4), np.zeros((2, 4), np.int8), axis=1,
                              block_size=8),
    "product": product,
    "convolution": convolution,
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_models(logger, name):
    onnx_model, shape = MODELS[name]()
    x = RNG.normal(0, 1, shape).astype(np.float32)
    if name == "output_dtype":  # the dequantization has no such attribute in this version
        del onnx_model.graph.node[1].attribute[:]
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    parser = trt.OnnxParser(network, logger)
    assert parser.parse(onnx_model.SerializeToString()), logger.errors()
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    assert plan is not None, logger.errors()
    (want,) = ReferenceEvaluator(onnx_model).run(None, {"x": x})
    np.testing.assert_allclose(run(logger, plan, x=x)["y"], want, rtol=1e-5, atol=1e-5)
