# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The node cases of the onnx package, run through Kiln with all inputs fed at run time."""

import warnings

import device_memory
import kiln as trt
import ml_dtypes
import numpy as np

import onnx
from onnx import TensorProto, numpy_helper

TYPES = {
    trt.float32: np.float32,
    trt.float16: np.float16,
    trt.bfloat16: ml_dtypes.bfloat16,
    trt.fp8: ml_dtypes.float8_e4m3fn,
    trt.int8: np.int8,
    trt.uint8: np.uint8,
    trt.int32: np.int32,
    trt.int64: np.int64,
    trt.bool: np.bool_,
}

# Types that a network does not have, and those that stand for them (docs/onnx.md).
TAKEN_AS = {
    "float64": "float32",
    "int16": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "uint4": "uint8",
    "uint2": "uint8",
    "int2": "int8",
    "float8_e4m3fnuz": "float32",
    "float8_e5m2": "float32",
    "float8_e5m2fnuz": "float32",
    "float8_e8m0fnu": "float32",
}

# Types whose elements share a byte, the first one in its lower half.
PACKED = {trt.int4: ml_dtypes.int4, trt.fp4: ml_dtypes.float4_e2m1fn}


def packed(array, dtype):
    """The bytes of an array of a type of 4 bits."""
    codes = np.ascontiguousarray(array.astype(dtype)).reshape(-1).view(np.uint8) & 0xF
    codes = np.append(codes, np.zeros(codes.size % 2, np.uint8))
    return codes[0::2] | (codes[1::2] << 4)


def unpacked(data, shape, dtype):
    """The array of packed bytes."""
    codes = np.stack([data & 0xF, data >> 4], axis=-1).reshape(-1)
    codes = codes[: int(np.prod(shape, dtype=np.int64))].reshape(shape)
    if dtype == ml_dtypes.int4:
        return (codes.astype(np.int8) ^ 8).astype(np.int8) - 8
    return codes.view(dtype)


class Messages(trt.ILogger):
    """Keeps errors, so that tests can check refusals."""

    def __init__(self):
        super().__init__()
        self.errors = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.errors.append(message)


class Refused(Exception):
    """Parsing, building or running failed; the text has the step and its first message."""


class Outputs(trt.IOutputAllocator):
    """Memory for outputs whose shapes are known after the run."""

    def __init__(self, memory):
        super().__init__()
        self.memory = memory
        self.buffers = {}
        self.shapes = {}

    def reallocate_output_async(self, name, memory, size, alignment, stream):
        self.buffers[name] = self.memory.DeviceArray((max(size, 1),), np.uint8)
        return self.buffers[name].ptr

    def reallocate_output(self, name, memory, size, alignment):
        return self.reallocate_output_async(name, memory, size, alignment, 0)

    def notify_shape(self, name, shape):
        self.shapes[name] = tuple(shape)

    def array(self, name, dtype):
        """The elements of an output, copied."""
        shape = self.shapes[name]
        count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        data = self.buffers[name].numpy()[:count].tobytes() if count else b""
        return np.frombuffer(data, dtype).reshape(shape)


def as_array(value):
    """Returns data of a case as an array; some types come as TensorProto."""
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else value


def cases():
    """All cases of the onnx package that have a model and data, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found = collect_testcases(None)
    return sorted(
        (case for case in found if case.model is not None and case.data_sets),
        key=lambda case: case.name,
    )


def with_exact_shapes(model, inputs):
    """Returns a copy whose inputs have the shapes of the data."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for value, array in zip(copy.graph.input, inputs, strict=False):
        if isinstance(array, np.ndarray) and value.type.HasField("tensor_type"):
            shape = value.type.tensor_type.shape
            shape.Clear()
            shape.SetInParent()
            for extent in array.shape:
                shape.dim.add().dim_value = extent
    return copy


def check(holds, step, messages):
    if not holds:
        text = messages.errors[0] if messages.errors else "no message"
        raise Refused(f"{step}: {text}")
    return holds


def build(model, data, messages):
    """Builds an engine; values of inputs that are shapes go into its profile."""
    builder = trt.Builder(messages)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    parser = trt.OnnxParser(network, messages)
    check(parser.parse(model.SerializeToString()), "parse", messages)
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    inputs = [network.get_input(i) for i in range(network.num_inputs)]
    shapes = [tensor.name for tensor in inputs if tensor.is_shape_tensor]
    for name in shapes:
        values = np.asarray(data[name], np.float64).reshape(-1)
        low, high = ([int(x) for x in bound(values)] for bound in (np.floor, np.ceil))
        profile.set_shape_input(name, low, high, high)
    if shapes:
        config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    check(plan is not None, "build", messages)
    return trt.Runtime(messages).deserialize_cuda_engine(plan)


def run(model, inputs, messages):
    """Builds and runs; returns the outputs in the order of the model. Raises Refused."""
    return run_model(model, model.graph.input, inputs, messages)


