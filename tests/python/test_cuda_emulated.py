# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/cuda that run on the emulated GPU; see tests/emulation.

One child process for each file, because a process opens one driver.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated_gpu import run_pytest

FILES = [
    "test_capture",
    "test_cuda_ahead_of_time",
    "test_cuda_matrix",
    "test_cuda_threads",
    "test_current_device",
    "test_memory",
    "test_runtime",
    "test_streams",
]


@pytest.mark.parametrize("file", FILES)
def test_file(file):
    done = run_pytest([f"tests/python/cuda/{file}.py"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout, done.stdout
