# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests that need a GPU, real or emulated (see tests/emulation).

All of them are marked `cuda` and run with the target cuda. Those with the fixture gpu need a real
GPU.
"""

import sys
from pathlib import Path

import pytest

# These folders are not packages; they hold helpers of tests.
sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))
sys.path.insert(0, str(Path(__file__).parent))

import device_memory
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


@pytest.fixture
def gpu():
    """Skips the test unless the GPU is real."""
    if device_memory.emulated():
        pytest.skip("a stand-in for the driver is in use, the test needs a GPU")


@pytest.fixture
def torch(gpu):
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("this Torch was built without CUDA")
    return module


@pytest.fixture
def cupy(gpu):
    return pytest.importorskip("cupy")
