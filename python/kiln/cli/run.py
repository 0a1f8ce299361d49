# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln run PROGRAM``: runs a program with Kiln as its ``tensorrt`` module."""

import argparse
import runpy
import shutil
import sys
from pathlib import Path

import kiln
from kiln.cli import plugins
from kiln.cli.arguments import Commands, stop


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("run", help="run a program with Kiln as its tensorrt module")
    command.add_argument(
        "--host-cudart",
        action=argparse.BooleanOptionalAction,
        help="let the program find the libcudart that works on host memory. Default: on the "
        "target cpu",
    )
    command.add_argument(
        "--allow-python-source",
        action="store_true",
        help="let plans that the program opens run the Python source that they carry",
    )
    plugins.add_option(command)
    command.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    command.add_argument("program", help="Python file, or a Python program such as polygraphy")
    command.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the program as python does: as __main__, with its folder first in sys.path."""
    program = arguments.program if arguments.module else _file(arguments.program)
    kiln.install_as_tensorrt()
    plugins.load(arguments.plugins)
    if arguments.allow_python_source:
        kiln.allow_python_source(None)
    wanted = arguments.host_cudart
    if wanted or (wanted is None and kiln.default_target() == "cpu"):
        _use_host_cudart()
    sys.argv = [program, *arguments.arguments]
    if arguments.module:
        sys.path[0:0] = [str(Path.cwd())]
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        sys.path[0:0] = [str(Path(program).resolve().parent)]
        runpy.run_path(program, run_name="__main__")
    return 0


def _use_host_cudart() -> None:
    try:
        kiln.use_host_cudart()
    except RuntimeError as error:
        stop(str(error))


def _file(program: str) -> str:
    """The program's file: the given path, or a Python program in PATH."""
    if Path(program).is_file():
        return program
    found = shutil.which(program)
    if found is not None and _is_python(found):
        return found
    stop(f"[run] expected a Python file, got '{program}'")


def _is_python(path: str) -> bool:
    """Whether the start of an executable file names a Python interpreter."""
    with open(path, "rb") as file:
        first = file.readline(512)
        # If the interpreter's path is long, a shell script starts it in its second line.
        second = file.readline(512)
    return first.startswith(b"#!") and (b"python" in first or b"python" in second)
