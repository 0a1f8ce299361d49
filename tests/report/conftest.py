# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans and descriptions that the tests of reports share."""

import pytest
from kiln import report
from small_network import build


@pytest.fixture(scope="session")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "small.plan"
    path.write_bytes(build())
    return path


@pytest.fixture(scope="session")
def description(plan):
    return report.describe(plan, run=True, iterations=3)
