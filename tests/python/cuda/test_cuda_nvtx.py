# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/test_nvtx.py on the GPU."""

import pytest
from test_nvtx import *  # noqa: F403


@pytest.fixture(autouse=True)
def child_target(monkeypatch):
    monkeypatch.setenv("KILN_TARGET", "cuda")
