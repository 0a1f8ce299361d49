# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases of the onnx package: each matches its data, or is refused as expected."""

import re
import warnings

import kiln as trt
import numpy as np
import pytest

import onnx
from onnx import TensorProto, numpy_helper

OPERATORS = set(
    re.findall(
        r"\w+",
        """Abs Acos Acosh Add And Asin Asinh Atan Atanh AveragePool BatchNormalization Cast
        CastLike Ceil Celu Clip Concat Constant ConstantOfShape Conv Cos Cosh DepthToSpace Div
        Dropout Elu Equal Erf Exp Expand Flatten Floor Gather GatherElements GatherND Gelu Gemm
        GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GroupNormalization HardSigmoid
        HardSwish Identity InstanceNormalization IsInf IsNaN LayerNormalization LeakyRelu Less
        LessOrEqual Log LogSoftmax MatMul Max MaxPool Mean MeanVarianceNormalization Min Mish
        Mod Mul Neg Not Or PRelu Pad Pow Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum
        ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu
        Reshape Round Selu Shape Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign
        SpaceToDepth Split Sqrt Squeeze Sub Sum Tan Tanh ThresholdedRelu Tile Transpose Trilu
        Unsqueeze Where Xor""",
    )
)

# Inputs that the parser takes as constants.
CONSTANT_INPUTS = {
    "BatchNormalization": (1, 2, 3, 4),
    "Clip": (1, 2),
    "ConstantOfShape": (0,),
    "Conv": (1, 2),
    "Dropout": (1, 2),
    "Expand": (1,),
    "Pad": (1, 2, 3),
    "Range": (0, 1, 2),
    "ReduceL1": (1,),
    "ReduceL2": (1,),
    "ReduceLogSum": (1,),
    "ReduceLogSumExp": (1,),
    "ReduceMax": (1,),
    "ReduceMean": (1,),
    "ReduceMin": (1,),
    "ReduceProd": (1,),
    "ReduceSum": (1,),
    "ReduceSumSquare": (1,),
    "Reshape": (1,),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
}

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
REFUSED = {
    "test_not_": "expected operator set 7 or later",
    "reduce_(max|min).*bool": "got bool",
    "(blackman|hann|hamming)window_": r"input 1 \(limit\): expected a constant",
    "center_crop_pad": r"input 1 \(pads\): expected a constant",
    "batchnorm.*training_mode": "attribute 'training_mode': expected false",
    "test_mod_.*float": "expected integers, got",
    "dilations": "attribute 'dilations': expected ones",
    "dropout.*mask": "mask of Dropout|training_mode",
    "training_dropout": "training_mode: expected false",
    "maxpool_with_argmax_2d_precomputed_pads": "expected one output, got two",
    "maxpool_with_argmax_2d_precomputed_strides": "attribute 'storage_order'",
}


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
        shape = tuple(engine.get_tensor_shape(value.name))
        assert shape == wanted.shape
        arrays[value.name] = np.empty(shape, wanted.dtype)
    for name, array in arrays.items():
        assert context.set_tensor_address(name, array.ctypes.data)
    assert context.execute_async_v3(0)
    return [arrays[value.name] for value in model.graph.output]


def expected_refusal(name):
    return next((text for part, text in REFUSED.items() if re.search(part, name)), None)


@pytest.mark.parametrize(("model", "inputs", "outputs"), node_cases())
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
    for result, wanted in zip(results, outputs, strict=True):
        # Half rounds to 11 bits and bfloat16 to 8; the float kernels may sum in another order than
        # NumPy.
        tolerance = {"float16": 1e-2, "bfloat16": 2e-2}.get(wanted.dtype.name, 1e-4)
        np.testing.assert_allclose(
            result.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=1e-4
        )
