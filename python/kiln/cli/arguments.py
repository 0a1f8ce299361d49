# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions for arguments that several commands share."""

import argparse
import json
import sys
from typing import Any, NoReturn, TypeAlias

import kiln
from kiln._messages import message

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def stop(text: str) -> NoReturn:
    """Ends the program because of a wrong argument, with exit code 2."""
    print(message(text), file=sys.stderr)
    sys.exit(2)


def plan_or_exit(path: str) -> dict[str, Any]:
    """The description of a plan file; ends the program if there is no such file."""
    try:
        return kiln.describe_plan(path)
    except OSError as error:
        stop(f"[plan] cannot read '{path}': {error.strerror or error}")


def add_json(command: argparse.ArgumentParser) -> None:
    """Declares the option ``--json``; ``print_json`` prints what it asks for."""
    command.add_argument("--json", action="store_true", help="print everything as JSON")


def print_json(data: Any) -> None:
    """Prints data as indented JSON."""
    print(json.dumps(data, indent=2))
