# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The small models on the emulated GPU; see tests/emulation."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated_gpu import EVERYTHING, run_pytest
from small import SMALL

GROUPS = 4


@pytest.mark.parametrize("group", range(GROUPS))
def test_models(group):
    names = " or ".join(f"[{name}]" for name in list(SMALL)[group::GROUPS])
    done = run_pytest(["tests/models/test_models_cuda.py", "-k", names])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("seed", range(3))
def test_any_candidates(seed, monkeypatch):
    """Any kernels and formats that a build may choose, in random orders of threads."""
    monkeypatch.setenv("KILN_EMULATION_TIMES", str(seed))
    monkeypatch.setenv("KILN_EMULATION_ORDER", str(seed))
    test = "tests/models/test_models_cuda.py::test_in_float16[mobilenet]"
    done = run_pytest([test], EVERYTHING)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout, done.stdout
