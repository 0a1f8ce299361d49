# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Starts another program; an error contains its last output lines."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_process(
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    *,
    alone: bool = False,
) -> str:
    """Returns what the program printed; raises RuntimeError with its last lines if it failed.

    environment: variables to add, or all variables if `alone` is set.
    """
    inherited: Mapping[str, str] = {} if alone else os.environ
    done = subprocess.run(
        [str(part) for part in command],
        env={**inherited, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        timeout=300,
    )
    if done.returncode != 0:
        last_words = "\n".join(done.stdout.strip().splitlines()[-12:])
        raise RuntimeError(f"exit code {done.returncode}:\n{last_words}")
    return done.stdout
