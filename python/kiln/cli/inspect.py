# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln inspect PLAN``: shows what a plan contains and needs, without creating its plugins."""

import argparse
from typing import Any

import kiln
from kiln._words import size
from kiln.cli import plugins, show
from kiln.cli.arguments import Commands, add_json, plan_or_exit, print_json


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("inspect", help="show what a plan holds and needs")
    command.add_argument("plan", metavar="PLAN", help="plan file")
    plugins.add_option(command)
    add_json(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints tables or JSON; exit code 1 if the plan cannot be read."""
    plugins.load(arguments.plugins)
    plan = plan_or_exit(arguments.plan)
    if arguments.json:
        print_json(plan)
    else:
        _tables(arguments.plan, plan, plugins.problems(plan, arguments.plugins))
    return 0 if "layers" in plan else 1


def _tables(path: str, plan: dict[str, Any], problems: list[dict[str, Any]]) -> None:
    _summary(path, plan)
    if "layers" in plan:
        for role in ("inputs", "outputs"):
            show.table(
                role.capitalize(),
                ("name", "type", "format", "shape", "profiles"),
                _ends(plan[role]),
            )
        _plugins(plan)
        _layers(plan)
    if problems:
        show.table(
            "What keeps it from being opened here",
            ("kind", "reason"),
            [(problem["kind"], problem["text"]) for problem in problems],
        )


def _summary(path: str, plan: dict[str, Any]) -> None:
    rows = [("file", path), ("size", size(plan["file_bytes"]))]
    for name in ("network", "target", "instruction_set", "kiln_version", "strongly_typed"):
        if name in plan:
            rows.append((name.replace("_", " "), plan[name]))
    if "weights" in plan:
        weights = sum(entry["bytes"] for entry in plan["weights"])
        rows.append(("weights", f"{len(plan['weights'])} tensors, {size(weights)}"))
        rows.append(("device memory", size(plan["device_memory_bytes"])))
    if plan.get("kiln_version") not in (None, kiln.kiln_version):
        rows.append(("this version", kiln.kiln_version))
    show.table("Plan", ("what", "value"), rows)


def _ends(tensors: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for tensor in tensors:
        profiles = " | ".join(
            ("values " if "values" in profile else "")
            + "..".join(show.shape(profile[bound]) for bound in ("min", "opt", "max"))
            for profile in tensor.get("profiles", [])
        )
        rows.append(
            (
                tensor["name"],
                tensor["type"],
                tensor["format"],
                show.shape(tensor["shape"]),
                profiles or "-",
            )
        )
    return rows


def plugin_name(plugin: dict[str, Any]) -> str:
    """A plugin as "space::name (version 1)"."""
    space = plugin["namespace"]
    return f"{space + '::' if space else ''}{plugin['name']} (version {plugin['version']})"


def language(plugin: dict[str, Any]) -> str:
    """The language that is needed to create a plugin."""
    if plugin["code"]:
        return "none: compiled in"
    return "Python" if plugin["needs_python"] else "C++"


def _plugins(plan: dict[str, Any]) -> None:
    show.table(
        "Plugins needed",
        ("plugin", "style", "language", "layer", "tactic"),
        [
            (
                plugin_name(plugin),
                plugin["style"],
                "compiled in" if plugin["code"] else "Python" if plugin["needs_python"] else "C++",
                plugin["layer"],
                plugin["tactic"] or "-",
            )
            for plugin in plan["plugins"]
        ],
    )
    _code(plan)
    if plan["libraries"]:
        show.table(
            "Plugin libraries inside (loaded only where host code is allowed)",
            ("library", "size"),
            [(library["name"], size(library["bytes"])) for library in plan["libraries"]],
        )
    if plan["python_sources"]:
        show.table(
            "Python source inside (run only where it is allowed, for plugins that are missing)",
            ("module", "size", "plugins"),
            [
                (
                    source["name"],
                    size(source["bytes"]),
                    ", ".join(
                        dict.fromkeys(
                            plugin_name(plugin)
                            for plugin in plan["plugins"]
                            if plugin.get("source") == source["name"]
                        )
                    ),
                )
                for source in plan["python_sources"]
            ],
        )


def _code(plan: dict[str, Any]) -> None:
    """What was compiled ahead of time: a row for each image of each kernel."""
    rows = [
        (
            plugin["layer"],
            f"{variant['target']}:{variant['architecture']}",
            kernel["entry"],
            image["kind"] + (f" {image['ptx_version']}" if "ptx_version" in image else ""),
            image["architecture"],
            ", ".join(kernel["scalar_arguments"]) or "-",
            size(image["bytes"]),
        )
        for plugin in plan["plugins"]
        for variant in plugin["code"]
        for kernel in variant["kernels"]
        for image in kernel["images"]
    ]
    if rows:
        columns = ("layer", "for", "entry", "code", "architecture", "scalars", "size")
        show.table("Code compiled ahead of time", columns, rows)


def _layers(plan: dict[str, Any]) -> None:
    show.table(
        "Layers",
        ("name", "op", "kernel", "inputs", "outputs", "workspace"),
        [
            (
                layer["name"],
                layer["op"],
                layer["kernel"],
                ", ".join(layer["inputs"]),
                ", ".join(layer["outputs"]),
                size(layer["workspace_bytes"]),
            )
            for layer in plan["layers"]
        ],
    )
    show.table(
        "Weights",
        ("name", "origin", "type", "shape", "size"),
        [
            (
                weights["name"],
                weights["origin"],
                weights["type"],
                show.shape(weights["shape"]),
                size(weights["bytes"]),
            )
            for weights in plan["weights"]
        ],
    )
