# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line: plans described and checked, what is installed, programs run on Kiln.

Each command is a module with two functions: ``add`` declares its arguments, ``run`` does the work
and returns the exit code.
"""

import argparse

from kiln.cli import check, config, demo, info, inspect, run

COMMANDS = (inspect, check, info, demo, run, config)


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(prog="kiln", description="Tools of the Kiln runtime.")
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
    return int(arguments.run(arguments))
