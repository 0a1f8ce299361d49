# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of ops: their types, and their conversion to plugin fields."""

import operator
from typing import Any, NamedTuple

from kiln._core import PluginField, PluginFieldType
from kiln._messages import coded
from kiln.plugin._annotations import element_of, is_array, text_of

_ELEMENTS = {
    "int8": PluginFieldType.INT8,
    "int16": PluginFieldType.INT16,
    "int32": PluginFieldType.INT32,
    "int64": PluginFieldType.INT64,
    "float16": PluginFieldType.FLOAT16,
    "float32": PluginFieldType.FLOAT32,
    "float64": PluginFieldType.FLOAT64,
    "bool": PluginFieldType.INT8,
    "bool_": PluginFieldType.INT8,
}
_SCALARS = {
    int: ("int64", PluginFieldType.INT64),
    float: ("float64", PluginFieldType.FLOAT64),
    bool: ("int8", PluginFieldType.INT8),
    str: ("uint8", PluginFieldType.CHAR),
    bytes: ("uint8", PluginFieldType.CHAR),
}


class AttributeType(NamedTuple):
    """int, float, bool, str, bytes, or the element type of an array."""

    annotation: Any
    element: str | None  # of an array

    @property
    def field_type(self) -> PluginFieldType:
        """The type of the field that holds such an attribute."""
        return _ELEMENTS[self.element] if self.element else _SCALARS[self.annotation][1]

    def __str__(self) -> str:
        return text_of(self.annotation)


def attribute_type(annotation: Any, where: str) -> AttributeType:
    """The type for an annotation. ``where`` names function and parameter in messages."""
    if annotation in _SCALARS:
        return AttributeType(annotation, None)
    if is_array(annotation):
        name = getattr(element_of(annotation), "__name__", None)
        if name in _ELEMENTS:
            return AttributeType(annotation, name)
        raise coded(
            TypeError,
            f"[plugin] {where}: expected an array of int8, int16, int32, int64, float16, float32, "
            f"float64 or bool, as in numpy.typing.NDArray[numpy.int32], got {text_of(annotation)}",
        )
    raise coded(
        TypeError,
        f"[plugin] {where}: expected TensorDesc for an input, or int, float, str, bool, bytes or "
        f"numpy.typing.NDArray[...] for an attribute, got {text_of(annotation)}",
    )


def checked_value(value: Any, kind: AttributeType, where: str) -> Any:
    """A value converted to the attribute's type. Raises TypeError that names ``where``."""
    element, scalar = kind.element, kind.annotation
    converted = _as_array(value, element) if element else _as_scalar(value, scalar)
    if converted is None:
        got = getattr(value, "dtype", None)
        shape = getattr(value, "shape", None)
        text = type(value).__name__ if got is None else f"an array of {got}, shape {shape}"
        hint = " Give a 1-D array of that type." if kind.element else ""
        raise coded(TypeError, f"[plugin] {where}: expected {kind}, got {text}.{hint}")
    return converted


def _as_array(value: Any, element: str) -> Any:
    import numpy as np

    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(element.rstrip("_")):
        return None
    return np.ascontiguousarray(value) if value.ndim == 1 else None


def _as_scalar(value: Any, kind: type) -> Any:
    if kind is str or kind is bytes:
        return value if isinstance(value, kind) else None
    is_bool = isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
    if kind is bool:
        return bool(value) if is_bool else None
    if is_bool or isinstance(value, str | bytes) or getattr(value, "ndim", 0) != 0:
        return None
    try:
        return operator.index(value) if kind is int else float(value)
    except (TypeError, ValueError):
        return None


def to_field(name: str, value: Any, kind: AttributeType) -> PluginField:
    """A checked value as a field."""
    import numpy as np

    if kind.element:
        data = value.view(np.int8) if value.dtype == np.bool_ else value
        return PluginField(name, data, kind.field_type)
    dtype, field_type = _SCALARS[kind.annotation]
    if kind.annotation in (str, bytes):
        raw = value.encode() if isinstance(value, str) else value
        return PluginField(name, np.frombuffer(raw, dtype), field_type)
    return PluginField(name, np.array([value], dtype), field_type)


def from_field(field: PluginField, kind: AttributeType, where: str) -> Any:
    """The value of a field that to_field made, or that holds an attribute of an ONNX node."""
    import numpy as np

    data = np.zeros(0, np.int8) if field.data is None else np.asarray(field.data)
    if kind.annotation in (str, bytes):
        raw = data.tobytes()
        return raw.decode() if kind.annotation is str else raw
    if kind.element:
        wanted = np.dtype(kind.element.rstrip("_"))
        with np.errstate(all="ignore"):
            array = data.astype(wanted)
        is_same = np.array_equal(array.astype(data.dtype), data, equal_nan=data.dtype.kind == "f")
        if array.dtype.kind == "f" and data.dtype.kind == "f":
            is_same = True  # rounding to a narrower type is allowed
        if is_same:
            return array
    elif data.size == 1:
        number = data.reshape(-1)[0].item()
        if kind.annotation is bool and number in (0, 1):
            return bool(number)
        if kind.annotation is float or (kind.annotation is int and isinstance(number, int)):
            return kind.annotation(number)
    raise coded(
        TypeError,
        f"[plugin] {where}: expected {kind}, got {data.size} values of {field.type} that do not "
        "fit it",
    )
