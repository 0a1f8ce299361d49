# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln report PLAN [PLAN]``: draws a plan, or two side by side, with times of layers."""

import argparse
import json
import sys
import webbrowser
from pathlib import Path
from typing import Any

from kiln._words import size
from kiln.cli import plugins
from kiln.cli.arguments import Commands, add_json, print_json, stop

_ALLOW = {
    "host_code": "plugin libraries and compiled plugins of the plan",
    "python_source": "Python source of the plan",
}


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("report", help="draw a plan, or two to compare, with its times")
    command.add_argument(
        "plans",
        nargs="+",
        metavar="PLAN",
        help="plan file, or a description that --json wrote (*.json); a second to compare",
    )
    plugins.add_option(command)
    command.add_argument("--html", metavar="FILE", help="write the page (default: PLAN.html here)")
    command.add_argument("--svg", metavar="FILE", help="write the graph as a picture")
    command.add_argument("--dot", metavar="FILE", help="write the graph for Graphviz")
    command.add_argument("--trace", metavar="FILE", help="write the run for Perfetto or Chrome")
    add_json(command)
    command.add_argument("--open", action="store_true", help="open the page in a browser")
    command.add_argument("--no-run", action="store_true", help="do not run it: no times")
    command.add_argument(
        "--iterations", type=int, default=20, metavar="N", help="runs to measure (default 20)"
    )
    command.add_argument(
        "--shapes", default="", help="shapes of the run, as in x:8x64 (default: optimum)"
    )
    for word, what in _ALLOW.items():
        command.add_argument(
            f"--allow-{word.replace('_', '-')}", action="store_true", help=f"the run may use {what}"
        )
    command.add_argument(
        "--profile",
        action="append",
        default=[],
        metavar="FILE",
        help="times that trtexec --exportProfile wrote, in place of a run; one for each plan",
    )
    command.add_argument(
        "--times",
        action="append",
        default=[],
        metavar="FILE",
        help="times of whole runs that trtexec --exportTimes wrote; one beside each --profile",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Writes what was asked for; exit code 1 if a plan cannot be read."""
    if len(arguments.plans) > 2:
        stop(f"[report] expected one plan, or two to compare, got {len(arguments.plans)}")
    if arguments.profile and len(arguments.profile) != len(arguments.plans):
        stop("[report] expected a --profile for each plan")
    if arguments.times and len(arguments.times) != len(arguments.profile):
        stop("[report] expected a --times beside each --profile")
    if len(arguments.plans) == 2 and (arguments.svg or arguments.dot or arguments.trace):
        stop(
            "[report] --svg, --dot and --trace show one plan; two are compared with --html or "
            "--json"
        )
    plugins.load(arguments.plugins)
    reports = []
    for number, plan in enumerate(arguments.plans):
        files = {
            name: getattr(arguments, name)[number]
            for name in ("profile", "times")
            if getattr(arguments, name)
        }
        try:
            if plan.endswith(".json"):
                reports.append(_stored(plan))
                continue
            reports.append(_described(plan, files, arguments))
            reports[-1]["problems"] = plugins.problems(reports[-1], arguments.plugins)
        except OSError as error:
            stop(f"[report] cannot read '{error.filename or plan}': {error.strerror or error}")
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
    _write(reports, arguments)
    return 0


def _stored(path: str) -> "dict[str, Any]":
    """The description in a file that --json wrote."""
    from kiln import report

    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        found = None
    version = found.get("kiln_report") if isinstance(found, dict) else None
    if version != report.VERSION:
        raise ValueError(
            f"[report] '{path}': expected a description of version {report.VERSION}, as kiln "
            "report PLAN --json writes it. Write it again, or name the plan."
        )
    assert isinstance(found, dict)
    return found


def _described(
    plan: str, files: "dict[str, str]", arguments: argparse.Namespace
) -> "dict[str, Any]":
    """The report of a plan, without times if it cannot be run here."""
    from kiln import report

    runs = not files and not arguments.no_run
    try:
        return report.describe(
            plan,
            run=runs,
            **files,
            plugins=arguments.plugins,
            iterations=max(1, arguments.iterations),
            shapes=arguments.shapes,
            allow=[word for word in _ALLOW if getattr(arguments, f"allow_{word}")],
        )
    except report.RunFailed as failure:
        print(f"{failure}\n[report] goes on without times", file=sys.stderr)
        return report.describe(plan)


def _write(reports: "list[dict[str, Any]]", arguments: argparse.Namespace) -> None:
    from kiln import report

    if arguments.json:
        if len(reports) == 1:
            print_json(reports[0])
        else:
            pairs = report.match(*reports)
            print_json({"kiln_comparison": 1, "reports": reports, "pairs": pairs})
    if arguments.dot:
        _save(arguments.dot, report.to_dot(reports[0]))
    if arguments.svg:
        _save(arguments.svg, report.to_svg(reports[0]))
    if arguments.trace:
        if reports[0]["run"] is None:
            stop("[report] --trace needs times: let the plan run, or pass --profile")
        _save(arguments.trace, json.dumps(report.to_trace(reports[0])))
    asked = arguments.json or arguments.dot or arguments.svg or arguments.trace
    page = arguments.html
    if page is None and (arguments.open or not asked):
        page = "-".join(Path(plan).stem for plan in arguments.plans) + ".html"
    if page is not None:
        _save(page, report.to_html(*reports))
        if arguments.open:
            webbrowser.open(Path(page).absolute().as_uri())


def _save(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        stop(f"[report] cannot write '{path}': {error.strerror or error}")
    print(f"wrote {path} ({size(len(text.encode()))})", file=sys.stderr)
