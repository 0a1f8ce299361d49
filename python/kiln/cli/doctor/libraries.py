# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Libraries that programs open beside Kiln's: the CUDA runtime, and files of plugins."""

import ctypes
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import kiln
from kiln import _host_cudart as host_cudart
from kiln import _plugin_files
from kiln.cli import facts, plugins
from kiln.cli.doctor.check import MISSING, OK, PROBLEM, Check


def cuda_runtime(group: str, cuda: bool) -> Check:
    """The libcudart over host memory: there, first on the path, and off where a GPU computes."""
    name, variable = "host libcudart", host_cudart.VARIABLE
    runtime = facts.host_runtime()
    library = Path(runtime["folder"]) / host_cudart.NAME
    if not library.is_file():
        return Check(group, name, MISSING, f"no {library}")
    if not runtime["on"]:
        text = f"off; kiln run switches it on for a program ({library})"
        return Check(group, name, OK, text)
    folders = [folder for folder in os.environ[variable].split(os.pathsep) if folder]
    others = os.pathsep.join(folder for folder in folders if folder != str(library.parent))
    if cuda:
        text = f"on, but memory of the target cuda is on the GPU ({library})"
        remedy = f"export {variable}={shlex.quote(others)}" if others else f"unset {variable}"
        return Check(group, name, PROBLEM, text, remedy)
    before = folders[: folders.index(str(library.parent))]
    hiding = next((f for folder in before for f in Path(folder).glob("libcudart.so")), None)
    if hiding is not None:
        text = f"on, but programs find {hiding} first"
        remedy = f"export {variable}={shlex.quote(str(library.parent))}:{shlex.quote(others)}"
        return Check(group, name, PROBLEM, text, remedy)
    return Check(group, name, OK, f"on ({library})")


def plugin_files(paths: "Sequence[str]") -> Iterator[Check]:
    """Files of --plugins: whether they can be loaded, and how many creators they bring."""
    group = "Plugins"
    registry = kiln.get_plugin_registry()
    for path in paths:
        before = len(registry.all_creators)
        if not Path(path).is_file():
            yield Check(group, path, MISSING, "no such file", f"ls -l {shlex.quote(path)}", True)
            continue
        try:
            _load(path)
        except BaseException as error:  # also what a plugin file raises to end the program
            remedy = "" if path.endswith(".py") else f"ldd {shlex.quote(path)} | grep 'not found'"
            text = f"cannot be loaded: {error}"
            yield Check(group, path, PROBLEM, text, remedy, True)
            continue
        count = len(registry.all_creators) - before
        if count == 0:
            text = "loaded, but it registers no plugin"
            yield Check(group, path, PROBLEM, text, "", True)
        else:
            yield Check(group, path, OK, f"{count} creator{'s' if count > 1 else ''}", "", True)


def _load(path: str) -> None:
    if path.endswith(".py"):
        kiln.install_as_tensorrt()
        _plugin_files.load_plugin_file(path, lambda severity, text: None)
    else:
        ctypes.CDLL(os.path.abspath(path))  # explains what is wrong better than the registry
        plugins.load_library(path)
