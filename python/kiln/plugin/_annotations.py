# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Annotations of decorated functions, given as objects or as text."""

import builtins
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from kiln._messages import coded

Names = dict[str, Any]


def visible_names(function: Callable[..., Any], local: Names) -> Names:
    """The names that an annotation given as text may use; the function's own override ``local``."""
    plain = inspect.unwrap(function)
    names = {**vars(builtins), **local, **getattr(plain, "__globals__", {})}
    code, cells = getattr(plain, "__code__", None), getattr(plain, "__closure__", None)
    for name, cell in zip(getattr(code, "co_freevars", ()), cells or (), strict=False):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            continue  # a variable of the enclosing function that has no value yet
    return names


def resolved(annotation: Any, names: Names, where: str) -> Any:
    """An annotation as an object. ``where`` names function and parameter in messages."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    while isinstance(annotation, str):
        try:
            annotation = eval(annotation, {}, names)
        except Exception as error:
            raise coded(
                TypeError,
                f"[plugin] {where}: expected an annotation that can be evaluated, got "
                f"{annotation!r} ({type(error).__name__}: {error})",
            ) from error
    origin, items = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return resolved(items[0], names, where)
    alias = origin or annotation
    if type(alias).__name__ == "TypeAliasType":  # NDArray is one since NumPy 2.5
        return resolved(alias.__value__[items] if items else alias.__value__, names, where)
    if origin in (tuple, list) and any(isinstance(i, str | typing.ForwardRef) for i in items):
        return origin[tuple(resolved(item, names, where) for item in items)]
    return annotation


def text_of(annotation: Any) -> str:
    """An annotation as a user would write it."""
    if annotation is inspect.Parameter.empty:
        return "no annotation"
    if annotation is Ellipsis:
        return "..."
    origin = typing.get_origin(annotation)
    if is_array(annotation):
        return f"NDArray[{getattr(element_of(annotation), '__name__', '?')}]"
    if origin is typing.Union or origin is types.UnionType:
        return " | ".join(text_of(item) for item in typing.get_args(annotation))
    if origin is not None:
        items = ", ".join(text_of(item) for item in typing.get_args(annotation))
        return f"{getattr(origin, '__name__', str(origin))}[{items}]"
    return getattr(annotation, "__name__", None) or str(annotation)


def is_array(annotation: Any) -> bool:
    """Whether an annotation is numpy.typing.NDArray[...], or numpy.ndarray itself."""
    kind = typing.get_origin(annotation) or annotation
    return getattr(kind, "__module__", "") == "numpy" and getattr(kind, "__name__", "") == "ndarray"


def element_of(annotation: Any) -> Any:
    """The element type of NDArray[...], None if it has none."""
    arguments = typing.get_args(annotation)
    dtype = typing.get_args(arguments[1]) if len(arguments) == 2 else ()
    return dtype[0] if dtype and isinstance(dtype[0], type) else None


def tuple_items(annotation: Any) -> tuple[Any, ...] | None:
    """The arguments of tuple[...] or Tuple[...], None for anything else."""
    return typing.get_args(annotation) if typing.get_origin(annotation) is tuple else None
