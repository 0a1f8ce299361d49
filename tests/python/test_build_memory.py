# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The memory that a build needs beside the weights of the model."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "build_scale" / "run.py"


@pytest.mark.parametrize("flag", ["float", "BF16"])
@pytest.mark.parametrize("model", ["products", "convolutions", "encoder"])
def test_weights_are_in_memory_about_twice(model, flag):
    command = [sys.executable, str(BENCHMARK), "--megabytes", "256", "--memory", model, flag]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # The user's and the plan's; one packed constant and libraries of 30 MB.
    assert float(done.stdout.split()[-1]) <= 2.3
