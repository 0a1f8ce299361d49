# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line: describes and checks plans, shows what is installed, runs programs on Kiln.

Each command is a module with two functions: ``add`` declares its arguments, ``run`` does the work
and returns the exit code.
"""

import argparse
import os
import sys

import kiln
from kiln.cli import (
    check,
    completion,
    config,
    demo,
    doctor,
    explain,
    info,
    inspect,
    man,
    plugins,
    report,
    run,
    serve,
)

__all__ = ["COMMANDS", "main", "parser", "plugins"]

COMMANDS = (
    inspect,
    report,
    check,
    info,
    explain,
    doctor,
    demo,
    run,
    serve,
    config,
    completion,
    man,
)

_CLOSED_PIPE = 128 + 13  # as a shell reports a program that SIGPIPE ended


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(prog="kiln", description="Tools of the Kiln runtime.")
    top.add_argument(
        "--version",
        action="version",
        version=f"kiln {kiln.kiln_version} (the API of TensorRT {kiln.__version__})",
    )
    commands = top.add_subparsers(dest="command", required=True)
    for module in COMMANDS:
        module.add(commands)
    return top


def main() -> int:
    """Runs the command that the arguments name; returns the exit code."""
    top = parser()
    arguments, more = top.parse_known_args()
    if more and not hasattr(arguments, "more"):
        top.error(f"unrecognized arguments: {' '.join(more)}")
    arguments.more = more
    if arguments.command == "run":
        return int(arguments.run(arguments))  # the program handles errors of its own output
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as head, closed the pipe. Buffered output must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    return code
