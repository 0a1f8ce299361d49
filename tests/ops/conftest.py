# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The case tables are modules of this folder, which is not a package.

With KILN_TARGET=cuda all of it runs on the GPU: pytest tests/ops -m cuda.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import device_memory
from case import Logger


@pytest.fixture
def logger():
    """A logger; the test fails if an error is logged."""
    logger = Logger()
    yield logger
    if device_memory.on_cuda() and device_memory.emulated():
        device_memory.emulation().kilnEmulatedReset()  # one bad kernel fails one row only
    assert logger.errors == []


def pytest_collection_modifyitems(items):
    if device_memory.on_cuda():
        for item in items:
            if Path(__file__).parent in item.path.parents and item.path.stem != "test_emulated":
                item.add_marker(pytest.mark.cuda)
