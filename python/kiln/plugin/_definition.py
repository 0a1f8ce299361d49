# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Definition: the decorated functions of a plugin, and the contents of their signatures."""

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kiln.plugin._attributes import AttributeType
from kiln.plugin._signature import RegisterSignature

if TYPE_CHECKING:
    from typing import Self


class Definition:
    """A decorated plugin: its functions, and the contents of their signatures."""

    def __init__(self) -> None:
        self.plugin_id = ""
        self.register_func: Callable[..., Any] | None = None
        self.impl_func: Callable[..., Any] | None = None
        self.autotune_func: Callable[..., Any] | None = None
        self.aot_impl_func: Callable[..., Any] | None = None
        self.input_tensor_names: list[str] = []
        self.input_attrs: dict[str, Any] = {}
        self.input_arg_schema: dict[str, Any] = {}
        self.impl_attr_names: list[str] = []
        self.autotune_attr_names: list[str] = []
        self.aot_impl_attr_names: list[str] = []
        self.num_outputs: int | None = None
        self.expects_tactic = False
        self._aot_expects_tactic = False
        self._signature = RegisterSignature([], {}, {}, None)

    def _snapshot(self) -> "Self":
        """A copy for a plugin, which later definitions do not change."""
        return copy.copy(self)

    def _take_out(self, role: str) -> None:
        """Removes a function and the attributes of its signature."""
        setattr(self, f"{role}_func", None)
        setattr(self, f"{role}_attr_names", [])

    @property
    def _attributes(self) -> dict[str, AttributeType]:
        return self._signature.attributes
