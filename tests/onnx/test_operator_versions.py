# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators whose meaning changed between operator sets: each version against ONNX Runtime."""

import node_suite
import numpy as np
import onnxruntime
import pytest

import onnx
from onnx import helper, numpy_helper

NUMBERS = np.random.default_rng(10)


def real(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def floats(*values):
    return np.array(values, np.float32)


X = real(2, 3, 4, 5)
ONE = real(1, 3, 1, 4)
SMALL, LARGE = np.float32(-0.5).reshape(()), np.float32(0.5).reshape(())
ROWS, UPDATES = np.array([[1, 0, 2], [0, 2, 1]]), real(2, 3)
SCALES, SIZES = floats(1, 1, 2, 1.5), ints(2, 3, 7, 3)
WINDOW = {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}
EDGES = ints(0, 0, 1, 2, 0, 0, 2, 1)

# Operator, operator sets, inputs (all but the first are constants), attributes, outputs.
CASES = [
    *(("Softmax", (1, 11, 13), [X], {"axis": axis}) for axis in (0, 1, 3)),
    *((op, (11, 13), [X], {}) for op in ("Softmax", "LogSoftmax", "Hardmax")),
    ("Upsample", (7,), [X], {"scales": [1.0, 1.0, 2.0, 3.0], "mode": "linear"}),
    ("Upsample", (9,), [X, floats(1, 1, 2.5, 3)], {"mode": "nearest"}),
    ("Resize", (10,), [X, SCALES], {"mode": "linear"}),
    *(
        ("Resize", (11, 13, 19), [X, floats(), SCALES], {"coordinate_transformation_mode": rule})
        for rule in ("half_pixel", "pytorch_half_pixel", "asymmetric")
    ),
    *(
        (
            "Resize",
            (11, 13, 18, 19),
            [X, floats(), *operands],
            {"coordinate_transformation_mode": "align_corners", "mode": mode},
        )
        for mode in ("linear", "cubic")
        for operands in ([SCALES], [floats(1, 1, 0.7, 0.8)], [floats(), SIZES])
    ),
    ("Resize", (18,), [X, None, None, ints(7, 3)], {"axes": [2, 3], "mode": "linear"}),
    ("Dropout", (12, 13), [X, LARGE], {}),
    ("BatchNormalization", (7, 9, 14, 15), [X, real(3), real(3), real(3), real(3) ** 2], {}),
    ("Pad", (2,), [X], {"pads": EDGES.tolist(), "mode": "constant", "value": 1.5}),
    ("Pad", (2,), [X], {"pads": EDGES.tolist(), "mode": "reflect"}),
    *(("Pad", (11, 13, 18), [X, EDGES], {"mode": mode}) for mode in ("reflect", "edge")),
    ("Pad", (18, 21), [X, ints(1, 2, 2, 1), None, ints(3, -2)], {"mode": "edge"}),
    ("Clip", (6,), [X], {"min": -0.5, "max": 0.5}),
    ("Clip", (6,), [X], {"max": 0.1}),
    ("Clip", (11, 12, 13), [X, SMALL], {}),
    ("Clip", (11, 12, 13), [X, None, LARGE], {}),
    ("TopK", (10,), [X, ints(2)], {"axis": 2}, 2),
    ("TopK", (11, 24), [X, ints(2)], {"largest": 0}, 2),
    *(
        (op, (1, 11), [abs(X)], {"axes": [1, 2], "keepdims": 0})
        for op in ("ReduceSum", "ReduceMax", "ReduceLogSum")
    ),
    ("ReduceSum", (13,), [X, ints(1, -1)], {"keepdims": 0}),
    *((op, (18,), [X, ints(1, -1)], {}) for op in ("ReduceMean", "ReduceMax", "ReduceL2")),
    ("ReduceMean", (18,), [X], {"noop_with_empty_axes": 1}),
    ("ReduceMean", (18,), [X, ints()], {}),
    ("ReduceMax", (20,), [X > 0], {}),
    ("Slice", (1,), [X], {"starts": [0, -2], "ends": [1, 1000], "axes": [0, 2]}),
    ("Slice", (10, 11, 13), [X, ints(0, 3), ints(2, 5), ints(0, 3)], {}),
    ("Slice", (11, 13), [X, ints(-1), ints(-100), ints(-1), ints(-2)], {}),
    ("Squeeze", (1, 11), [ONE], {"axes": [0]}),
    ("Squeeze", (1, 11, 13), [ONE], {}),
    ("Squeeze", (13, 21, 24), [ONE, ints(0, -2)], {}),
    ("Unsqueeze", (1,), [ONE], {"axes": [0, 3]}),
    ("Unsqueeze", (11,), [ONE], {"axes": [-1]}),
    ("Unsqueeze", (13, 21), [ONE, ints(-1, 0)], {}),
    ("Scatter", (9,), [real(3, 3), ROWS, UPDATES], {"axis": 1}),
    ("ScatterElements", (11, 13), [real(3, 3), ROWS - 3, UPDATES], {"axis": -1}),
    ("ScatterElements", (16, 18), [real(3, 3), ROWS, UPDATES], {"reduction": "add"}),
    ("Gemm", (7, 9, 11, 13), [real(3, 4), real(4, 5), real(3, 1)], {"alpha": 0.5, "beta": 2.0}),
    ("Gemm", (11, 13), [real(3, 4), real(4, 5)], {}),
    ("Cast", (9, 13, 19, 25), [X * 100], {"to": 6}),
    ("Cast", (9, 13, 19, 25), [X * 100], {"to": 9}),
    ("ArgMax", (1, 11, 13), [X], {"axis": 1, "keepdims": 0}),
    ("ArgMax", (12, 13), [X.round()], {"axis": 2, "select_last_index": 1}),
    ("Split", (2, 11), [X], {"axis": 3, "split": [2, 3]}, 2),
    ("Split", (13, 18), [X, ints(2, 3)], {"axis": -1}, 2),
    ("Split", (18,), [X], {"axis": 3, "num_outputs": 2}, 2),
    *((op, (7, 10, 11, 19), [X], WINDOW) for op in ("MaxPool", "AveragePool")),
    *((op, (10, 19), [X], WINDOW | {"ceil_mode": 1}) for op in ("MaxPool", "AveragePool")),
    ("AveragePool", (7, 11, 19), [X], WINDOW | {"count_include_pad": 1}),
    ("DepthToSpace", (1, 11), [real(1, 8, 2, 3)], {"blocksize": 2}),
    ("DepthToSpace", (11, 13), [real(1, 8, 2, 3)], {"blocksize": 2, "mode": "CRD"}),
    ("GroupNormalization", (21,), [real(2, 4, 3, 3), real(4), real(4)], {"num_groups": 2}),
    ("Pow", (7, 12, 13, 15), [abs(X), LARGE], {}),
    ("Mod", (10, 13), [ints(-5, 7, -9), ints(3, -4, -4)], {}),
    ("Mod", (10, 13), [ints(-5, 7, -9), ints(3, -4, -4)], {"fmod": 1}),
    ("Shape", (1, 13), [X], {}),
    ("Shape", (15, 21), [X], {"start": 1, "end": -1}),
    ("Reshape", (5, 13, 21), [X, ints(0, -1)], {}),
    ("Reshape", (14,), [real(0, 3), ints(3, 0)], {"allowzero": 1}),
    ("GridSample", (16,), [X, real(2, 3, 3, 2)], {"mode": "bicubic"}),
    ("GridSample", (20,), [X, real(2, 3, 3, 2)], {"mode": "cubic"}),
    ("QuantizeLinear", (10, 13), [real(3, 4), floats(0.02)[0].reshape(())], {}),
    ("QuantizeLinear", (13, 19), [real(3, 4), floats(0.1, 0.2, 0.3)], {"axis": 0}),
    ("DequantizeLinear", (21,), [np.arange(12, dtype=np.uint8).reshape(3, 4), real(3, 2)],
     {"axis": 1, "block_size": 2}),
]  # fmt: skip


def model_of(op, opset, inputs, attributes, outputs):
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    kind = helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    results = [f"y{i}" for i in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(op, names, results, **attributes)],
        "graph",
        [helper.make_tensor_value_info("x0", kind, inputs[0].shape)],
        [onnx.ValueInfoProto(name=name) for name in results],
        [
            numpy_helper.from_array(x, name)
            for x, name in zip(inputs[1:], names[1:], strict=True)
            if x is not None
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def named_cases():
    for number, (op, opsets, inputs, attributes, *outputs) in enumerate(CASES):
        for opset in opsets:
            yield pytest.param(op, opset, inputs, attributes, *(outputs or [1]),
                               id=f"{op}-{opset}-{number}")  # fmt: skip


@pytest.mark.parametrize(("op", "opset", "inputs", "attributes", "outputs"), named_cases())
def test_version(op, opset, inputs, attributes, outputs):
    model = model_of(op, opset, inputs, attributes, outputs)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    wanted = session.run(None, {"x0": inputs[0]})
    found = node_suite.run(model, [inputs[0]], node_suite.Messages())
    assert not node_suite.difference(found, wanted)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (2, 3, 4)), ((5, 1, 2, 3), (4, 3, 2)), ((2, 3), (3,))],
    ids=str,
)
def test_products_of_integers(a, b, dtype):
    """Exact: sums pass what a FLOAT can hold."""
    inputs = [NUMBERS.integers(-9999, 9999, shape).astype(dtype) for shape in (a, b)]
    model = model_of("MatMul", 13, inputs, {}, 1)
    (found,) = node_suite.run(model, inputs[:1], node_suite.Messages())
    np.testing.assert_array_equal(found, np.matmul(*inputs))


@pytest.mark.parametrize("transposed", [0, 1])
def test_gemm_of_integers(transposed):
    a, b = (NUMBERS.integers(-9999, 9999, (3, 3)) for _ in range(2))
    attributes = {"transA": transposed, "transB": 1 - transposed, "beta": 3.0}
    model = model_of("Gemm", 13, [a, b, ints(1, 2, 3)], attributes, 1)
    (found,) = node_suite.run(model, [a], node_suite.Messages())
    wanted = (a.T if transposed else a) @ (b if transposed else b.T) + 3 * ints(1, 2, 3)
    np.testing.assert_array_equal(found, wanted)
