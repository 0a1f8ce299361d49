# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln man [PROGRAM]``: shows the manual page of kiln or trtexec."""

import argparse
import shutil
import subprocess
import sys

from kiln.cli.arguments import Commands, stop


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser(
        "man", help="show the manual page of kiln or trtexec; in a pipe, print its source"
    )
    command.add_argument(
        "program",
        nargs="?",
        choices=("kiln", "trtexec"),
        default="kiln",
        metavar="PROGRAM",
        help="kiln (default) or trtexec",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Opens the page in man on a terminal; prints it otherwise."""
    from kiln import cli
    from kiln.cli.shell import manual
    from kiln.cli.shell.programs import programs

    found = programs(cli.parser())
    if arguments.program not in found:
        stop(
            f"[man] expected a build with {arguments.program}, found none. Build Kiln with "
            "KILN_BUILD_TOOLS=ON, as it is by default."
        )
    text = manual.page(found[arguments.program])
    if sys.stdout.isatty() and shutil.which("man"):
        return subprocess.run(["man", "-l", "-"], input=text, text=True).returncode
    print(text, end="")
    return 0
