# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the interpreters of this machine that a wheel can be built for."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

OLDEST, NEWEST = (3, 10), (3, 13)
_QUESTIONS = """
import importlib.util, json, os, platform, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
print(json.dumps({
    "version": list(sys.version_info[:2]),
    "cpython": platform.python_implementation() == "CPython",
    "threads_without_lock": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "headers": os.path.isfile(header),
    "venv": importlib.util.find_spec("ensurepip") is not None,
}))
"""


@dataclass(frozen=True)
class Python:
    """An interpreter: its program, and its version as in (3, 11)."""

    program: Path
    version: tuple[int, int]

    @property
    def tag(self) -> str:
        """The tag of wheels, as in cp311."""
        return f"cp{self.version[0]}{self.version[1]}"

    @property
    def name(self) -> str:
        """The name for people, as in Python 3.11."""
        return f"Python {self.version[0]}.{self.version[1]}"


def find() -> "tuple[list[Python], list[str]]":
    """One interpreter for each version, in order, and why others were left out."""
    found: dict[tuple[int, int], Python] = {}
    left_out = []
    for program in _candidates():
        try:
            python = examine(program)
        except ValueError as error:
            left_out.append(str(error))
            continue
        found.setdefault(python.version, python)
    return [found[version] for version in sorted(found)], left_out


def examine(program: Path) -> Python:
    """An interpreter that can build and try a wheel. Raises ValueError, with the reason."""
    done = subprocess.run(
        [program, "-I", "-c", _QUESTIONS], capture_output=True, text=True, timeout=60
    )
    if done.returncode != 0:
        raise ValueError(f"{program}: does not run: {done.stderr.strip()[-200:]}")
    facts = json.loads(done.stdout)
    version = (facts["version"][0], facts["version"][1])
    if not facts["cpython"] or facts["threads_without_lock"]:
        raise ValueError(f"{program}: expected CPython with its global lock")
    if not OLDEST <= version <= NEWEST:
        raise ValueError(f"{program}: expected 3.10 to 3.13, got {version[0]}.{version[1]}")
    if not facts["headers"]:
        raise ValueError(f"{program}: expected Python.h. Install its development package")
    if not facts["venv"]:
        raise ValueError(f"{program}: expected the module ensurepip. Install its venv package")
    return Python(program, version)


def _candidates() -> "list[Path]":
    """Programs of PATH, of the system and of pyenv; those of virtual environments left out."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders += [Path("/usr/local/bin"), Path("/usr/bin")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted(pyenv.glob("versions/*/bin"), key=_numbers, reverse=True)
    programs: dict[Path, None] = {}
    for folder in folders:
        for minor in range(OLDEST[1], NEWEST[1] + 1):
            program = folder / f"python3.{minor}"
            # The scripts in pyenv's shims stand for whatever version is chosen at the moment.
            if folder.name == "shims" or (folder.parent / "pyvenv.cfg").exists():
                continue
            if os.access(program, os.X_OK):
                programs.setdefault(program.resolve())
    return list(programs)


def _numbers(path: Path) -> "list[int]":
    return [int(number) for number in re.findall(r"\d+", str(path))]
