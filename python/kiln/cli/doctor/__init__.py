# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln doctor``: what is there, what is missing, and which line to type."""

import argparse
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import kiln
from kiln.cli import plugins
from kiln.cli.arguments import Commands, add_json, print_json, stop
from kiln.cli.doctor.check import MISSING, OK, PROBLEM, Check

_STYLES = {OK: "green", MISSING: "yellow", PROBLEM: "red"}


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("doctor", help="say what is missing, and which line to type")
    command.add_argument(
        "--target",
        metavar="TARGET",
        help="cpu, cuda or cuda:sm_90 (default: the one that engines are built for)",
    )
    plugins.add_option(command)
    add_json(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints every check; exit code 1 if the target lacks what it needs."""
    chosen = arguments.target or kiln.default_target()
    checks = list(examine(chosen, bool(arguments.target), arguments.plugins))
    failing = [check for check in checks if check.fails]
    if arguments.json:
        print_json({"target": chosen, "ready": not failing, "checks": list(map(asdict, checks))})
    else:
        _show(checks)
        print(_verdict(chosen, failing))
    return int(bool(failing))


def examine(
    chosen: str, asked: bool = False, plugin_files: "Sequence[str]" = ()
) -> Iterator[Check]:
    """All checks for a target. asked: an unknown target is a wrong argument, else a problem."""
    from kiln.cli.doctor import libraries, surroundings, target, variables

    named = chosen.partition(":")[0]
    described = kiln.describe_target(chosen)
    known = named in ("cpu", "cuda")
    if asked and not known:
        stop(f"[doctor] --target: expected cpu, cuda or cuda:sm_90, got '{chosen}'")
    yield from surroundings.python()
    explained = False
    if known:
        yield from target.cpu(chosen)
        for check in target.cuda(chosen):
            explained = explained or check.fails
            yield check
    if described["problem"]:
        if not explained:
            remedy = "unset KILN_TARGET" if "KILN_TARGET" in os.environ else ""
            yield Check(f"Target {named}", "target", PROBLEM, described["problem"], remedy, True)
    else:
        kiln.set_default_target(chosen)
        yield target.proof(chosen)
    yield from libraries.plugin_files(plugin_files)
    yield from variables.examine()
    yield from surroundings.commands(named == "cuda")
    yield from surroundings.compilers(named == "cuda")
    yield from surroundings.frameworks(named == "cuda")
    yield from surroundings.folders(named == "cuda")


def _verdict(chosen: str, failing: "Sequence[Check]") -> str:
    if not failing:
        return f"target {chosen}: ready"
    names = ", ".join(check.name for check in failing)
    lines = dict.fromkeys(check.remedy for check in failing if check.remedy)
    typed = "".join(f"\n  $ {line}" for line in lines)
    return f"target {chosen}: not ready because of {names}{'. Type:' if lines else ''}{typed}"


def _show(checks: "Sequence[Check]") -> None:
    """A line for each check, and one for the command to type."""
    width = max(len(check.name) for check in checks)
    groups: dict[str, list[Check]] = {}
    for check in checks:
        groups.setdefault(check.group, []).append(check)
    pieces: list[tuple[str, str]] = []
    for group, members in groups.items():
        pieces.append((f"{group}\n", "bold"))
        for check in members:
            pieces.append((f"  {check.status:<8}", _STYLES[check.status]))
            pieces.append((f"{check.name:<{width}}  {check.found}\n", ""))
            if check.remedy:
                pieces.append((f"{'':{width + 12}}$ {check.remedy}\n", "cyan"))
        pieces.append(("\n", ""))
    if not sys.stdout.isatty() or importlib.util.find_spec("rich") is None:
        print("".join(text for text, _ in pieces), end="")
        return
    from rich.console import Console
    from rich.text import Text

    # Not wrapped: a command must be one line to be copied.
    Console(soft_wrap=True).print(Text.assemble(*pieces), end="")
