# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import sys
from pathlib import Path

import pytest
import tensorrt as trt

# These folders are no packages; they hold helpers of the tests.
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from list_logger import ListLogger


@pytest.fixture
def logger():
    return ListLogger()


@pytest.fixture
def raising():
    """Switches kiln.raise_errors on for one test."""
    trt.raise_errors(True)
    yield
    trt.raise_errors(False)
