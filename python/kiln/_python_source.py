# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugin modules inside plans: one process embeds them, another one runs them."""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import kiln
from kiln import _core
from kiln._messages import coded
from kiln._plugin_files import register_left

# The names of a plugin: name, version, namespace.
Names = tuple[str, str, str]

# The program of the clean process, which is isolated from the caller. It reads the module from
# standard input.
_CHECK = """
import sys
if sys.argv[2] not in sys.path:
    sys.path.insert(0, sys.argv[2])
from kiln import _python_source
_python_source.check(sys.argv[1])
"""


def embed(config: Any, modules: Iterable[Any]) -> None:
    """See kiln.embed_python_plugins."""
    for module in modules:
        name, text, plugins = source_of(module)
        _core._add_python_source(config, name, text, plugins)


def source_of(module: Any) -> "tuple[str, bytes, list[Names]]":
    """Name, text and plugins of a module object or a file. Raises ValueError."""
    path = _path_of(module)
    text = path.read_bytes()
    return path.stem, text, _plugins_of(path, text)


def _path_of(module: Any) -> Path:
    file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else module
    if not isinstance(file, (str, Path)):
        raise coded(
            ValueError, f"[embed] expected a module with a file or a file's path, got {module!r}"
        )
    path = Path(file)
    if path.suffix != ".py" or not path.is_file():
        raise coded(ValueError, f"[embed] {path}: expected a .py file that exists")
    if not (path.stem.isidentifier() and path.stem.isascii()):
        raise coded(
            ValueError, f"[embed] {path}: expected the name of a module. Rename it: a-z, 0-9, _"
        )
    if path.stem in sys.stdlib_module_names or path.stem in ("kiln", "tensorrt"):
        raise coded(
            ValueError, f"[embed] {path}: {path.stem!r} is another module's name. Rename the file"
        )
    return path


def _plugins_of(path: Path, text: bytes) -> list[Names]:
    """The plugins that a module registers when a clean process runs it."""
    root = Path(kiln.__file__).parent.parent
    command = [sys.executable, "-I", "-c", _CHECK, path.stem, str(root)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, input=text, cwd=folder, capture_output=True)
    output, errors = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if done.returncode != 0 or not output:
        raise coded(
            ValueError,
            f"[embed] {path}: expected a module that can be imported alone, in a clean process, "
            f"but it failed there:\n{errors.rstrip()}\nA plan carries each module without what "
            "lies beside it: put into the file what it needs.",
        )
    plugins = [tuple(names) for names in json.loads(output.splitlines()[-1])]
    if not plugins:
        raise coded(
            ValueError,
            f"[embed] {path}: expected a module that registers a plugin or more, got none. "
            "Decorate functions with tensorrt.plugin.register, or define a creator class.",
        )
    return plugins


def check(name: str) -> None:
    """In the clean process: runs the module from standard input, prints what it registers."""
    kiln.install_as_tensorrt()
    before = _registered()
    try:
        _execute(name, sys.stdin.buffer.read(), f"{name}.py")
    except SystemExit as end:
        raise coded(ImportError, f"the module ends the program with {end!r}") from end
    print("\n" + json.dumps(sorted(_registered() - before)))


def _registered() -> set[Names]:
    creators = kiln.get_plugin_registry().all_creators
    return {(c.name, c.plugin_version, getattr(c, "plugin_namespace", "") or "") for c in creators}


def run_from_plan(name: str, text: bytes) -> None:
    """Called when a plan is opened: runs a module and registers the plugins that it does not."""
    loaded = sys.modules.get(name)
    if loaded is not None:
        if _text_of(loaded) != text:
            origin = getattr(loaded, "__file__", None) or "built in"
            raise coded(ImportError, f"another module named {name!r} is loaded already ({origin})")
        register_left(loaded, name, _say_nothing)
        return
    kiln.install_as_tensorrt()
    _execute(name, text, f"<plan>/{name}.py")


def _text_of(module: ModuleType) -> "bytes | None":
    """The source of a loaded module; None if it cannot be read."""
    loader = getattr(module, "__loader__", None)
    if isinstance(loader, _Loader):
        return loader.text
    try:
        return Path(module.__file__ or "").read_bytes()
    except OSError:
        return None


def _say_nothing(severity: int, text: str) -> None:
    """Drops the message: the log already names the module that runs."""


class _Loader(importlib.abc.InspectLoader):
    """Keeps the text, so that tracebacks, ``inspect`` and compilers of functions find it."""

    def __init__(self, text: bytes, path: str) -> None:
        self.text = text
        self.path = path

    def get_source(self, fullname: str) -> str:
        return importlib.util.decode_source(self.text)

    def get_code(self, fullname: str) -> "CodeType | None":
        return self.source_to_code(self.text, self.path)

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self.path
        super().exec_module(module)


def _execute(name: str, text: bytes, path: str) -> None:
    """Runs the text as a module. If it fails, the module and its plugins are removed."""
    spec = importlib.machinery.ModuleSpec(name, _Loader(text, path), origin=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)  # type: ignore[union-attr]
        register_left(module, path, _say_nothing)
    except BaseException:
        del sys.modules[name]
        _forget_functions(name)
        raise


def _forget_functions(name: str) -> None:
    """Removes a module's decorated functions, so that a corrected module can define them."""
    if "kiln.plugin" not in sys.modules:
        return
    from kiln.plugin import _registry

    for plugin_id, definition in list(_registry.QDP_REGISTRY.items()):
        if getattr(definition.register_func, "__module__", "") == name:
            del _registry.QDP_REGISTRY[plugin_id]
            creator = _registry.QDP_CREATORS.pop(plugin_id, None)
            if creator is not None:
                kiln.get_plugin_registry().deregister_creator(creator)
