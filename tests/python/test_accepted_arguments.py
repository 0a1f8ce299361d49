# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every argument with every kind of value: what arrives, or which error is raised."""

from pathlib import Path

import pytest
from accepted import KINDS, tables
from accepted_arguments import ARGUMENTS, names
from accepted_bench import Bench

ROOT = Path(__file__).parents[2]
ACCEPTED = [
    pytest.param(call, kind, label, id=f"{argument}-{label}")
    for kind, calls in ARGUMENTS.items()
    for argument, call in calls.items()
    for label in KINDS[kind].accepted
]
REFUSED = [
    pytest.param(call, kind, label, id=f"{argument}-{label}")
    for kind, calls in ARGUMENTS.items()
    for argument, call in calls.items()
    for label in KINDS[kind].refused
]


@pytest.mark.parametrize(("call", "kind", "label"), ACCEPTED)
def test_accepted(call, kind, label):
    assert call(Bench(), KINDS[kind].accepted[label]) == KINDS[kind].means


@pytest.mark.parametrize(("call", "kind", "label"), REFUSED)
def test_refused(call, kind, label):
    value, error = KINDS[kind].refused[label]
    with pytest.raises(error):
        call(Bench(), value)


def test_the_page_has_these_tables():
    page = (ROOT / "docs" / "accepted-arguments.md").read_text()
    _, _, text = page.partition("<!-- tables -->\n\n")
    assert text.strip() == tables(names()).strip(), (
        "docs/accepted-arguments.md: run tests/python/accepted.py"
    )
