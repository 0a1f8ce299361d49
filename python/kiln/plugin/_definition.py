# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Definition: what decorated functions and their signatures say of a plugin."""

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kiln.plugin._attributes import AttributeType
from kiln.plugin._signature import RegisterSignature

if TYPE_CHECKING:
    from typing import Self


class Definition:
    """A decorated plugin: its functions, and what their signatures say."""

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
        """What a plugin keeps: functions that are defined again later do not change it."""
        return copy.copy(self)

    def _take_out(self, role: str) -> None:
        """Forgets a function and what its signature said."""
        setattr(self, f"{role}_func", None)
        setattr(self, f"{role}_attr_names", [])

    @property
    def _attributes(self) -> dict[str, AttributeType]:
        return self._signature.attributes
