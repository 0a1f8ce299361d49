# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln info``: versions, target, instruction set, folders, frameworks."""

import argparse
from typing import Any

from kiln.cli import show
from kiln.cli.arguments import Commands, add_json, print_json


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("info", help="show versions, target, frameworks and folders")
    add_json(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints what is installed and what engines are built for."""
    from kiln.cli import facts

    found = facts.collect()
    if arguments.json:
        print_json(found)
    else:
        _tables(found)
    return 0


def _tables(found: dict[str, Any]) -> None:
    python = found["python"]
    unknown = "unknown: no plan can be built for this target here"
    show.table(
        "Kiln",
        ("what", "value"),
        [
            ("kiln", found["kiln"]),
            ("API", f"TensorRT {found['api']}"),
            ("target", found["target"]),
            ("instruction set", found["instruction_set"] or unknown),
            ("threads", found["threads"]),
            ("python", f"{python['version']} ({python['executable']})"),
            ("package", found["package"]),
            ("libraries", found["libraries"]),
            ("headers", found["headers"]),
            ("import tensorrt", _tensorrt(found["tensorrt"])),
            ("host libcudart", _host_cudart(found["host_cudart"])),
        ],
    )
    show.table("NVIDIA GPU", ("what", "value"), _gpu(found["gpu"]))
    frameworks = found["frameworks"].items()
    show.table("Frameworks", ("package", "version"), [(n, _version(n, f)) for n, f in frameworks])


def _version(name: str, framework: "dict[str, str] | None") -> str:
    """The version, with the package if the library is in one of another name."""
    if framework is None:
        return "not installed"
    version, package = framework["version"], framework["package"]
    return version if package == name else f"{version} ({package})"


def _gpu(target: dict[str, Any]) -> "list[tuple[str, str]]":
    """The GPU, or why there is none; the libraries, or why they are not found."""
    rows = [("target cuda", target["problem"] or ", ".join(target["architectures"]))]
    if device := target.get("device"):
        size = device["memory"] / 2**30
        rows.append(("GPU", f"{device['name']} (number {device['number']}, {size:.0f} GiB)"))
    for library in target["libraries"]:
        found = library.get("problem") or f"{library['version']}, {library['file']}"
        rows.append((library["name"], found))
    return rows


def _tensorrt(found: dict[str, Any]) -> str:
    """What ``import tensorrt`` gives, without importing it."""
    if found["module"] == "none":
        return "nothing; kiln run PROGRAM and kiln.install_as_tensorrt() make it Kiln"
    return "Kiln" if found["module"] == "kiln" else f"another package, {found['file']}"


def _host_cudart(found: dict[str, Any]) -> str:
    """Whether the host libcudart is on, and how to switch it on."""
    if found["on"]:
        return "on, through LD_LIBRARY_PATH"
    return (
        "off; kiln run PROGRAM switches it on, as does "
        f"LD_LIBRARY_PATH={found['folder']} or kiln.use_host_cudart()"
    )
