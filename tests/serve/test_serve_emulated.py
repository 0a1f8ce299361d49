# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/serve/cuda on the emulated GPU; see tests/emulation."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated_gpu import run_pytest


def test_cuda():
    done = run_pytest(["tests/serve/cuda", "-rs"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "SKIPPED" not in done.stdout, done.stdout
