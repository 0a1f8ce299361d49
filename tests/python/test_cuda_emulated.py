# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/cuda that the emulated GPU will do for; see tests/emulation.

One child process for each file, because a process opens one driver.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EMULATION = ROOT / "build" / "tests" / "libkiln_emulated_cuda.so"
FILES = ["test_capture", "test_cuda_matrix", "test_cuda_threads", "test_memory", "test_runtime"]


@pytest.mark.parametrize("file", FILES)
def test_file(file):
    assert EMULATION.exists(), "build the target kiln_tests"
    emulated = {"KILN_CUDA_DRIVER": str(EMULATION), "KILN_NVRTC": str(EMULATION)}
    environment = {**os.environ, "KILN_TARGET": "cuda", **emulated}
    for name in ["PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"]:
        environment.pop(name, None)
    arguments = [f"tests/python/cuda/{file}.py", "-q", "-p", "no:cacheprovider", "--tb=short"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout, done.stdout
