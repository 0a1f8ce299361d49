# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Random models on the emulated GPU; see tests/emulation."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated_gpu import DRIVER, EVERYTHING, run_pytest


@pytest.mark.parametrize(("libraries", "seed"), [(DRIVER, 0), (EVERYTHING, 1000)])
def test_models(libraries, seed, monkeypatch):
    """Kiln's own kernels alone, and with the libraries that take some layers."""
    monkeypatch.setenv("KILN_RANDOM_MODELS", "40")
    monkeypatch.setenv("KILN_RANDOM_SEED", str(seed))
    done = run_pytest(["tests/random_models/test_random_models.py"], libraries)
    assert done.returncode == 0, done.stdout + done.stderr
