# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The decorated plugins of this process, and their creators."""

import difflib
from typing import TYPE_CHECKING

from kiln._core import get_plugin_registry
from kiln._messages import coded

if TYPE_CHECKING:
    from kiln.plugin._creator import QuickCreator
    from kiln.plugin._plugin_def import PluginDef

QDP_REGISTRY: "dict[str, PluginDef]" = {}
QDP_CREATORS: "dict[str, QuickCreator]" = {}


def add(definition: "PluginDef", namespace: str, name: str, lazy: bool) -> None:
    """Adds a plugin and, unless ``lazy``, its creator."""
    QDP_REGISTRY[definition.plugin_id] = definition
    try:
        if not lazy:
            creator_of(definition)
    except BaseException:
        del QDP_REGISTRY[definition.plugin_id]
        raise


def renew(definition: "PluginDef", lazy: bool) -> None:
    """Removes the creator of a redefined plugin and, unless ``lazy``, registers a new one.

    The creator lists the attributes, which may have changed.
    """
    creator = QDP_CREATORS.pop(definition.plugin_id, None)
    if creator is not None:
        get_plugin_registry().deregister_creator(creator)
    if not lazy:
        creator_of(definition)


def creator_of(definition: "PluginDef") -> "QuickCreator":
    """The creator of a plugin, which the first call registers."""
    from kiln.plugin._creator import QuickCreator

    creator = QDP_CREATORS.get(definition.plugin_id)
    if creator is None:
        creator = QuickCreator(definition)
        namespace = creator.plugin_namespace
        if not get_plugin_registry().register_creator(creator, namespace):
            raise coded(
                ValueError,
                f"[plugin] {definition.plugin_id}: expected a name and namespace that are free, "
                "got those of a plugin of another kind in the registry. Choose another id.",
            )
        QDP_CREATORS[definition.plugin_id] = creator
    return creator


def near_ids(plugin_id: str) -> str:
    """Similar registered ids, for messages."""
    near = difflib.get_close_matches(plugin_id, QDP_REGISTRY, 3)
    return f" (near names: {', '.join(near)})" if near else ""


class _Namespace:
    """The plugins of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "PluginDef":
        plugin_id = f"{self._name}::{name}"
        definition = QDP_REGISTRY.get(plugin_id)
        if definition is None:
            raise coded(
                AttributeError,
                f"[plugin] op.{self._name}.{name}: expected a plugin that register was used for, "
                f"got {plugin_id!r}{near_ids(plugin_id)}",
            )
        creator_of(definition)
        return definition

    def __repr__(self) -> str:
        return f"<plugins of {self._name}: {', '.join(dir(self))}>"

    def __dir__(self) -> list[str]:
        start = f"{self._name}::"
        return [key[len(start) :] for key in QDP_REGISTRY if key.startswith(start)]


class _Op:
    """The registered plugins: ``op.namespace.name(tensor, ..., attribute=value)``."""

    def __getattr__(self, name: str) -> _Namespace:
        names = dir(self)
        if name not in names:
            near = difflib.get_close_matches(name, names, 3)
            hint = f" (near names: {', '.join(near)})" if near else ""
            raise coded(
                AttributeError,
                f"[plugin] op.{name}: expected a namespace of plugins that register was used for, "
                f"got {name!r}{hint}",
            )
        return _Namespace(name)

    def __repr__(self) -> str:
        return f"<namespaces of plugins: {', '.join(dir(self)) or 'none'}>"

    def __dir__(self) -> list[str]:
        return list(dict.fromkeys(key.split("::")[0] for key in QDP_REGISTRY))


op = _Op()
