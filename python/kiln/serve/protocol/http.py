# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of inference requests and responses: JSON, with tensors as numbers or as bytes behind it.

A small request costs a few microseconds: the JSON is read by orjson, and arrays lie over the bytes
of the body.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from kiln.serve.protocol import tensors
from kiln.serve.protocol.classes import classes, serialized
from kiln.serve.protocol.known_heads import KnownHeads
from kiln.serve.protocol.parameters import class_count, refuse_shared_memory, timeout_ms
from kiln.serve.protocol.types import datatype_of, numpy_type
from kiln.serve.request import Array, BadRequestError, InferRequest, InferResult
from kiln.serve.signature import Signature, TensorSpec

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY
_JSON_KINDS = "biuf"  # what orjson writes; other types are written as float32


@dataclass
class Form:
    """How a client wants the outputs.

    plain: as {"outputs": {"y": [[...]]}}, to a request of that form. binary: as bytes, unless
    `binary_by_name` says otherwise. classes: the outputs wanted as classes, with their number.
    """

    plain: bool = False
    binary: bool = False
    binary_by_name: dict[str, bool] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)


def parse(
    body: "bytes | memoryview",
    signature: Signature,
    header_length: "int | None" = None,
    heads: "KnownHeads | None" = None,
) -> "tuple[InferRequest, Form]":
    """Reads the body of a request.

    header_length: bytes of JSON, of the header Inference-Header-Content-Length; behind it come the
    binary tensors. None: all is JSON. 0: the body is the tensor of the only input. heads: those of
    earlier requests; gets that of this one. Raises BadRequestError.
    """
    if header_length is None:
        return _parsed(_json(body), memoryview(b""), signature)
    if not 0 <= header_length <= len(body):
        raise BadRequestError(
            "[protocol] header Inference-Header-Content-Length: expected at most the"
            f" {len(body)} bytes of the body, got {header_length}. Send the length of the JSON."
        )
    if header_length == 0:
        return _raw(body, signature)
    known = heads.find(body, header_length, signature) if heads is not None else None
    if known is not None:
        return known.request(body, header_length), known.form
    view = memoryview(body)
    text, binary = view[:header_length], view[header_length:]
    request, form = _parsed(_json(text), binary, signature)
    if heads is not None and sum(a.nbytes for a in request.inputs.values()) == len(binary):
        heads.keep(text, signature, request, form)
    return request, form


def _json(data: "bytes | memoryview") -> dict[str, Any]:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        try:  # NaN and Infinity, which some clients write, are no JSON for orjson
            value = json.loads(bytes(data))
        except (ValueError, RecursionError):
            raise BadRequestError(
                f"[protocol] body: expected JSON, got {len(data)} bytes that are none ({error})."
                " For binary tensors, send the header Inference-Header-Content-Length."
            ) from None
    if not isinstance(value, dict):
        raise BadRequestError(
            '[protocol] body: expected a JSON object such as {"inputs": {"x": [[1.0, 2.0]]}},'
            f" got {type(value).__name__}."
        )
    return value


def _object(value: Any, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRequestError(
            f"[protocol] '{where}': expected a JSON object, got {type(value).__name__}."
        )
    return value


def _name(tensor: dict[str, Any], kind: str) -> str:
    name = tensor.get("name")
    if not isinstance(name, str):
        raise BadRequestError(f"[protocol] an {kind}: expected a 'name' that is a text, got none.")
    return name


def _parsed(
    message: dict[str, Any], binary: memoryview, signature: Signature
) -> "tuple[InferRequest, Form]":
    given = message.get("inputs")
    parameters = _object(message.get("parameters"), "parameters")
    form = Form(isinstance(given, dict), parameters.get("binary_data_output") is True)
    known = signature.inputs_by_name
    if isinstance(given, dict):
        inputs = {
            name: tensors.from_numbers(tensors.named(known, name), None, values)
            for name, values in given.items()
        }
    elif isinstance(given, list):
        inputs = _inputs(given, binary, known)
    else:
        raise BadRequestError(
            f"[protocol] 'inputs': expected a list of tensors, got {type(given).__name__}."
            ' Send {"inputs": [{"name": ..., "shape": ..., "datatype": ..., "data": ...}]}.'
        )
    id = message.get("id", "")
    return (
        InferRequest(
            inputs,
            _outputs(message.get("outputs"), form, signature),
            id if isinstance(id, str) else str(id),
            timeout_ms(parameters),
            parameters,
        ),
        form,
    )


def _inputs(given: list[Any], binary: memoryview, known: dict[str, TensorSpec]) -> dict[str, Array]:
    inputs: dict[str, Array] = {}
    used = 0
    for item in given:
        tensor = _object(item, "inputs")
        name = _name(tensor, "input")
        spec = tensors.named(known, name)
        if name in inputs:
            raise BadRequestError(f"[protocol] input '{name}': expected it once, got it twice.")
        parameters = _object(tensor.get("parameters"), f"parameters of {name}")
        refuse_shared_memory("input", name, parameters)
        if "datatype" in tensor:
            tensors.check_type(spec, tensor["datatype"])
        shape = tensors.check_shape(spec, tensor["shape"]) if "shape" in tensor else None
        size = parameters.get("binary_data_size")
        if size is None:
            inputs[name] = _numbers(spec, shape, tensor)
            continue
        if shape is None:
            raise BadRequestError(f"[protocol] input '{name}': expected a 'shape', got none.")
        if type(size) is not int or not 0 <= size <= len(binary) - used:
            raise BadRequestError(
                f"[protocol] input '{name}', parameter 'binary_data_size': expected at most the"
                f" {len(binary) - used} bytes that follow, got {size!r}. Append the tensors behind"
                " the JSON in the order of the inputs, and send Inference-Header-Content-Length."
            )
        inputs[name] = tensors.from_bytes(spec, shape, binary[used : used + size])
        used += size
    if used != len(binary):
        raise BadRequestError(
            f"[protocol] body: expected {used} bytes of tensors behind the JSON, got {len(binary)}."
            " Give each binary input its 'binary_data_size'."
        )
    return inputs


def _numbers(spec: TensorSpec, shape: "tuple[int, ...] | None", tensor: dict[str, Any]) -> Array:
    if "data" not in tensor:
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected 'data' or the parameter"
            " 'binary_data_size', got neither."
        )
    return tensors.from_numbers(spec, shape, tensor["data"])


