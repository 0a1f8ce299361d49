# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds Kiln: Python, the module tensorrt, commands, compilers, frameworks, folders."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kiln.aot import _c, _ptxas
from kiln.cli import facts
from kiln.cli.doctor import installation, libraries
from kiln.cli.doctor.check import MISSING, OK, PROBLEM, Check, system_package

# The lowest versions, as in pyproject.toml.
_PYTHON = (3, 10)
_PACKAGES = {"numpy": (1, 24), "rich": (13,)}
# Packages of NVIDIA that bring a module tensorrt.
_DROP_IN = "kilnrt-tensorrt"
_ORIGINALS = [f"tensorrt{end}" for end in ("", "-cu12", "-cu13", "-rtx", "-lean", "-dispatch")]


def python() -> Iterator[Check]:
    """The interpreter and the packages that Kiln imports."""
    group = "Python"
    version = sys.version.split()[0]
    status = OK if sys.version_info >= _PYTHON else PROBLEM
    yield Check(group, "python", status, f"{version} ({sys.executable})", "", True)
    yield from installation.examine(group)
    for name, least in _PACKAGES.items():
        wanted = f"{name}>={'.'.join(map(str, least))}"
        remedy = f'pip install "{wanted}"'
        found = facts.installed((name,))
        if found is None:
            yield Check(group, name, MISSING, f"expected {wanted}", remedy, True)
        elif _numbers(found["version"]) < least:
            text = f"{found['version']}, expected {wanted}"
            yield Check(group, name, PROBLEM, text, remedy, True)
        else:
            yield Check(group, name, OK, found["version"], "", True)
    yield _tensorrt(group)


def _numbers(version: str) -> "tuple[int, ...]":
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def _tensorrt(group: str) -> Check:
    """Which module import tensorrt gives, and whether a package of NVIDIA overwrites Kiln's."""
    name, module = "import tensorrt", facts.tensorrt_module()
    others = [package for package in _ORIGINALS if facts.installed((package,))]
    if module["module"] == "none":
        return Check(group, name, MISSING, "nothing", "kiln run PROGRAM")
    if others and facts.installed((_DROP_IN,)):
        # Each has files of the same names: removing one removes files of the other.
        both = f"{', '.join(others)} and {_DROP_IN} overwrite each other's files"
        text = f"{module['file']}, but {both}; remove all, then install the one that you want"
        return Check(group, name, PROBLEM, text, f"pip uninstall {' '.join(others)} {_DROP_IN}")
    if module["module"] == "other":
        text = f"another package, {module['file']}; programs get Kiln through kiln run"
        return Check(group, name, PROBLEM, text, "kiln run PROGRAM")
    return Check(group, name, OK, f"Kiln ({module['file']})")


def commands(cuda: bool) -> Iterator[Check]:
    """What the shell finds under the names of Kiln's commands, and the host libcudart."""
    group = "Commands"
    for name in ("kiln", "trtexec"):
        found = shutil.which(name)
        if found is None:
            yield Check(group, name, MISSING, "not on PATH", _path_line(name))
        elif not _is_ours(Path(found), name):
            text = f"{found} is another program"
            yield Check(group, name, PROBLEM, text, _path_line(name))
        else:
            yield Check(group, name, OK, found)
    yield libraries.cuda_runtime(group, cuda)


def _path_line(name: str) -> str:
    """Puts the folder that has the command first on PATH."""
    beside = Path(sys.executable).parent
    folder = beside if (beside / name).is_file() else facts.PACKAGE / "bin"
    if not (folder / name).is_file():
        return f'alias {name}="{sys.executable} -m kiln"' if name == "kiln" else ""
    return f'export PATH="{folder}:$PATH"'


def _is_ours(file: Path, name: str) -> bool:
    """Whether a program is Kiln's: the binary of this package, or a script that names Kiln."""
    binary = (facts.PACKAGE / "bin" / name).resolve()
    if file.resolve() == binary:
        return True
    with open(file, "rb") as opened:
        start = opened.read(4096)
    words = (b"kiln", os.fsencode(binary)) if name == "kiln" else (b"kiln.", os.fsencode(binary))
    return start.startswith(b"#!") and any(word in start for word in words)


def compilers(cuda: bool) -> Iterator[Check]:
    """Compilers for plugins that are compiled ahead of time."""
    group = "Compilers for plugins"
    for language, package in (("c", "gcc"), ("c++", "g++")):
        try:
            command = _c.compiler_for(language)
            yield Check(group, language, OK, shutil.which(command[0]) or command[0])
        except RuntimeError as error:
            variable = {"c": "CC", "c++": "CXX"}[language]
            named = bool(os.environ.get(variable))
            remedy = f"unset {variable}" if named else system_package(package)
            yield Check(group, language, PROBLEM if named else MISSING, str(error), remedy)
    if cuda:
        found = next((file for file in _ptxas.assemblers() if os.access(file, os.X_OK)), None)
        text = found or "none; the driver compiles PTX when a plan is opened"
        remedy = "" if found else "pip install nvidia-cuda-nvcc"
        yield Check(group, "ptxas", OK if found else MISSING, text, remedy)


def frameworks(cuda: bool) -> Iterator[Check]:
    """Packages that plugins and tools may use."""
    group = "Frameworks (optional)"
    for name, packages in facts.FRAMEWORKS.items():
        found = facts.installed(packages)
        if name in _PACKAGES:
            continue
        if found is None:
            yield Check(group, name, MISSING, "not installed", f"pip install {packages[0]}")
        elif cuda and found["version"].endswith("+cpu"):
            text = f"{found['version']} cannot use the GPU"
            index = "https://download.pytorch.org/whl/cu130"
            yield Check(group, name, PROBLEM, text, f"pip install {name} --index-url {index}")
        else:
            yield Check(group, name, OK, found["version"])


def folders(cuda: bool) -> Iterator[Check]:
    """Folders that Kiln and the frameworks write to."""
    group, home = "Folders", Path.home()
    temporary = Path(os.environ.get("TMPDIR") or tempfile.gettempdir())
    yield _folder(group, "temporary files", temporary, "TMPDIR", True)
    if facts.installed(("triton",)):
        cache = os.environ.get("TRITON_CACHE_DIR", home / ".triton" / "cache")
        yield _folder(group, "Triton's cache", Path(cache), "TRITON_CACHE_DIR")
    if numba := os.environ.get("NUMBA_CACHE_DIR"):
        yield _folder(group, "Numba's cache", Path(numba), "NUMBA_CACHE_DIR")
    if cuda:
        cache = os.environ.get("CUDA_CACHE_PATH", home / ".nv" / "ComputeCache")
        yield _folder(group, "the driver's cache", Path(cache), "CUDA_CACHE_PATH")


def _folder(group: str, name: str, path: Path, variable: str, needed: bool = False) -> Check:
    """A folder that can be written, or one that does not exist but can be made."""
    present = path
    while not present.exists() and not needed and present != present.parent:
        present = present.parent
    if not present.is_dir():
        remedy = f"mkdir -p {path}" if not present.exists() else f"export {variable}=/tmp"
        return Check(group, name, PROBLEM, f"{path} is no folder", remedy, needed)
    try:
        # Permissions alone say nothing about full or read-only file systems.
        with tempfile.TemporaryFile(dir=present, buffering=0) as file:
            file.write(bytes(4096))
    except OSError as error:
        text = f"{path} cannot be written: {error.strerror}"
        return Check(group, name, PROBLEM, text, f"export {variable}=/tmp", needed)
    return Check(group, name, OK, str(path), "", needed)
