# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors of gRPC's inference messages: out of a request, into a response."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kiln.serve.protocol import tensors
from kiln.serve.protocol.classes import classes, serialized
from kiln.serve.protocol.messages import ModelInferResponse
from kiln.serve.protocol.parameters import class_count, refuse_shared_memory, timeout_ms
from kiln.serve.protocol.types import datatype, datatype_of
from kiln.serve.request import Array, BadRequestError, InferRequest, InferResult
from kiln.serve.signature import Signature, TensorSpec

# The field of typed contents that holds a datatype, and NumPy's type of its elements.
_FIELDS = {
    "BOOL": ("bool_contents", "bool"),
    "INT8": ("int_contents", "int32"),
    "INT16": ("int_contents", "int32"),
    "INT32": ("int_contents", "int32"),
    "INT64": ("int64_contents", "int64"),
    "UINT8": ("uint_contents", "uint32"),
    "UINT16": ("uint_contents", "uint32"),
    "UINT32": ("uint_contents", "uint32"),
    "UINT64": ("uint64_contents", "uint64"),
    "FP32": ("fp32_contents", "float32"),
    "FP64": ("fp64_contents", "float64"),
}


def values(parameters: "Mapping[str, Any]") -> dict[str, Any]:
    """The values of a map of InferParameter."""
    found = {}
    for name, parameter in parameters.items():
        choice = parameter.WhichOneof("parameter_choice")
        found[name] = getattr(parameter, choice) if choice else None
    return found


def parse(message: Any, signature: Signature) -> "tuple[InferRequest, dict[str, int]]":
    """A request of a ModelInferRequest, and the outputs wanted as classes with their number.

    Raises BadRequestError.
    """
    raw = message.raw_input_contents
    given = message.inputs
    if raw and len(raw) != len(given):
        raise BadRequestError(
            f"[protocol] raw_input_contents: expected one entry for each of the {len(given)}"
            f" inputs, got {len(raw)}. Send all inputs as bytes, or none."
        )
    known = signature.inputs_by_name
    inputs: dict[str, Array] = {}
    for index, tensor in enumerate(given):
        name = tensor.name
        spec = tensors.named(known, name)
        if name in inputs:
            raise BadRequestError(f"[protocol] input '{name}': expected it once, got it twice.")
        refuse_shared_memory("input", name, tensor.parameters)
        if tensor.datatype:
            tensors.check_type(spec, tensor.datatype)
        shape = tensors.check_shape(spec, list(tensor.shape))
        if raw:
            inputs[name] = tensors.from_bytes(spec, shape, raw[index])
        else:
            inputs[name] = _typed(spec, shape, tensor.contents)
    counts: dict[str, int] = {}
    names = []
    for output in message.outputs:
        names.append(output.name)
        if output.parameters:
            refuse_shared_memory("output", output.name, output.parameters)
            count = class_count(output.name, values(output.parameters))
            if count:
                counts[output.name] = count
    tensors.wanted(signature, names)
    parameters = values(message.parameters) if message.parameters else {}
    request = InferRequest(inputs, names, message.id, timeout_ms(parameters), parameters)
    return request, counts


def _typed(spec: TensorSpec, shape: "tuple[int, ...]", contents: Any) -> Array:
    kind = datatype(spec.dtype)
    if kind not in _FIELDS:
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected {kind} as bytes in raw_input_contents, got"
            " typed contents, which have no field for it."
        )
    field, dtype = _FIELDS[kind]
    others = [other.name for other, _ in contents.ListFields() if other.name != field]
    if others:
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected {kind} in {field}, got {others[0]}."
        )
    found = getattr(contents, field)
    return tensors.typed(spec, shape, np.fromiter(found, dtype, len(found)))


def render(result: InferResult, counts: "Mapping[str, int]", signature: Signature) -> Any:
    """The ModelInferResponse of a result; tensors are bytes in raw_output_contents."""
    response = ModelInferResponse(
        model_name=result.model, model_version=result.version, id=result.id
    )
    for name, array in result.outputs.items():
        count = counts.get(name, 0) if counts else 0
        if count:
            array = classes(array, count, signature.batch)
            response.outputs.add(name=name, datatype="BYTES", shape=array.shape)
            response.raw_output_contents.append(serialized(array))
        else:
            response.outputs.add(name=name, datatype=datatype_of(array.dtype), shape=array.shape)
            response.raw_output_contents.append(array.tobytes())
    return response