def _outputs(given: Any, form: Form, signature: Signature) -> list[str]:
    """The names of the outputs wanted; what else the client says of them goes to `form`."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise BadRequestError(
            f"[protocol] 'outputs': expected a list, got {type(given).__name__}."
            ' Send {"outputs": [{"name": ...}]}, or leave it out for all.'
        )
    names = []
    for item in given:
        if isinstance(item, str):
            names.append(item)
            continue
        tensor = _object(item, "outputs")
        name = _name(tensor, "output")
        parameters = _object(tensor.get("parameters"), f"parameters of {name}")
        refuse_shared_memory("output", name, parameters)
        if "binary_data" in parameters:
            form.binary_by_name[name] = parameters["binary_data"] is True
        count = class_count(name, parameters)
        if count:
            form.classes[name] = count
        names.append(name)
    tensors.wanted(signature, names)
    return names


def _raw(body: "bytes | memoryview", signature: Signature) -> "tuple[InferRequest, Form]":
    """A body that is the tensor of the only input; its size gives the one unknown extent."""
    if len(signature.inputs) != 1:
        names = ", ".join(spec.name for spec in signature.inputs)
        raise BadRequestError(
            "[protocol] body without JSON: expected a model of one input, got the inputs"
            f" {names}. Send JSON before the tensors."
        )
    spec = signature.inputs[0]
    unknown = [axis for axis, extent in enumerate(spec.shape) if extent < 0]
    if len(unknown) > 1:
        raise BadRequestError(
            f"[protocol] body without JSON: expected an input with at most one dynamic axis, got"
            f" '{spec.name}' with {len(unknown)}. Send JSON with the shape before the tensor."
        )
    shape = list(spec.shape)
    if unknown:
        known = int(np.prod([extent for extent in shape if extent >= 0]))
        size = known * numpy_type(spec.dtype).itemsize
        shape[unknown[0]] = len(body) // size if size else 0
    data = memoryview(body)
    return InferRequest({spec.name: tensors.from_bytes(spec, tuple(shape), data)}), Form(
        binary=True
    )


def render(result: InferResult, form: Form, signature: Signature) -> "tuple[bytes, int | None]":
    """The body of a response, and the length of its JSON if binary tensors follow it."""
    head: dict[str, Any] = {"model_name": result.model, "model_version": result.version}
    if result.id:
        head["id"] = result.id
    if form.plain:
        head["outputs"] = {name: _nested(array) for name, array in result.outputs.items()}
        return orjson.dumps(head, option=_OPTIONS), None
    head["outputs"] = outputs = []
    parts = [b""]
    for name, array in result.outputs.items():
        kind = datatype_of(array.dtype)
        count = form.classes.get(name, 0)
        if count:
            array, kind = classes(array, count, signature.batch), "BYTES"
        tensor: dict[str, Any] = {"name": name, "datatype": kind, "shape": array.shape}
        if form.binary_by_name.get(name, form.binary):
            parts.append(serialized(array) if count else array.tobytes())
            tensor["parameters"] = {"binary_data_size": len(parts[-1])}
        else:
            tensor["data"] = array.ravel().tolist() if count else _numeric(array.ravel())
        outputs.append(tensor)
    parts[0] = orjson.dumps(head, option=_OPTIONS)
    return b"".join(parts), len(parts[0]) if len(parts) > 1 else None


def _numeric(array: Array) -> Array:
    """An array that orjson writes: row-major, and of a type that NumPy has."""
    if array.dtype.kind not in _JSON_KINDS:
        array = array.astype(np.float32)
    return np.ascontiguousarray(array)


def _nested(array: Array) -> Any:
    return _numeric(array) if array.ndim else _numeric(array.reshape(1)).item()
