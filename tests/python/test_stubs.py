# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The stub of the extension module is current, and good enough for a user's typed code."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments):
    result = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=250
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_stub_is_current():
    pytest.importorskip("pybind11_stubgen", reason="not installed: see requirements/lint.txt")
    run("scripts/make_stubs.py", "--check")


def test_typed_sample():
    pytest.importorskip("mypy", reason="not installed: see requirements/lint.txt")
    run(
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "python/kiln",
        "tests/python/typed_sample.py",
    )
