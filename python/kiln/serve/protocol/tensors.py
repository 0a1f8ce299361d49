# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays out of what clients send: bytes or numbers, with the name, type and shape they claim."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kiln.serve.protocol.types import NUMPY_NAMES, datatype, numpy_type
from kiln.serve.request import Array, BadRequestError
from kiln.serve.signature import Signature, TensorSpec

MAX_AXES = 8  # as engines have them
# Of empty tensors, too: NumPy counts the elements without the axes of extent 0.
MAX_EXTENT = (1 << 31) - 1

# Kinds of NumPy arrays that JSON numbers give, and the one of the engine's type.
_WORDS = {"b": "true or false", "i": "integers", "u": "integers", "f": "numbers", "V": "numbers"}


def named(inputs: "dict[str, TensorSpec]", name: str) -> TensorSpec:
    """The input of a name. Raises BadRequestError if the engine has none."""
    spec = inputs.get(name)
    if spec is None:
        raise BadRequestError(
            f"[protocol] input '{name}': expected one of {', '.join(inputs)}. Change the name."
        )
    return spec


def wanted(signature: Signature, names: "Sequence[str]") -> None:
    """Raises BadRequestError if a name is no output of the engine."""
    if not names:
        return
    known = [spec.name for spec in signature.outputs]
    for name in names:
        if name not in known:
            raise BadRequestError(
                f"[protocol] output '{name}': expected one of {', '.join(known)}."
                " Change the name, or leave out 'outputs' for all."
            )


def check_type(spec: TensorSpec, given: str) -> None:
    """Raises BadRequestError if a client names another type than the engine's."""
    expected = datatype(spec.dtype)
    if given == expected:
        return
    if given == "BYTES":
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected the datatype {expected}, got BYTES."
            " Engines take numbers: decode texts and images in the client."
        )
    hint = "" if given in NUMPY_NAMES else f" The datatypes are {', '.join(NUMPY_NAMES)}."
    raise BadRequestError(
        f"[protocol] input '{spec.name}': expected the datatype {expected}, got {given}."
        f" Convert the tensor in the client.{hint}"
    )


def check_shape(spec: TensorSpec, shape: Any) -> tuple[int, ...]:
    """The shape that a client gave, as a tuple. Raises BadRequestError if it is none."""
    extents = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    if len(extents) > MAX_AXES:
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected a shape of at most {MAX_AXES} axes, got"
            f" {len(extents)}."
        )
    if not all(type(extent) is int and 0 <= extent <= MAX_EXTENT for extent in extents):
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected a shape of integers from 0, got {shape!r}."
            " List one extent for each axis."
        )
    return extents


def _count_error(spec: TensorSpec, expected: int, got: int, shape: Any) -> BadRequestError:
    text = "x".join(map(str, shape)) or "scalar"
    return BadRequestError(
        f"[protocol] input '{spec.name}': expected {expected} elements for the shape {text},"
        f" got {got}. Change the shape or the data."
    )


def _empty(spec: TensorSpec, shape: "tuple[int, ...]", dtype: "np.dtype[Any]") -> Array:
    try:
        return np.empty(shape, dtype)
    except ValueError as error:
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected extents that an array can have, got the"
            f" shape {'x'.join(map(str, shape))} ({error})."
        ) from error


def from_bytes(spec: TensorSpec, shape: "tuple[int, ...]", data: Any) -> Array:
    """An array over the bytes of a client, without a copy: little-endian, row-major.

    data: bytes or a memoryview. The array is read-only and may not be aligned.
    """
    dtype = numpy_type(spec.dtype)
    expected = math.prod(shape) * dtype.itemsize
    if len(data) != expected:
        text = "x".join(map(str, shape)) or "scalar"
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected {expected} bytes for"
            f" {datatype(spec.dtype)} of the shape {text}, got {len(data)}."
            " Change the shape or the data."
        )
    if expected == 0:
        return _empty(spec, shape, dtype)
    if dtype.kind == "b":
        truth: Array = np.frombuffer(data, np.uint8) != 0
        return truth.reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


def from_numbers(spec: TensorSpec, shape: "tuple[int, ...] | None", values: Any) -> Array:
    """An array of JSON's numbers, nested or flat.

    shape: None takes that of the nesting. Raises BadRequestError for what the type cannot hold.
    """
    dtype = numpy_type(spec.dtype)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected nested lists of equal lengths, got lists of"
            f" different lengths or depths ({error}). Fill up the short ones."
        ) from error
    if array.dtype != dtype:
        array = converted(spec, array)
    if shape is None or array.shape == shape:
        return array
    if array.size == 0 and 0 in shape:
        return _empty(spec, shape, dtype)
    if array.size != math.prod(shape):
        raise _count_error(spec, math.prod(shape), array.size, shape)
    return array.reshape(shape)


def converted(spec: TensorSpec, array: Array) -> Array:
    """An array in the type of an input. Raises BadRequestError if a value would be lost."""
    dtype = numpy_type(spec.dtype)
    if array.size == 0:
        return array.astype(dtype)
    kind, target = array.dtype.kind, dtype.kind
    if kind not in "biuf" or (target == "b" and kind != "b" and not np.isin(array, (0, 1)).all()):
        got = {"U": "a text", "O": "null, an object or mixed values"}.get(kind, "other values")
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected {_WORDS.get(target, 'numbers')} for"
            f" {datatype(spec.dtype)}, got {got if kind not in 'biuf' else 'numbers'}."
            " Change the data."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        result = array.astype(dtype)
        if target in "iu":
            lost = result.astype(array.dtype) != array
        else:
            lost = np.isfinite(array) & ~np.isfinite(result.astype(np.float64))
    if lost.any():
        value = array[lost].flat[0].item()
        raise BadRequestError(
            f"[protocol] input '{spec.name}': expected values that {datatype(spec.dtype)} can"
            f" hold, got {value!r}. Round or scale the data."
        )
    return result


def typed(spec: TensorSpec, shape: "tuple[int, ...]", array: Array) -> Array:
    """The flat array of a typed gRPC field in the type and shape of an input."""
    if array.size != math.prod(shape):
        raise _count_error(spec, math.prod(shape), array.size, shape)
    if array.size == 0:
        return _empty(spec, shape, numpy_type(spec.dtype))
    if array.dtype != numpy_type(spec.dtype):
        array = converted(spec, array)
    return array.reshape(shape)
