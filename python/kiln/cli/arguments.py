# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What several commands do with their arguments."""

import argparse
import sys
from typing import Any, NoReturn, TypeAlias

import kiln

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def stop(text: str) -> NoReturn:
    """Ends the program: the arguments cannot be followed."""
    print(text, file=sys.stderr)
    sys.exit(2)


def plan_or_exit(path: str) -> dict[str, Any]:
    """The description of a plan file; ends the program if there is no such file."""
    try:
        return kiln.describe_plan(path)
    except OSError as error:
        stop(f"[plan] cannot read '{path}': {error.strerror or error}")
