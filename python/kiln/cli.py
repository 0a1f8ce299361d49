# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line: what is installed, whether a plan is sound, and running programs on Kiln."""

import argparse
import runpy
import sys
from pathlib import Path

import kiln


def info(arguments: argparse.Namespace) -> int:
    """Prints versions, target and folders."""
    folder = Path(kiln.__file__).parent
    lines = {
        "kiln": kiln.kiln_version,
        "API": f"TensorRT {kiln.__version__}",
        "target": kiln.default_target(),
        "threads": kiln.num_threads(),
        "python": f"{sys.version.split()[0]} ({sys.executable})",
        "package": folder,
        "libraries": folder / "lib",
        "headers": folder / "include",
    }
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name:<{width}}  {value}")
    return 0


def check(arguments: argparse.Namespace) -> int:
    """Checks plan files completely; exit code 1 if one is damaged."""
    failed = 0
    for plan in arguments.plans:
        sound = kiln.check_plan(plan)
        print(f"{plan}: {'sound' if sound else 'damaged or not usable here, see above'}")
        failed |= not sound
    return int(failed)


def run(arguments: argparse.Namespace) -> int:
    """Runs a program whose ``import tensorrt`` shall give Kiln."""
    kiln.install_as_tensorrt()
    program = Path(arguments.program)
    if not program.is_file():
        print(f"[run] expected a Python file, got '{program}'", file=sys.stderr)
        return 2
    sys.argv = [str(program), *arguments.arguments]
    sys.path[0:0] = [str(program.resolve().parent)]
    runpy.run_path(str(program), run_name="__main__")
    return 0


def config(arguments: argparse.Namespace) -> int:
    """Prints a folder that C++ builds need."""
    folder = Path(kiln.__file__).parent
    if arguments.cmakedir:
        print(folder / "lib" / "cmake" / "Kiln")
    if arguments.includedir:
        print(folder / "include")
    return 0


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(prog="kiln", description="Tools of the Kiln runtime.")
    commands = top.add_subparsers(dest="command", required=True)

    command = commands.add_parser("info", help="show versions, target and folders")
    command.set_defaults(run=info)

    command = commands.add_parser("check", help="check plan files, weights included")
    command.add_argument("plans", nargs="+", metavar="PLAN", help="plan file")
    command.set_defaults(run=check)

    command = commands.add_parser("run", help="run a program with Kiln as its tensorrt module")
    command.add_argument("program", help="Python file")
    command.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    command.set_defaults(run=run)

    command = commands.add_parser("config", help="print folders for C++ builds")
    group = command.add_mutually_exclusive_group(required=True)
    group.add_argument("--cmakedir", action="store_true", help="for CMake: -DKiln_DIR=...")
    group.add_argument("--includedir", action="store_true", help="the headers")
    command.set_defaults(run=config)
    return top


def main() -> int:
    """Runs the command that the arguments name; returns the exit code."""
    arguments = parser().parse_args()
    return int(arguments.run(arguments))
