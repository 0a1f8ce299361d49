# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln run PROGRAM``: runs a program whose ``import tensorrt`` shall give Kiln."""

import argparse
import runpy
import sys
from pathlib import Path

import kiln
from kiln.cli.arguments import Commands, stop


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("run", help="run a program with Kiln as its tensorrt module")
    command.add_argument("program", help="Python file")
    command.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the program as python does: as __main__, its folder first among the imports."""
    program = Path(arguments.program)
    if not program.is_file():
        stop(f"[run] expected a Python file, got '{program}'")
    kiln.install_as_tensorrt()
    sys.argv = [str(program), *arguments.arguments]
    sys.path[0:0] = [str(program.resolve().parent)]
    runpy.run_path(str(program), run_name="__main__")
    return 0
