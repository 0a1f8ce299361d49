# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln check PLAN``: says whether plans are intact and can be opened here; if not, why.

Without ``--plugins``, plugins are listed but not looked for, because this process has none.
"""

import argparse
import sys
from typing import Any

from kiln._words import size
from kiln.cli import plugins, show
from kiln.cli.arguments import Commands, add_json, plan_or_exit, print_json
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
    add_json(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Checks each plan completely; exit code 1 if one cannot be opened here."""
    plugins.load(arguments.plugins)
    results = []
    for path in arguments.plans:
        plan = plan_or_exit(path)
        results.append(_result(path, plan, arguments.plugins))
        if not arguments.json:
            _show(plan, results[-1], bool(arguments.plugins))
    if arguments.json:
        print_json(results)
    return int(not all(result["sound"] for result in results))


def _result(path: str, plan: dict[str, Any], files: list[str]) -> dict[str, Any]:
    """The verdict and what it rests on, as --json prints it."""
    problems = plugins.problems(plan, files)
    kinds = list(dict.fromkeys(problem["kind"] for problem in problems))
    return {
        "plan": path,
        "sound": not problems,
        "verdict": " and ".join(VERDICTS[kind] for kind in kinds) or "sound",
        "problems": problems,
        "not_looked_for": _unchecked(plan, files),
        "sections": plan.get("sections", []),
        "plugins": plan.get("plugins", []),
    }


def _show(plan: dict[str, Any], result: dict[str, Any], looked: bool) -> None:
    _sections(result["plan"], plan)
    _plugins(plan, looked)
    for problem in result["problems"]:
        print(problem["text"], file=sys.stderr)
    names = ", ".join(result["not_looked_for"])
    needs = f"; it needs {names}, which --plugins=FILE looks for" if names else ""
    print(f"{result['plan']}: {result['verdict']}{needs}")


def _unchecked(plan: dict[str, Any], files: list[str]) -> list[str]:
    """The plugins that were not looked for because no plugin file was given."""
    if files or all(problem["kind"] != "plugin" for problem in plan["problems"]):
        return []  # or the plan contains all that it needs
    needed = [p for p in plan["plugins"] if not (p["code"] or p["registered"] or "source" in p)]
    return list(dict.fromkeys(plugin_name(plugin) for plugin in needed))


def _sections(path: str, plan: dict[str, Any]) -> None:
    if "sections" in plan:
        show.table(
            f"Sections of {path}",
            ("section", "offset", "size", "hash"),
            [
                (
                    section["name"],
                    section["offset"],
                    size(section["bytes"]),
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