def run_model(model, given, inputs, messages):
    """The same for a model whose other inputs are initializers, as in old models."""
    model = with_exact_shapes(model, inputs) if len(given) == len(model.graph.input) else model
    data = dict(zip((value.name for value in given), inputs, strict=True))
    engine = build(model, data, messages)
    context = engine.create_execution_context()
    memory = device_memory.for_target()
    found = Outputs(memory)
    arrays = {}
    halves = {}  # outputs of types of 4 bits
    for i in range(engine.num_io_tensors):
        name = engine.get_tensor_name(i)
        shape = tuple(engine.get_tensor_shape(name))
        half = PACKED.get(engine.get_tensor_dtype(name))
        dtype = np.uint8 if half else TYPES.get(engine.get_tensor_dtype(name))
        check(dtype is not None, f"run: type {engine.get_tensor_dtype(name)}", messages)
        on_host = engine.get_tensor_location(name) == trt.TensorLocation.HOST
        place = device_memory.HostArray if on_host else memory.DeviceArray
        if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT:
            taken = packed(np.asarray(data[name]), half) if half else data[name]
            data[name] = np.ascontiguousarray(taken).astype(dtype, copy=False)
            arrays[name] = place(data[name])
        elif -1 in shape:
            check(context.set_output_allocator(name, found), "run", messages)
            continue
        else:
            bytes_of_halves = ((int(np.prod(shape, dtype=np.int64)) + 1) // 2,)
            arrays[name] = place(np.zeros(bytes_of_halves if half else shape, dtype))
            halves.update({name: (shape, half)} if half else {})
        check(context.set_tensor_address(name, arrays[name].ptr), "run", messages)
    stream = memory.Stream()
    check(context.execute_async_v3(stream.handle), "run", messages)
    stream.synchronize()
    results = {name: array.numpy() for name, array in arrays.items()}
    for name, (shape, dtype) in halves.items():
        results[name] = unpacked(results[name], shape, dtype).astype(dtype)
    for name in found.shapes:
        results[name] = found.array(name, TYPES[engine.get_tensor_dtype(name)])
    return [results[value.name] for value in model.graph.output]


def difference(results, outputs):
    """Returns how results differ from the data of the case; empty if they do not."""
    for result, given in zip(results, outputs, strict=True):
        wanted = np.asarray(given)
        if result.shape != wanted.shape:
            return f"expected the shape {wanted.shape}, got {result.shape}"
        if result.dtype.name != TAKEN_AS.get(wanted.dtype.name, wanted.dtype.name):
            return f"expected the type {wanted.dtype}, got {result.dtype}"
        # Half rounds to 11 bits; the float kernels may sum in another order than NumPy. A chain of
        # bfloat16 layers rounds once, where the reference rounds to 8 bits after each operator.
        tolerance = {"float16": 1e-2, "bfloat16": 2e-2}.get(result.dtype.name, 1e-3)
        floor = 1e-4 if tolerance < 1e-2 else tolerance / 2
        x, y = result.astype(np.float64), wanted.astype(np.float64)
        if not np.allclose(x, y, rtol=tolerance, atol=floor, equal_nan=True):
            return f"expected {y.reshape(-1)[:8]}, got {x.reshape(-1)[:8]}"
    return ""


# Why a case may be refused: a pattern of the message, and the reason that docs/onnx.md shows.
REASONS = {
    r"STRING|Strings|TfIdf|Label": "strings",
    r"COMPLEX": "complex numbers",
    r"UINT(2|4|16|32|64)\b|INT(2|4|16)\b|unknown \(": "integer types that a network does not have",
    r"FLOAT8E4M3FNUZ|FLOAT8E5M2|FLOAT8E8M0": "8-bit floating-point types besides FLOAT8E4M3FN",
    r"DOUBLE": "DOUBLE",
    (
        r"another kind of value|a sequence|optional|Sequence|Optional|UNDEFINED"
    ): "sequences and optional values",
    r"subgraph|body|branch|If\b|Loop|Scan|FlexAttention": "subgraphs",
    r"ImageDecoder": "files of images",
    r"no creator for plugin|belongs to": "operators of other domains (training, ai.onnx.ml)",
    r"is not supported yet": "operators without an importer",
}


def reason_of(message):
    """The reason for a refusal; other limits are told by the message itself."""
    import re

    return next((why for pattern, why in REASONS.items() if re.search(pattern, message)), "limits")


def outcome(case, constants=False):
    """Returns "" if a case passes, "refused: why: message", or "wrong: how"."""
    inputs, outputs = ([as_array(v) for v in values] for values in case.data_sets[0])
    model = case.model
    if constants:
        model, inputs = with_constants(model, inputs)
    messages = Messages()
    try:
        results = run(model, inputs, messages)
    except Refused as refusal:
        return f"refused: {reason_of(str(refusal))}: {refusal}"
    if "bernoulli" in case.name:
        whole = all(np.isin(r.astype(np.float32), (0, 1)).all() for r in results)
        return "" if whole else "wrong: expected 0 and 1 only"
    found = difference(results, outputs)
    return f"wrong: {found}" if found else ""


def with_constants(model, inputs):
    """Returns a copy in which all inputs but the first are initializers."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for value, array in list(zip(copy.graph.input, inputs, strict=True))[1:]:
        copy.graph.initializer.append(numpy_helper.from_array(array, value.name))
        copy.graph.input.remove(value)
    return copy, inputs[:1]


def can_have_constants(case):
    """Whether a case has several inputs, all of them arrays."""
    inputs = [as_array(value) for value in case.data_sets[0][0]]
    names = [value.name for value in case.model.graph.input]
    return len(inputs) > 1 and all(names) and all(isinstance(x, np.ndarray) for x in inputs)
