# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""MatMulNBits of com.microsoft: bits, zero points, blocks that pass the end, against NumPy."""

import node_suite
import numpy as np
import onnxruntime
import pytest

from onnx import TensorProto, helper, numpy_helper

MS = "com.microsoft"
N = 6
GENERATOR = np.random.default_rng(11)


def packed(numbers, bits):
    """Rows of numbers, from the low bits of each byte on."""
    each = 8 // bits
    rows = np.pad(numbers, ((0, 0), (0, -numbers.shape[1] % each)))
    parts = rows.reshape(len(rows), -1, each).astype(np.uint8)
    return sum(parts[..., i] << np.uint8(bits * i) for i in range(each)).astype(np.uint8)


def case(bits, inner, block, points, bias, shape):
    """The model, A and the result."""
    blocks = -(-inner // block)
    weights = GENERATOR.integers(0, 1 << bits, (N, blocks * block))
    scales = GENERATOR.uniform(0.05, 0.2, (N, blocks)).astype(np.float32)
    zero = np.full((N, blocks), 1 << bits - 1, np.float32)
    initializers = {"b": packed(weights, bits).reshape(N, blocks, -1), "scales": scales}
    names = ["a", "b", "scales", "", "", ""]
    if points:
        zero = GENERATOR.integers(0, 1 << bits, (N, blocks)).astype(np.float32)
        initializers["zero"] = packed(zero, bits) if points == "packed" else zero
        names[3] = "zero"
    result = np.repeat(scales, block, 1) * (weights - np.repeat(zero, block, 1))
    a = GENERATOR.standard_normal((*shape, inner)).astype(np.float32)
    result = a.astype(np.float64) @ result[:, :inner].T
    if bias:
        initializers["bias"] = GENERATOR.standard_normal(N).astype(np.float32)
        names[5] = "bias"
        result = result + initializers["bias"]
    while not names[-1]:
        names.pop()
    attributes = {"K": inner, "N": N, "bits": bits, "block_size": block}
    node = helper.make_node("MatMulNBits", names, ["y"], domain=MS, **attributes)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("a", TensorProto.FLOAT, a.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, result.shape)],
        [numpy_helper.from_array(value, name) for name, value in initializers.items()],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MS, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10), a, result


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("points", [None, "packed", "float"])
@pytest.mark.parametrize(("inner", "block"), [(64, 16), (96, 32), (40, 16), (10, 16)])
@pytest.mark.parametrize("bias", [False, True])
def test_product(bits, points, inner, block, bias):
    shape = (2, 3) if bias else (5,)
    model, a, expected = case(bits, inner, block, points, bias, shape)
    if bits == 4 and points != "float":
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        np.testing.assert_allclose(session.run(None, {"a": a})[0], expected, 1e-4, 1e-4)
    (result,) = node_suite.run(model, [a], node_suite.Messages())
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, 0, 2e-6 * np.abs(expected).max())
