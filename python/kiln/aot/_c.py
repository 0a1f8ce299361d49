# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared objects for the CPU, made by the system's compiler."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kiln._messages import coded

INCLUDE = Path(__file__).absolute().parent.parent / "include"

# The same input must give the same bytes: no path, no time, no build identifier.
_REPRODUCIBLE = ["-fPIC", "-shared", "-Wl,--build-id=none", "-Wl,-z,defs", "-Wl,-z,noexecstack"]
_COMPILERS = {
    "c": ("CC", ["cc", "gcc", "clang"], ".c"),
    "c++": ("CXX", ["c++", "g++", "clang++"], ".cpp"),
}
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`'\"]?([\w.@$]+)")


def compiler_for(language: str) -> list[str]:
    """The command of the system's compiler: CC or CXX, else the first that is installed."""
    variable, names, _ = _COMPILERS[language]
    chosen = shlex.split(os.environ.get(variable, ""))
    if chosen:
        if shutil.which(chosen[0]) is None:
            raise coded(
                RuntimeError,
                f"[aot] {variable}: expected a compiler that can be run, got '{chosen[0]}'. "
                "Install it or unset the variable.",
            )
        return chosen
    for name in names:
        if shutil.which(name) is not None:
            return [name]
    raise coded(
        RuntimeError,
        f"[aot] expected a compiler for {language} ({', '.join(names)}), found none. Install one, "
        f"such as g++, or name it in {variable}.",
    )


def _run(command: list[str], folder: str, what: str) -> bytes:
    """Runs a compiler in the folder; returns the library that it makes there."""
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if made.returncode == 0:
        return (Path(folder) / "kernel.so").read_bytes()
    missing = sorted(set(_UNDEFINED.findall(made.stderr)))
    if missing:
        raise coded(
            RuntimeError,
            f"[aot] {what}: expected functions of the C library alone, found these undefined: "
            f"{', '.join(missing)}. Define them, or name their library in options.",
        )
    raise coded(
        RuntimeError,
        f"[aot] {what}: expected '{shlex.join(command)}' to succeed, got exit code "
        f"{made.returncode}:\n{made.stderr.strip()}",
    )


def compile_c(
    source: "str | os.PathLike[str]",
    *,
    language: "str | None" = None,
    options: Sequence[str] = (),
) -> bytes:
    """Compiles C or C++ source to a shared object; the source may include <kiln/host_kernel.h>.

    source: the text, or the path (an os.PathLike) of a file, whose folder is searched for headers.
    language: 'c' or 'c++'. Default: by the file's suffix; 'c' for text. options: compiler options
    after -O3, such as '-march=x86-64-v3', which the machine that runs the plan must support.
    Returns the bytes; equal sources give equal bytes. Raises RuntimeError if there is no compiler
    or, with the compiler's output, if the source does not compile.
    """
    text, folders = source, []
    if isinstance(source, os.PathLike):
        path = Path(source)
        text, folders = path.read_text(encoding="utf-8"), [str(path.resolve().parent)]
        language = language or ("c" if path.suffix == ".c" else "c++")
    language = language or "c"
    if language not in _COMPILERS:
        raise coded(ValueError, f"[aot] language: expected 'c' or 'c++', got '{language}'")
    suffix = _COMPILERS[language][2]
    includes = [f"-I{folder}" for folder in [*folders, str(INCLUDE)]]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"kernel{suffix}").write_text(str(text), encoding="utf-8")
        command = [*compiler_for(language), "-O3", *_REPRODUCIBLE, *includes, f"kernel{suffix}"]
        return _run([*command, "-o", "kernel.so", *options, "-lm"], folder, f"{language} source")


def link(objects: "bytes | Sequence[bytes]", *, options: Sequence[str] = ()) -> bytes:
    """Links relocatable objects (the bytes of .o files) to a shared object.

    objects: one, or several that use each other. options: linker options, such as '-lfoo'.
    Returns the bytes. Raises RuntimeError if there is no compiler or, with their names, for
    undefined functions.
    """
    parts = [objects] if isinstance(objects, bytes | bytearray | memoryview) else list(objects)
    names = [f"kernel{i}.o" for i in range(len(parts))]
    with tempfile.TemporaryDirectory() as folder:
        for name, part in zip(names, parts, strict=True):
            (Path(folder) / name).write_bytes(part)
        command = [*compiler_for("c"), *_REPRODUCIBLE, *names, "-o", "kernel.so", *options, "-lm"]
        return _run(command, folder, "relocatable objects")
