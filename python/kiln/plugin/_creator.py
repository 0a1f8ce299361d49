# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Creates decorated plugins: for a network, for an ONNX node, for a plan."""

import difflib
from collections.abc import Iterable
from typing import Any

from kiln._core import (
    IPluginCreatorV3Quick,
    PluginField,
    PluginFieldCollection,
    PluginFieldCollection_,
    QuickPluginCreationRequest,
    TensorRTPhase,
)
from kiln._messages import coded
from kiln.plugin._ahead import AheadOfTimePlugin
from kiln.plugin._attributes import from_field
from kiln.plugin._definition import Definition
from kiln.plugin._plugin import DecoratedPlugin, JustInTimePlugin

Request = QuickPluginCreationRequest
# Attributes of an ONNX node that are not attributes of its plugin.
NODE_NAMES = ("plugin_namespace", "plugin_version", "aot")
_ROLES = {True: ("ahead of time", "aot_impl"), False: ("just in time", "impl")}


def is_ahead_of_time(definition: Definition, request: QuickPluginCreationRequest) -> bool:
    """Whether to create a plugin ahead of time. Raises ValueError if that cannot be decided."""
    has = {True: definition.aot_impl_func is not None, False: definition.impl_func is not None}
    if not any(has.values()):
        raise coded(
            ValueError,
            f"[plugin] {definition.plugin_id}: expected impl or aot_impl to be used for it, got "
            "neither. Import the module that has them.",
        )
    if request in (Request.STRICT_AOT, Request.STRICT_JIT):
        wanted = request == Request.STRICT_AOT
        if not has[wanted]:
            raise coded(
                ValueError,
                f"[plugin] {definition.plugin_id}: expected {_ROLES[wanted][1]}, because it was "
                f"asked for {_ROLES[wanted][0]}, got {_ROLES[not wanted][1]} alone. Add "
                f"{_ROLES[wanted][1]}, or ask with aot={not wanted}.",
            )
        return wanted
    if all(has.values()) and request == Request.UNKNOWN:
        raise coded(
            ValueError,
            f"[plugin] {definition.plugin_id}: expected one of impl and aot_impl, or a choice "
            "between them, got both and no choice. Say add_plugin(..., aot=True) or aot=False (an "
            "ONNX node: the attribute 'aot'), create the network with PREFER_AOT_PYTHON_PLUGINS or "
            "PREFER_JIT_PYTHON_PLUGINS, or leave one of the two functions out.",
        )
    preferred = request == Request.PREFER_AOT
    return preferred if has[preferred] else not preferred


def make_plugin(
    definition: Definition, attributes: dict[str, Any], request: QuickPluginCreationRequest
) -> DecoratedPlugin:
    """A plugin of the requested style."""
    kind = AheadOfTimePlugin if is_ahead_of_time(definition, request) else JustInTimePlugin
    return kind(definition._snapshot(), attributes)


class QuickCreator(IPluginCreatorV3Quick):
    """The creator of one decorated plugin."""

    def __init__(self, definition: Definition) -> None:
        super().__init__()
        self.definition = definition
        self.plugin_namespace, self.name = definition.plugin_id.split("::")
        self.plugin_version = "1"
        self.field_names = PluginFieldCollection(
            [
                PluginField(name, None, kind.field_type)
                for name, kind in definition._attributes.items()
            ]
        )

    def create_plugin(
        self,
        name: str,
        namespace: str,
        field_collection: PluginFieldCollection_ | PluginFieldCollection,
        phase: TensorRTPhase,
        quick_plugin_creation_request: QuickPluginCreationRequest,
    ) -> DecoratedPlugin:
        """Creates a plugin from the fields of a model or a plan."""
        definition = self.definition
        if phase == TensorRTPhase.RUNTIME:
            if definition.impl_func is None:
                raise coded(
                    ValueError,
                    f"[plugin] {definition.plugin_id}: expected impl, which the engine calls, got "
                    "register without it. Import the module that has it.",
                )
            # No defaults: every attribute that impl takes must be in the plan.
            attributes = self._attributes_of(field_collection, definition.impl_attr_names, {})
            return JustInTimePlugin(definition._snapshot(), attributes)
        needed, defaults = list(definition._attributes), definition._signature.defaults
        attributes = self._attributes_of(field_collection, needed, defaults)
        return make_plugin(definition, attributes, quick_plugin_creation_request)

    def _attributes_of(
        self, fields: Iterable[PluginField], needed: list[str], defaults: dict[str, Any]
    ) -> dict[str, Any]:
        definition = self.definition
        kinds = definition._attributes
        attributes = dict(defaults)
        for field in fields:
            if field.name in kinds:
                where = f"{definition.plugin_id}, attribute '{field.name}'"
                attributes[field.name] = from_field(field, kinds[field.name], where)
            elif field.name not in NODE_NAMES:
                near = difflib.get_close_matches(field.name, kinds, 1)
                hint = f" Did you mean '{near[0]}'?" if near else ""
                raise coded(
                    ValueError,
                    f"[plugin] {definition.plugin_id}: expected attributes "
                    f"{', '.join(kinds) or '(none)'}, got '{field.name}'.{hint}",
                )
        missing = [name for name in needed if name not in attributes]
        if missing:
            raise coded(
                ValueError,
                f"[plugin] {definition.plugin_id}: expected values of {', '.join(needed)}, got "
                f"none for {', '.join(missing)}",
            )
        return {name: attributes[name] for name in kinds if name in attributes}
