# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests that need a GPU, real or emulated (see tests/emulation). They build for the target cuda."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # no package; it holds helpers of the tests

import kiln

HERE = Path(__file__).parent
PROBLEM = kiln.describe_target("cuda")["problem"]


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.cuda)
            if PROBLEM:
                item.add_marker(pytest.mark.skip(reason=PROBLEM))


@pytest.fixture(autouse=True)
def target():
    """Builds engines for the GPU of this machine."""
    kiln.set_default_target("cuda")
    yield
    kiln.set_default_target(None)
