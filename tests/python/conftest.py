# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import sys
from pathlib import Path

import pytest
import tensorrt as trt

# This folder is not a package; it holds helpers of its tests.
sys.path.insert(0, str(Path(__file__).parent))


class ListLogger(trt.ILogger):
    """Keeps every message."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def log(self, severity, msg):
        self.messages.append((severity, msg))

    def errors(self):
        """The text of all errors."""
        return "\n".join(text for severity, text in self.messages if severity <= trt.ILogger.ERROR)


@pytest.fixture
def logger():
    return ListLogger()


@pytest.fixture
def raising():
    """Switches kiln.raise_errors on for one test."""
    trt.raise_errors(True)
    yield
    trt.raise_errors(False)
