# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""PluginDef: a registered plugin, and its use in a network."""

import difflib
from collections.abc import Callable, Iterator
from typing import Any

from kiln._core import IPluginV3, ITensor, QuickPluginCreationRequest
from kiln._messages import coded
from kiln.plugin._attributes import checked_value
from kiln.plugin._creator import make_plugin
from kiln.plugin._definition import Definition
from kiln.plugin._desc import TensorDesc
from kiln.plugin._describe import Hint
from kiln.plugin._signature import RegisterSignature

Parts = tuple[list[ITensor], list[ITensor], IPluginV3]


class PluginDef(Definition):
    """A decorated plugin. Call it to use it in a network."""

    @classmethod
    def _made(
        cls, plugin_id: str, function: Callable[..., Any], signature: RegisterSignature
    ) -> "PluginDef":
        definition = cls()
        definition.plugin_id = plugin_id
        definition._describe(function, signature)
        return definition

    def _describe(self, function: Callable[..., Any], signature: RegisterSignature) -> None:
        """Sets the function under register, for the first time or again."""
        self.register_func, self._signature = function, signature
        self.input_tensor_names = list(signature.inputs)
        self.input_attrs = {k: v.annotation for k, v in signature.attributes.items()}
        tensors = dict.fromkeys(signature.inputs, TensorDesc)
        self.input_arg_schema = {**tensors, **self.input_attrs}
        self.num_outputs = signature.output_count

    def __repr__(self) -> str:
        return f"<plugin {self.plugin_id}({', '.join(self.input_arg_schema)})>"

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, defaults included."""
        names = [*self._signature.inputs, *self._signature.attributes]
        if len(args) > len(names):
            raise coded(
                TypeError,
                f"[plugin] {self.plugin_id}: expected at most {len(names)} arguments "
                f"({', '.join(names)}), got {len(args)}",
            )
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in given or name not in names:
                problem = "one given twice" if name in given else f"'{name}'"
                near = difflib.get_close_matches(name, names, 1) if name not in given else []
                hint = f" Did you mean '{near[0]}'?" if near else ""
                raise coded(
                    TypeError,
                    f"[plugin] {self.plugin_id}, argument '{name}': expected one of "
                    f"{', '.join(names)}, got {problem}.{hint}",
                )
            given[name] = value
        given = {**self._signature.defaults, **given}
        missing = [name for name in names if name not in given]
        if missing:
            raise coded(
                TypeError,
                f"[plugin] {self.plugin_id}: expected arguments {', '.join(names)}, got none for "
                f"{', '.join(missing)}",
            )
        return given

    def __call__(self, *args: Any, **kwargs: Any) -> "OpCall":
        """Returns an object that INetworkDefinition.add_plugin turns into a layer.

        args, kwargs: an ITensor for each input, and the attributes, as the function under register
        has them. The object can also be unpacked into inputs, shape inputs and plugin.
        Raises TypeError that names an argument that is missing, unknown or of another type.
        """
        given = self._bind(args, kwargs)
        inputs = []
        for name in self._signature.inputs:
            if not isinstance(given[name], ITensor):
                raise coded(
                    TypeError,
                    f"[plugin] {self.plugin_id}, input '{name}': expected an ITensor, got "
                    f"{type(given[name]).__name__}",
                )
            inputs.append(given[name])
        attributes = {
            name: checked_value(given[name], kind, f"{self.plugin_id}, attribute '{name}'")
            for name, kind in self._attributes.items()
        }
        return OpCall(self, inputs, attributes)


class OpCall:
    """One use of a decorated plugin, for INetworkDefinition.add_plugin."""

    def __init__(
        self, definition: PluginDef, inputs: list[ITensor], attributes: dict[str, Any]
    ) -> None:
        self.definition, self.inputs, self.attributes = definition, inputs, attributes
        self._unpacked: Parts | None = None

    def __repr__(self) -> str:
        given = [tensor.name for tensor in self.inputs]
        given += [f"{name}={value!r}" for name, value in self.attributes.items()]
        return f"<{self.definition.plugin_id}({', '.join(given)})>"

    def __call__(
        self, quick_plugin_creation_request: QuickPluginCreationRequest | None = None
    ) -> Parts:
        """Creates the plugin; returns inputs, shape inputs, and an IPluginV3.

        quick_plugin_creation_request: QuickPluginCreationRequest. Default: UNKNOWN.
        """
        request = quick_plugin_creation_request or QuickPluginCreationRequest.UNKNOWN
        plugin = make_plugin(self.definition, self.attributes, request)
        plugin.hints = [Hint.of(tensor) for tensor in self.inputs]
        return self.inputs, [], plugin

    def _parts(self) -> Parts:
        if self._unpacked is None:
            self._unpacked = self()
        return self._unpacked

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts())

    def __len__(self) -> int:
        return len(self._parts())

    def __getitem__(self, index: int) -> Any:
        return self._parts()[index]
