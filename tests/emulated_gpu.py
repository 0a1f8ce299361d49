# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs whose default target is the emulated GPU of tests/emulation, each in its own process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "build" / "tests" / "libkiln_emulated_cuda.so"
DRIVER = ("CUDA_DRIVER", "NVRTC")
EVERYTHING = (*DRIVER, "CUBLASLT", "CUDNN")


def variables(libraries=DRIVER):
    """Environment variables that select the emulation for these libraries and hide the others."""
    assert LIBRARY.exists(), "build the target kiln_tests"
    # Real libraries of the machine would take the emulated driver for a real one.
    missing = {f"KILN_{library}": "not there" for library in EVERYTHING}
    return missing | {f"KILN_{library}": str(LIBRARY) for library in libraries}


def run_pytest(arguments, libraries=DRIVER):
    """Runs pytest in the root of the tree; returns its CompletedProcess."""
    environment = {**os.environ, "KILN_TARGET": "cuda", **variables(libraries)}
    environment.setdefault("KILN_EMULATION_DEVICES", "2")
    for name in ["PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"]:
        environment.pop(name, None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
    )
