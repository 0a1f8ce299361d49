# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Daemon threads that use Kiln while the interpreter ends do not crash the process."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TIMES = 20
AT_ONCE = 5


@pytest.mark.parametrize("work", ["run_plugin", "run_layers", "build", "allocate", "fail"])
def test_the_process_ends_as_it_wants_to(work):
    def start():
        return subprocess.Popen(
            [sys.executable, "daemon_threads.py", work],
            cwd=HERE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    ends = []
    for _ in range(0, TIMES, AT_ONCE):
        for process in [start() for _ in range(AT_ONCE)]:
            output, _ = process.communicate(timeout=60)
            ends.append((process.returncode, output.splitlines()[-1:]))
    assert ends == [(0, ["leaving"])] * TIMES
