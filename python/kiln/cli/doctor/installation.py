# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What is installed under Kiln's names: one version, at one place, for this interpreter."""

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

import kiln
from kiln.cli import facts
from kiln.cli.doctor.check import OK, PROBLEM, Check

_DROP_IN = "kilnrt-tensorrt"


def examine(group: str) -> Iterator[Check]:
    """The package that is imported, and whether an older one stands beside it."""
    imported = f"{kiln.kiln_version} ({facts.PACKAGE})"
    found = _installed("kilnrt")
    problem, remedy = _problem(found)
    text = f"{imported}; {problem}" if problem else imported
    yield Check(group, "kiln", PROBLEM if problem else OK, text, remedy, not problem)
    others = [version for version, _ in _installed(_DROP_IN) if version != kiln.kiln_version]
    if others:
        text = f"{others[0]}, expected {kiln.kiln_version}, the version of kiln"
        remedy = f'pip install "{_DROP_IN}=={kiln.kiln_version}"'
        yield Check(group, _DROP_IN, PROBLEM, text, remedy)


def _problem(found: "list[tuple[str, Path]]") -> "tuple[str, str]":
    """What is wrong with the packages that pip installed, and the line that mends it."""
    if not found:
        return "", ""  # used from its source tree
    if len(found) > 1:
        places = ", ".join(f"{version} in {folder}" for version, folder in found)
        # pip removes the first that Python finds, so the line is to be repeated.
        return f"installed {len(found)} times: {places}", "pip uninstall --yes kilnrt"
    version, folder = found[0]
    if facts.PACKAGE.parent.resolve() != folder.resolve() and (folder / "kiln").is_dir():
        text = f"{folder} has {version}, which is hidden by a folder before it in sys.path"
        return text, "unset PYTHONPATH"
    if version != kiln.kiln_version:
        text = f"pip knows it as {version}: files of two versions"
        return text, f'pip install --force-reinstall "kilnrt=={kiln.kiln_version}"'
    return "", ""


def _installed(name: str) -> "list[tuple[str, Path]]":
    """Version and folder of each package of that name, in the order of sys.path."""
    found: dict[Path, str] = {}
    for path in dict.fromkeys(sys.path):
        for package in importlib.metadata.distributions(name=name, path=[path or "."]):
            folder = Path(str(package.locate_file(""))).resolve()
            found.setdefault(folder, package.version)
    return [(version, folder) for folder, version in found.items()]
