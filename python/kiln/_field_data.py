# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Converts the data of a plugin field to an array of the field's type."""

from typing import Any

from kiln._core import PluginFieldType, _warn
from kiln._messages import coded

_TEXT = (PluginFieldType.CHAR, PluginFieldType.UNKNOWN)
_PACKED = (PluginFieldType.INT4, PluginFieldType.FP4)
_AS_GIVEN = (PluginFieldType.UNKNOWN, PluginFieldType.DIMS)
# Types that NumPy lacks, and their names in the package ml_dtypes.
_NAMED = {PluginFieldType.BF16: "bfloat16", PluginFieldType.FP8: "float8_e4m3fn"}
_warned: set[tuple[str, str, str]] = set()


def convert(name: str, data: Any, kind: PluginFieldType, dtype: str, bits: int) -> Any:
    """Converts data to a contiguous 1-D array of type ``dtype``, without a copy if possible.

    name: of the field. data: text, bytes, a number, or an array or sequence of numbers. bits: the
    size of an element of the field. Bytes are used unchanged, numbers are converted by value.
    Raises TypeError for other objects, ValueError for values that the type cannot hold.
    """
    import numpy as np

    where = f"[plugin field] '{name}'"
    raw = _as_bytes(data, kind, where)
    if raw is not None:
        if len(raw) * 8 % bits:
            raise coded(
                ValueError, f"{where}: expected whole elements of {bits} bits, got {len(raw)} bytes"
            )
        array = np.frombuffer(raw, np.uint8)
    else:
        array = _as_numbers(data, where)
    wanted = np.dtype(dtype)
    if array.size == 0:
        return np.zeros(0, wanted)
    if raw is None:
        given = array.dtype
        array = _by_value(array, kind, wanted, name)
        if not _has_layout(given, kind, wanted) and given.newbyteorder("=") != wanted:
            _warn_once(name, str(getattr(data, "dtype", type(data).__name__)), kind, dtype)
    array = np.ascontiguousarray(array).reshape(-1)
    if kind != PluginFieldType.UNKNOWN:
        array = array.view(wanted)
    return array if array.flags.aligned else array.copy()


def _as_bytes(data: Any, kind: PluginFieldType, where: str) -> "bytes | memoryview | None":
    """The bytes of text or bytes, None for numbers."""
    if isinstance(data, str):
        if kind not in _TEXT:
            raise coded(TypeError, f"{where}: expected numbers for {kind}, got str")
        return data.encode()
    if isinstance(data, bytes | bytearray):
        return memoryview(data)
    if isinstance(data, memoryview) and data.format in ("B", "b", "c"):
        return data if data.c_contiguous else data.tobytes()
    return None


def _as_numbers(data: Any, where: str) -> Any:
    import numpy as np

    array = np.asarray(data)
    if array.dtype.kind in "SU" and array.size == 1:  # an array with one text
        text = array.reshape(-1)[0]
        return np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)
    if array.dtype.kind in "biufSV":
        return array
    raise coded(
        TypeError,
        f"{where}: expected an array, a sequence of numbers, a number, text or bytes, got "
        f"{type(data).__name__}{'' if array.dtype.kind == 'O' else f' of {array.dtype}'}",
    )


def _by_value(array: Any, kind: PluginFieldType, wanted: Any, name: str) -> Any:
    """Numbers converted to the field's type; unchanged if they have its layout already."""
    given = array.dtype
    if _has_layout(given, kind, wanted):
        return array
    if kind in _PACKED:
        raise coded(
            ValueError,
            f"[plugin field] '{name}': expected the codes of {kind}, two in each byte, as uint8, "
            f"got {given}",
        )
    if given.kind == "V":  # a type of ml_dtypes, which implements the conversion
        array = array.astype("float32")
    converted = _converted(array, kind, wanted)
    if converted is None:
        raise coded(
            ValueError,
            f"[plugin field] '{name}': expected {wanted} data for {kind}, got {given} with values "
            "that do not fit. Name the type of the data, or convert it with astype.",
        )
    return converted


def _has_layout(given: Any, kind: PluginFieldType, wanted: Any) -> bool:
    """Whether the memory of the elements can be used unchanged."""
    if given == wanted or given.name == _NAMED.get(kind) or kind in _AS_GIVEN:
        return True
    same_width = given.itemsize == wanted.itemsize
    if wanted.kind == "f" or not given.isnative:
        return False
    plain_void = given.kind == "V" and given.name.startswith("void")
    return same_width and (given.kind in "iubS" or plain_void)


def _converted(array: Any, kind: PluginFieldType, wanted: Any) -> Any:
    """The values in another type, None if more is lost than by rounding between float types."""
    import numpy as np

    if array.dtype.kind not in "biuf":
        return None
    if kind in _NAMED:
        return _narrowed(array, kind)
    with np.errstate(all="ignore"):
        result = array.astype(wanted)
        if array.dtype.kind == "f" and wanted.kind == "f":
            fits = np.isinf(result) == np.isinf(array)
        else:
            fits = result.astype(array.dtype) == array
            if wanted.kind == "i" and array.dtype.kind in "uf":
                limits = np.iinfo(wanted)  # a value that wraps around and back compares equal
                fits &= (array >= limits.min) & (array < limits.max + 1)
    return result if fits.all() else None


def _narrowed(array: Any, kind: PluginFieldType) -> Any:
    """The nearest values in a type that NumPy lacks, as raw bits; None if one does not fit."""
    import numpy as np

    with np.errstate(all="ignore"):
        values = array.astype(np.float32)
    if array.dtype.kind != "f" and not (values.astype(array.dtype) == array).all():
        return None
    if kind == PluginFieldType.BF16:
        bits = values.view(np.uint32)
        rounded = ((bits + (((bits >> 16) & 1) + 0x7FFF)) >> 16).astype(np.uint16)
        rounded = np.where(np.isnan(values), np.uint16(0x7FC0), rounded)
        infinite = (rounded & 0x7FFF) == 0x7F80
        return rounded if (infinite == np.isinf(array)).all() else None
    try:
        import ml_dtypes
    except ImportError:
        raise coded(
            TypeError,
            f"[plugin field]: expected the bits of {kind} as uint8, got {array.dtype}. Install "
            "ml_dtypes for a conversion.",
        ) from None
    result = values.astype(ml_dtypes.float8_e4m3fn)
    same = np.isnan(result.astype(np.float32)) == np.isnan(values)
    return result.view(np.uint8) if same.all() else None


def _warn_once(name: str, given: str, kind: PluginFieldType, dtype: str) -> None:
    key = (name, given, str(kind))
    if key not in _warned:
        _warned.add(key)
        _warn(
            f"[plugin field] '{name}': expected an array of {dtype} for {kind}, got {given}, which "
            "was converted. Pass an array of that type."
        )
