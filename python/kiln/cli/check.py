# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln check PLAN``: whether plans are intact and can be opened here; if not, why."""

import argparse
import ctypes
import sys
import traceback
from typing import Any

import kiln
from kiln import _trtexec_host
from kiln.cli import show
from kiln.cli.arguments import Commands, plan_or_exit, stop
from kiln.cli.inspect import plugin_name

VERDICTS = {
    "not a plan": "not a Kiln plan",
    "damaged": "damaged",
    "version": "of another version",
    "target": "for a target that this build lacks",
    "instruction set": "for another instruction set",
    "plugin": "in need of a plugin that is missing",
}


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("check", help="check plans: hashes, versions, plugins")
    command.add_argument("plans", nargs="+", metavar="PLAN", help="plan file")
    command.add_argument(
        "--plugins",
        action="append",
        default=[],
        metavar="FILE",
        help="load a plugin library (.so) or a Python file (.py) first; may be given several times",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Checks each plan completely; exit code 1 if one cannot be opened here."""
    for path in arguments.plugins:
        _load(path)
    failed = 0
    for path in arguments.plans:
        plan = plan_or_exit(path)
        _sections(path, plan)
        _plugins(plan)
        kinds = list(dict.fromkeys(problem["kind"] for problem in plan["problems"]))
        for problem in plan["problems"]:
            print(problem["text"], file=sys.stderr)
        print(f"{path}: {' and '.join(VERDICTS[kind] for kind in kinds) or 'sound'}")
        failed |= bool(kinds)
    return int(failed)


def _load(path: str) -> None:
    """Loads a file of plugins, as trtexec does."""
    try:
        if path.endswith(".py"):
            kiln.install_as_tensorrt()
            _trtexec_host.load_plugin_file(path, lambda severity, text: None)
        else:
            _load_library(path)
    except BaseException as error:
        if path.endswith(".py"):
            traceback.print_exc()
        stop(f"[plugins] --plugins: '{path}' could not be used: {error}")


def _load_library(path: str) -> None:
    """A library with entry points goes through the registry; others register themselves."""
    library = ctypes.CDLL(path if "/" in path else f"./{path}")
    entry_points = ("getCreators", "getPluginCreators")
    if any(hasattr(library, name) for name in entry_points):
        registry = kiln.get_plugin_registry()
        if registry.load_library(path) is None:
            raise RuntimeError("the registry refused it; the lines above say why")


def _sections(path: str, plan: dict[str, Any]) -> None:
    if "sections" in plan:
        show.table(
            f"Sections of {path}",
            ("section", "offset", "size", "hash"),
            [
                (
                    section["name"],
                    section["offset"],
                    show.size(section["bytes"]),
                    "intact" if section["intact"] else "DAMAGED",
                )
                for section in plan["sections"]
            ],
        )


def _plugins(plan: dict[str, Any]) -> None:
    if plan.get("plugins"):
        show.table(
            "Plugins",
            ("plugin", "language", "layer", "found"),
            [
                (
                    plugin_name(plugin),
                    "Python" if plugin["needs_python"] else "C++",
                    plugin["layer"],
                    "yes" if plugin["registered"] else "MISSING",
                )
                for plugin in plan["plugins"]
            ],
        )
