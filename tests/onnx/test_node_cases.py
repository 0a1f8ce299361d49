# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases of the onnx package: each matches its data, or is refused as expected."""

import re
import runpy
import warnings
from pathlib import Path

import kiln as trt
import numpy as np
import pytest

import onnx
from onnx import TensorProto, numpy_helper

SUPPORTED = trt.OnnxParser(trt.Builder(trt.Logger()).create_network(), trt.Logger())
OPERATORS = {
    schema.name
    for schema in onnx.defs.get_all_schemas()
    if schema.domain == "" and SUPPORTED.supports_operator(schema.name)
}


def settings(name):
    """The union of a dict that modules of node_cases/ may have, one for each importer."""
    modules = sorted((Path(__file__).parent / "node_cases").glob("*.py"))
    return {
        key: value
        for path in modules
        for key, value in runpy.run_path(str(path)).get(name, {}).items()
    }


# Inputs that the parser takes as constants, by operator.
CONSTANT_INPUTS = settings("CONSTANT_INPUTS")

# Types that networks have and the CPU computes with.
TYPES = {
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    TensorProto.INT8,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.BOOL,
}

# Patterns of the names of refused cases, and of their messages.
REFUSED = settings("REFUSED")

# Patterns of the names of cases with random outputs, and the values that an output may have.
RANDOM = settings("RANDOM")


def uses_known_types(model):
    """Tells whether all inputs, outputs and cast targets are tensors of TYPES."""
    values = [*model.graph.input, *model.graph.output]
    types = [value.type.tensor_type.elem_type for value in values]
    for node in model.graph.node:
        types += [a.i for a in node.attribute if node.op_type == "Cast" and a.name == "to"]
    return all(t in TYPES for t in types)


def as_array(value):
    """Returns data of a case as an array; some types come as TensorProto."""
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)


def node_cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases(None)
    for case in sorted(cases, key=lambda case: case.name):
        model = case.model
        if model is None or not case.data_sets:
            continue
        if {node.op_type for node in model.graph.node} <= OPERATORS and uses_known_types(model):
            inputs, outputs = ([as_array(v) for v in values] for values in case.data_sets[0])
            yield pytest.param(model, inputs, outputs, id=case.name)


def prepare(model, arrays):
    """Returns a copy with constants as initializers, exact shapes, and the data of its inputs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for opset in copy.opset_import:
        opset.version = min(opset.version, 21)
    data = {value.name: array for value, array in zip(copy.graph.input, arrays, strict=True)}
    constants = {
        node.input[i]
        for node in copy.graph.node
        for i in CONSTANT_INPUTS.get(node.op_type, ())
        if i < len(node.input) and node.input[i] in data
    }
    kept = [value for value in copy.graph.input if value.name not in constants]
    for name in constants:
        copy.graph.initializer.append(numpy_helper.from_array(data.pop(name), name))
    del copy.graph.input[:]
    copy.graph.input.extend(kept)
    for value in copy.graph.input:
        shape = value.type.tensor_type.shape
        shape.Clear()
        shape.SetInParent()
        for extent in data[value.name].shape:
            shape.dim.add().dim_value = extent
    return copy, data


class Messages(trt.ILogger):
    """Keeps errors, so that tests can check refusals."""

    def __init__(self):
        super().__init__()
        self.errors = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.errors.append(message)


def run(model, data, outputs, messages):
    """Builds and runs; returns the outputs, or None if the model was refused."""
    builder = trt.Builder(messages)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    parser = trt.OnnxParser(network, messages)
    if not parser.parse(model.SerializeToString()):
        return None
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    if plan is None:
        return None
    engine = trt.Runtime(messages).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    arrays = {name: np.ascontiguousarray(array) for name, array in data.items()}
    for value, wanted in zip(model.graph.output, outputs, strict=True):
        shape = engine.get_tensor_shape(value.name)
        assert all(a in (-1, b) for a, b in zip(shape, wanted.shape, strict=True))
        arrays[value.name] = np.empty(wanted.shape, wanted.dtype)
    for name, array in arrays.items():
        assert context.set_tensor_address(name, array.ctypes.data)
    assert context.execute_async_v3(0)
    return [arrays[value.name] for value in model.graph.output]


def expected_refusal(name):
    return next((text for part, text in REFUSED.items() if re.search(part, name)), None)


@pytest.mark.parametrize(("model", "inputs", "outputs"), list(node_cases()))
def test_node_case(model, inputs, outputs, request):
    name = request.node.callspec.id
    model, data = prepare(model, inputs)
    messages = Messages()
    results = run(model, data, outputs, messages)
    refusal = expected_refusal(name)
    if refusal is not None:
        assert results is None
        assert re.search(refusal, "\n".join(messages.errors))
        return
    assert results is not None, messages.errors
    values = next((values for part, values in RANDOM.items() if re.search(part, name)), None)
    if values is not None:
        assert all(np.isin(result, values).all() for result in results)
        return
    for result, wanted in zip(results, outputs, strict=True):
        # Half rounds to 11 bits; the float kernels may sum in another order than NumPy. A chain of
        # bfloat16 layers rounds once, where the reference rounds to 8 bits after each operator.
        tolerance = {"float16": 1e-2, "bfloat16": 2e-2}.get(wanted.dtype.name, 1e-4)
        np.testing.assert_allclose(
            result.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=1e-4
        )
