# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that are defined and decorated again, as when a notebook's cell is run again."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kiln import _core

if TYPE_CHECKING:
    from kiln.plugin._plugin_def import PluginDef

ROLES = ("impl", "autotune", "aot_impl")
Function = Callable[..., Any]


def full_name(function: Any) -> str:
    """Where a function is defined, for messages: 'module.function'."""
    module = getattr(function, "__module__", None) or "?"
    return f"{module}.{getattr(function, '__qualname__', '?')}"


def is_defined_again(function: Function, earlier: Function) -> bool:
    """Whether ``function`` is a new definition with the module and the name of ``earlier``."""
    if function is earlier or getattr(function, "__name__", "<lambda>") == "<lambda>":
        return False
    return full_name(function) == full_name(earlier)


def warn_replaced(plugin_id: str, role: str, function: Function, kept: list[str]) -> None:
    """Tells the user that a definition replaces an earlier one."""
    stay = f" {' and '.join(kept)} of before stay until they are defined again." if kept else ""
    _core._warn(
        f"[plugin] {plugin_id}, {role}: {full_name(function)} was defined again and replaces the "
        f"earlier one.{stay} Networks and engines that have the plugin keep the code they have."
    )


def forget_functions_beside(definition: "PluginDef", earlier: Function) -> None:
    """Removes the functions from the file or cell of the earlier register.

    Running that file or cell again decorates them again, unless the user has deleted them.
    """
    for role in ROLES:
        function = getattr(definition, f"{role}_func")
        if function is not None and _file_of(function) == _file_of(earlier):
            definition._take_out(role)


def _file_of(function: Function) -> str | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return getattr(code, "co_filename", None)
