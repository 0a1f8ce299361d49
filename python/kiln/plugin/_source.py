# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The id of a decorated plugin in timing caches, made of its source and its attributes."""

import hashlib
import inspect
from types import CodeType
from typing import Any

from kiln.plugin._definition import Definition


def _code_text(code: CodeType) -> bytes:
    """The instructions of a function without source, including those of inner functions."""
    constants = [
        _code_text(item) if isinstance(item, CodeType) else repr(item).encode()
        for item in code.co_consts
    ]
    return b"\0".join([code.co_code, " ".join(code.co_names).encode(), *constants])


def source_of(function: Any) -> bytes:
    """The source of a function, or its instructions if there is no source."""
    try:
        return inspect.getsource(function).encode()
    except (OSError, TypeError):
        code = getattr(inspect.unwrap(function), "__code__", None)
        return repr(function).encode() if code is None else _code_text(code)


def timing_cache_id(definition: Definition, attributes: dict[str, Any], style: str) -> str:
    """An id that is equal for plugins with the same functions and attributes."""
    digest = hashlib.sha256(style.encode())
    functions = (
        definition.register_func,
        definition.impl_func,
        definition.autotune_func,
        definition.aot_impl_func,
    )
    for function in functions:
        digest.update(b"\1" if function is None else source_of(function))
    for name, value in attributes.items():
        raw = value.tobytes() if hasattr(value, "tobytes") else repr(value).encode()
        digest.update(name.encode() + b"\0" + raw)
    return digest.hexdigest()[:32]
