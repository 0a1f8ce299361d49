# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs notebook_cells.py in a process without loggers of other tests."""

import subprocess
import sys
from pathlib import Path


def test_notebook_cells():
    file = Path(__file__).with_name("notebook_cells.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "failed" not in done.stdout
