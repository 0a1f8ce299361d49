# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln check PLAN``: says whether plans are intact and can be opened here; if not, why.

Without ``--plugins``, plugins are listed but not looked for, because this process has none.
"""

import argparse
import sys
from typing import Any

from kiln.cli import plugins, show
from kiln.cli.arguments import Commands, plan_or_exit
from kiln.cli.inspect import language, plugin_name

VERDICTS = {
    "not a plan": "not a Kiln plan",
    "damaged": "damaged",
    "version": "of another version",
    "target": "for a target that this build lacks",
    "instruction set": "for another instruction set",
    "plugin": "in need of a plugin that is missing",
    "code": "with code that does not fit",
}


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("check", help="check plans: hashes, versions, plugins")
    command.add_argument("plans", nargs="+", metavar="PLAN", help="plan file")
    plugins.add_option(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Checks each plan completely; exit code 1 if one cannot be opened here."""
    plugins.load(arguments.plugins)
    failed = 0
    for path in arguments.plans:
        plan = plan_or_exit(path)
        _sections(path, plan)
        _plugins(plan, bool(arguments.plugins))
        problems = plugins.problems(plan, arguments.plugins)
        kinds = list(dict.fromkeys(problem["kind"] for problem in problems))
        for problem in problems:
            print(problem["text"], file=sys.stderr)
        verdict = " and ".join(VERDICTS[kind] for kind in kinds) or "sound"
        print(f"{path}: {verdict}{_unchecked(plan, arguments.plugins)}")
        failed |= bool(kinds)
    return int(failed)


def _unchecked(plan: dict[str, Any], files: list[str]) -> str:
    """Names the plugins that were not looked for because no plugin file was given."""
    if files or all(problem["kind"] != "plugin" for problem in plan["problems"]):
        return ""  # or the plan contains all that it needs
    needed = [p for p in plan["plugins"] if not (p["code"] or p["registered"] or "source" in p)]
    names = ", ".join(dict.fromkeys(plugin_name(plugin) for plugin in needed))
    return f"; it needs {names}, which --plugins=FILE looks for"


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


def _found(plugin: dict[str, Any], looked: bool) -> str:
    if plugin["code"]:
        return "not needed"
    if plugin["registered"]:
        return "yes"
    if "source" in plugin:
        return f"source in the plan: {plugin['source']}"
    return "MISSING" if looked else "not looked for"


def _plugins(plan: dict[str, Any], looked: bool) -> None:
    if plan.get("plugins"):
        show.table(
            "Plugins",
            ("plugin", "language", "layer", "found"),
            [
                (
                    plugin_name(plugin),
                    language(plugin),
                    plugin["layer"],
                    _found(plugin, looked),
                )
                for plugin in plan["plugins"]
            ],
        )
