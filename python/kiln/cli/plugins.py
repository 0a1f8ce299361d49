# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The option ``--plugins=FILE``, which works as in trtexec."""

import argparse
import ctypes
import traceback
from typing import Any

import kiln
from kiln import _plugin_files
from kiln.cli.arguments import stop


def add_option(command: argparse.ArgumentParser) -> None:
    """Declares the option; ``load`` loads the files."""
    command.add_argument(
        "--plugins",
        action="append",
        default=[],
        metavar="FILE",
        help="load a plugin library (.so) or a Python file (.py) first; may be given several times",
    )


def problems(plan: dict[str, Any], paths: "list[str]") -> list[dict[str, Any]]:
    """Why a plan cannot be opened. Without plugin files, missing plugins do not count."""
    return [p for p in plan["problems"] if paths or p["kind"] != "plugin"]


def load(paths: "list[str]") -> None:
    """Loads plugin files; ends the program if one cannot be used."""
    for path in paths:
        try:
            if path.endswith(".py"):
                kiln.install_as_tensorrt()
                _plugin_files.load_plugin_file(path, lambda severity, text: None)
            else:
                load_library(path)
        except BaseException as error:
            if path.endswith(".py"):
                traceback.print_exc()
            stop(f"[plugins] --plugins: '{path}' could not be used: {error}")


def load_library(path: str) -> None:
    """A library with entry points goes through the registry; others register themselves."""
    library = ctypes.CDLL(path if "/" in path else f"./{path}")
    entry_points = ("getCreators", "getPluginCreators")
    if any(hasattr(library, name) for name in entry_points):
        registry = kiln.get_plugin_registry()
        if registry.load_library(path) is None:
            raise RuntimeError("the registry refused it; the lines above say why")
