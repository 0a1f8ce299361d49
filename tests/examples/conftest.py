# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the examples share: the plugin forms, and a runner of demo rows."""

import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = [EXAMPLES / "circ_pad", EXAMPLES / "class_based", Path(__file__).parent]
# Examples are folders that users copy, not packages; this folder holds helpers of the tests.
sys.path[:0] = [str(folder) for folder in FOLDERS]


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """The folder of the C++ plugin libraries."""
    from matrix.libraries import find_libraries

    return find_libraries(tmp_path_factory.mktemp("circ_pad"))


@pytest.fixture(scope="session")
def runner(tmp_path_factory):
    from matrix.rows import RowRunner

    return RowRunner(tmp_path_factory.mktemp("rows"))
