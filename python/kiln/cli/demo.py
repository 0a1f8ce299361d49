# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln demo``: runs the demo of the source tree, or says where to find it."""

import argparse
import subprocess
import sys
from pathlib import Path

import kiln
from kiln._messages import message
from kiln.cli.arguments import Commands

DEMO = Path("examples") / "circ_pad" / "demo.py"


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("demo", help="run the demo of the source tree")
    command.set_defaults(run=run, more=[])  # the demo reads its arguments itself


def find(start: Path) -> "Path | None":
    """The demo in a folder or one above it."""
    return next((f / DEMO for f in (start, *start.parents) if (f / DEMO).is_file()), None)


def run(arguments: argparse.Namespace) -> int:
    """Runs the demo with this interpreter; returns its exit code."""
    found = find(Path.cwd()) or find(Path(kiln.__file__).resolve().parent)
    if found is None:
        print(
            message(
                f"[demo] expected {DEMO} in the current folder or above it, found none: a wheel "
                "does not bring it. Get the source tree of Kiln, and run kiln demo inside of it."
            ),
            file=sys.stderr,
        )
        return 1
    return subprocess.run([sys.executable, str(found), *arguments.more]).returncode
