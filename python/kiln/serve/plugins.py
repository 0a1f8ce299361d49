# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads the plugins of a model, and names those that its plan needs and nobody registered."""

import ctypes
import importlib
import logging
import threading
from typing import Any

import kiln
from kiln._plugin_files import load_plugin_file, register_left
from kiln.serve.config import ModelConfig
from kiln.serve.plans import PlanFile
from kiln.serve.request import LoadError

_LOG = logging.getLogger("kiln.serve")
_ENTRY_POINTS = ("getCreators", "getPluginCreators")
_LOCK = threading.Lock()  # imports and the registry: one model at a time


def load(config: ModelConfig, plan: PlanFile) -> None:
    """Loads the plugins that a configuration lists, then checks the manifest of the plan.

    Raises LoadError if one cannot be loaded, if the plan needs a plugin that is not registered,
    or if it carries code that the configuration does not allow.
    """
    with _LOCK:
        for name in config.plugins:
            try:
                _load(name)
            except Exception as error:
                raise LoadError(
                    f"[serve] model '{plan.name}', plugins: '{name}' cannot be loaded: "
                    f"{type(error).__name__}: {error}"
                ) from error
        check(config, plan)


def _load(name: str) -> None:
    if name.endswith(".py"):
        kiln.install_as_tensorrt()
        load_plugin_file(name, _say)
    elif name.endswith(".so") or ".so." in name or "/" in name:
        _load_library(name)
    else:
        kiln.install_as_tensorrt()
        register_left(importlib.import_module(name), name, _say)


def _say(severity: int, text: str) -> None:
    _LOG.info("%s", text)


def _load_library(path: str) -> None:
    """A library with entry points goes through the registry; others register themselves."""
    library = ctypes.CDLL(path if "/" in path else f"./{path}")
    if any(hasattr(library, name) for name in _ENTRY_POINTS):
        registry = kiln.get_plugin_registry()
        if registry.load_library(path) is None:
            raise LoadError(f"[serve] the registry refused the library '{path}'; the log says why")


def check(config: ModelConfig, plan: PlanFile) -> None:
    """Raises LoadError for each plugin that is missing and for code that is not allowed."""
    registry = kiln.get_plugin_registry()
    there = {(c.name, c.plugin_version, c.plugin_namespace) for c in registry.all_creators}
    description = plan.description
    libraries = [library["name"] for library in description.get("libraries", ())]
    problems = []
    for plugin in description.get("plugins", ()):
        key = (plugin["name"], plugin["version"], plugin["namespace"])
        if key in there or plugin["code"]:
            continue
        if "source" in plugin:
            if not config.allow_python_source:
                problems.append(
                    f"{_named(plugin)} is Python source in the plan (module {plugin['source']}); "
                    "list the module in `plugins`, or set allow_python_source if you trust the plan"
                )
        elif not libraries:
            kind = "a Python file or module" if plugin["needs_python"] else "a library (.so)"
            problems.append(f"{_named(plugin)} is not registered; add {kind} to `plugins`")
    if not config.allow_host_code:
        if libraries:
            problems.append(
                f"the plan carries the libraries {', '.join(libraries)}; set allow_host_code if "
                "you trust it"
            )
        elif _has_host_code(description):
            problems.append(
                "the plan carries machine code of plugins for the CPU; set allow_host_code if you "
                "trust it"
            )
    if problems:
        text = "; ".join(dict.fromkeys(problems))
        raise LoadError(f"[serve] model '{plan.name}', plan '{plan.path}': {text}.")


def _named(plugin: "dict[str, Any]") -> str:
    space = f"{plugin['namespace']}::" if plugin["namespace"] else ""
    return (
        f"plugin {space}{plugin['name']}, version '{plugin['version']}' ({plugin['style']}, layer "
        f"'{plugin['layer']}')"
    )


def _has_host_code(description: "dict[str, Any]") -> bool:
    code = (variant for plugin in description.get("plugins", ()) for variant in plugin["code"])
    return any(variant.get("target") == "cpu" for variant in code)
