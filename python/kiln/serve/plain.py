# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Dataclasses from the plain values of a YAML file, each checked, and back."""

import dataclasses
import difflib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from kiln._messages import coded

T = TypeVar("T")

_WORDS = {
    str: "a text",
    bytes: "bytes",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    Path: "a path",
    dict: "a dictionary",
    tuple: "a list",
}


def from_dict(kind: "type[T]", values: "Mapping[str, Any]", where: str = "serve") -> T:
    """Makes a configuration of plain values, as a YAML file has them.

    kind: ServeConfig, ModelConfig, Batching, Pad or Crop. values: fields by name; nested ones are
    dictionaries, several models a list. A nested value that is already of its class is taken as it
    is. where: how messages name the place.
    Raises ValueError for an unknown field, a missing one or a value of the wrong type.
    """
    if not isinstance(values, Mapping):
        raise coded(
            ValueError,
            f"[deploy] {where}: expected a dictionary with the fields of {kind.__name__}, got "
            f"{_shown(values)}.",
        )
    fields = _fields(kind)
    hints = typing.get_type_hints(kind)
    found = {}
    for name, value in values.items():
        if name not in fields:
            raise coded(
                ValueError,
                f"[deploy] {where}: expected fields of {kind.__name__}, got '{name}'. "
                f"{_remedy(str(name), list(fields))}",
            )
        found[name] = _value(hints[name], value, f"{where}.{name}")
    missing = [
        name
        for name, item in fields.items()
        if name not in found
        and item.default is dataclasses.MISSING
        and item.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise coded(
            ValueError,
            f"[deploy] {where}: {kind.__name__} needs the field '{missing[0]}', which it lacks.",
        )
    return kind(**found)


def to_dict(config: Any, defaults: bool = True) -> "dict[str, Any]":
    """The plain values of a configuration; from_dict takes them back.

    defaults: whether fields that have their default value are part of it.
    """
    result = {}
    for name, item in _fields(type(config)).items():
        value = getattr(config, name)
        if defaults or not _is_default(item, value):
            result[name] = _plain(value, defaults)
    return result


def _fields(kind: Any) -> "dict[str, dataclasses.Field[Any]]":
    return {item.name: item for item in dataclasses.fields(kind)}


def _is_default(item: "dataclasses.Field[Any]", value: Any) -> bool:
    if item.default_factory is not dataclasses.MISSING:
        return bool(value == item.default_factory())
    return item.default is not dataclasses.MISSING and bool(value == item.default)


def _plain(value: Any, defaults: bool) -> Any:
    if dataclasses.is_dataclass(value):
        return to_dict(value, defaults)
    if isinstance(value, Mapping):
        return {key: _plain(item, defaults) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item, defaults) for item in value]
    return str(value) if isinstance(value, Path) else value


def _remedy(name: str, names: "list[str]") -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(names)}."


def _value(hint: Any, value: Any, where: str) -> Any:
    """The value as the type of a field; raises ValueError if it is of another type."""
    if hint is Any:
        return value
    choices = _choices(hint)
    for choice in choices:
        taken = _taken(choice, value, where)
        if taken is not _NO:
            return taken
    words = [_word(choice) for choice in choices if choice is not bytes]
    raise coded(
        ValueError,
        f"[deploy] {where}: expected {' or '.join(words)}, got {_shown(value)}.",
    )


_NO = object()


def _choices(hint: Any) -> "tuple[Any, ...]":
    """The members of a union; a hint that is none is the only one."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return typing.get_args(hint)
    return (hint,)


def _taken(hint: Any, value: Any, where: str) -> Any:
    """The value as one type; _NO if it is of another one."""
    if dataclasses.is_dataclass(hint):
        if isinstance(value, typing.cast(type, hint)):
            return value
        return from_dict(typing.cast("type[Any]", hint), value, where)
    origin = typing.get_origin(hint)
    if origin is dict and isinstance(value, Mapping):
        item = typing.get_args(hint)[1]
        return {str(key): _value(item, one, f"{where}.{key}") for key, one in value.items()}
    if origin is tuple and isinstance(value, (list, tuple)):
        item = typing.get_args(hint)[0]
        return tuple(_value(item, one, f"{where}[{i}]") for i, one in enumerate(value))
    if origin is not None:
        return _NO
    if isinstance(value, bool) or hint is bool:
        return value if hint is bool and isinstance(value, bool) else _NO
    if hint is float and isinstance(value, int):
        return float(value)
    return value if isinstance(value, hint) else _NO


def _word(hint: Any) -> str:
    if dataclasses.is_dataclass(hint):
        return f"a dictionary with the fields of {hint.__name__}"  # type: ignore[union-attr]
    return _WORDS[typing.get_origin(hint) or hint]


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
