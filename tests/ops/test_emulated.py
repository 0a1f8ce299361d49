# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The case tables on the emulated GPU, kernels included: see tests/emulation/emulation.h.

One child process for each table, because a process opens one driver.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_ops import TABLES

ROOT = Path(__file__).parents[2]
EMULATION = ROOT / "build" / "tests" / "libkiln_emulated_cuda.so"


def ops(target):
    return {path.stem for path in (ROOT / "src" / "backends" / target / "ops").glob("*.cpp")}


def tables():
    """Those whose layers the target has; tables of several layers need all."""
    missing = ops("cpu") - ops("cuda")
    single = [table for table in TABLES if table in ops("cuda") - {"shape"}]
    return single if missing else list(TABLES)


@pytest.mark.parametrize("table", tables())
def test_table(table):
    assert EMULATION.exists(), "build the target kiln_tests"
    environment = dict(
        os.environ, KILN_TARGET="cuda", KILN_CUDA_DRIVER=str(EMULATION), KILN_NVRTC=str(EMULATION)
    )
    for name in ["PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"]:
        environment.pop(name, None)
    arguments = ["tests/ops/test_ops.py", "-q", "-p", "no:cacheprovider", "-m", "cuda"]
    arguments += ["-k", f"[{table}- or [{table}]", "--tb=short"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
