# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Imports Python files with plugins, and registers the creators that the files do not register."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import kiln
from kiln._messages import coded

_INFO = 3


def load_plugin_file(path: str, say: Callable[[int, str], None]) -> ModuleType:
    """Imports the file and registers the creators that it defines but does not register."""
    module = import_file(Path(path))
    register_left(module, path, say)
    return module


def register_left(module: ModuleType, path: str, say: Callable[[int, str], None]) -> None:
    """Registers creators and lazy functions that a module defines but does not register."""
    _register_lazy(module)
    registry = kiln.get_plugin_registry()
    for creator_class in creator_classes(module):
        if any(type(creator) is creator_class for creator in registry.all_creators):
            continue
        creator = creator_class()
        space = getattr(creator, "plugin_namespace", "") or ""
        if not registry.register_creator(creator, space):
            raise coded(
                RuntimeError,
                f"[plugins] {path}: the registry refused {creator_class.__name__}; "
                "the lines above say why",
            )
        say(_INFO, f"{path}: registered {creator_class.__name__}, which the file leaves to trtexec")


def _register_lazy(module: ModuleType) -> None:
    """Registers the module's lazy decorated plugins: a plan may need one before its first use."""
    if "kiln.plugin" not in sys.modules:
        return
    from kiln.plugin import _registry

    for definition in list(_registry.QDP_REGISTRY.values()):
        if getattr(definition.register_func, "__module__", "") == module.__name__:
            _registry.creator_of(definition)


def import_file(path: Path) -> ModuleType:
    """Imports a file as the module of its stem; meanwhile its folder is first in sys.path."""
    path = path.resolve()
    name = path.stem
    if name in sys.stdlib_module_names:
        raise coded(
            ImportError, f"{name!r} is a module of Python's own library. Rename {path.name}"
        )
    loaded = sys.modules.get(name)
    if loaded is not None:
        origin = getattr(loaded, "__file__", None)
        if origin is not None and Path(origin).resolve() == path:
            return loaded  # another plugin file has imported it
        raise coded(
            ImportError,
            f"a module named {name!r} is loaded already ({origin or 'built in'}). "
            f"Rename {path.name}",
        )
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise coded(ImportError, f"{path}: expected a Python source file, whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(path.parent))
    return module


def creator_classes(module: ModuleType) -> list[type]:
    """The plugin creator classes that the module itself defines, in definition order."""
    bases = (kiln.IPluginCreator, kiln.IPluginCreatorV3One)
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, bases)
        and value.__module__ == module.__name__
    ]
