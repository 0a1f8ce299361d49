# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Models of the onnx package: those that torch wrote with operator sets 6 to 12, and its own."""

from pathlib import Path

import node_suite
import numpy as np
import pytest

import onnx
from onnx import TensorProto, helper, numpy_helper

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
# What networks do not have: strings, and gradients.
REFUSED = ("strnorm", "gradient")


def folders():
    return sorted(
        path.parent
        for group in ("pytorch-converted", "pytorch-operator", "simple")
        for path in (DATA / group).glob("*/model.onnx")
    )


def data_of(folder, kind, values):
    """The arrays of the first data set, or None if the model has other values."""
    arrays = []
    for i, value in enumerate(values):
        if not value.type.HasField("tensor_type"):
            return None
        tensor = TensorProto()
        tensor.ParseFromString((folder / "test_data_set_0" / f"{kind}_{i}.pb").read_bytes())
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float64:  # some are random bytes, which pass FLOAT
            with np.errstate(over="ignore"):
                array = array.astype(np.float32)
        arrays.append(array)
    return arrays


@pytest.mark.parametrize("folder", folders(), ids=lambda path: path.name)
def test_model(folder):
    model = onnx.load(folder / "model.onnx")
    names = {tensor.name for tensor in model.graph.initializer}
    given = [value for value in model.graph.input if value.name not in names]
    inputs = data_of(folder, "input", given)
    outputs = data_of(folder, "output", model.graph.output)
    messages = node_suite.Messages()
    # Sequences neither enter nor leave a network.
    if inputs is None or outputs is None or any(name in folder.name for name in REFUSED):
        with pytest.raises(node_suite.Refused):
            node_suite.run_model(model, given, inputs or [None] * len(given), messages)
        return
    results = node_suite.run_model(model, given, inputs, messages)
    assert not node_suite.difference(results, outputs)


def one_node(op, inputs, opset, constants=(), **attributes):
    """A model of one node; inputs whose positions are in `constants` are initializers."""
    names = [f"x{i}" for i in range(len(inputs))]
    types = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in inputs]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)],
        "graph",
        [
            helper.make_tensor_value_info(names[i], types[i], inputs[i].shape)
            for i in range(len(inputs))
            if i not in constants
        ],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(inputs[i], names[i]) for i in constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=3)


def check(op, inputs, wanted, opset=1, constants=(), **attributes):
    model = one_node(op, inputs, opset, constants, **attributes)
    fed = [array for i, array in enumerate(inputs) if i not in constants]
    (result,) = node_suite.run(model, fed, node_suite.Messages())
    assert not node_suite.difference([result], [wanted])


X = np.random.default_rng(3).standard_normal((2, 3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize("constants", [(), (1,)])
@pytest.mark.parametrize("axis", [0, 1, 2, None])
@pytest.mark.parametrize("op", ["Add", "Mul", "Greater"])
def test_broadcasting_by_axis(op, axis, constants):
    first = 2 if axis is None else axis
    y = np.random.default_rng(4).standard_normal(X.shape[first : first + 2]).astype(np.float32)
    wide = y.reshape(y.shape + (1,) * (2 - first))
    wanted = {"Add": X + wide, "Mul": X * wide, "Greater": np.greater(X, wide)}[op]
    attributes = {"broadcast": 1} | ({} if axis is None else {"axis": axis})
    check(op, [X, y], wanted, 6, constants, **attributes)


def test_old_attributes():
    check("Reshape", [X], X.reshape(6, 20), shape=[6, -1])
    check(
        "Pad", [X], np.pad(X, [(0, 0), (0, 0), (1, 2), (3, 0)]), paddings=[0, 0, 1, 3, 0, 0, 2, 0]
    )
    check("Upsample", [X], X.repeat(2, 2).repeat(3, 3), height_scale=2.0, width_scale=3.0)
    check("Upsample", [X], X.repeat(2, 2).repeat(3, 3), 7, scales=[1.0, 1.0, 2.0, 3.0])
    check("Cast", [X], np.trunc(X).astype(np.int32), to="INT32")
    check("Concat", [X, X], np.concatenate([X, X], 1))
    tiles, axis = np.array([2], np.int64), np.array([1], np.int64)
    check("Tile", [X, tiles, axis], np.tile(X, (1, 2, 1, 1)), constants=(1, 2))
    check("Dropout", [X], X, is_test=1, ratio=0.3)
    check("Relu", [X], np.maximum(X, 0), consumed_inputs=[0])
    slope = np.array([0.1, 0.2, 0.3], np.float32)
    check("PRelu", [X, slope], np.where(X > 0, X, X * slope.reshape(3, 1, 1)), constants=(1,))
    selu = 1.0507 * np.where(X > 0, X, 1.6732 * (np.exp(X) - 1))
    check("Selu", [X], selu.astype(np.float32))


def test_old_batch_normalization():
    rows = [np.array(values, np.float32) for values in ([1, 2, 3], [4, 5, 6], [0, 1, 2], [1, 2, 4])]
    scale, bias, mean, variance = (row.reshape(3, 1, 1) for row in rows)
    wanted = (X - mean) / np.sqrt(variance + 1e-5) * scale + bias
    for opset in (1, 6, 7):
        check("BatchNormalization", [X, *rows], wanted, opset, (1, 2, 3, 4), spatial=1)
    model = one_node("BatchNormalization", [X, *rows], 7, (1, 2, 3, 4), spatial=0)
    with pytest.raises(node_suite.Refused, match="'spatial': expected 1, got 0"):
        node_suite.run(model, [X], node_suite.Messages())
