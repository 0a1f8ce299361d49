# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/decorated say that each way in and out is right."""

import sys

import pytest
from matrix.forms import HERE
from matrix.process import run_process

FOLDER = HERE.parent / "decorated"
RIGHT = [
    f"{way_in}, {where}: right"
    for way_in in ("ONNX", "network API")
    for where in ("here", "in another process")
]


def lines_of(program, *arguments):
    """What a program prints, without warnings of what it imports."""
    command = [sys.executable, "-W", "ignore", FOLDER / f"{program}.py", *arguments]
    return run_process(command).splitlines()


@pytest.mark.parametrize("program", ["add", "inplace_add", "nonzero"])
def test_just_in_time(program):
    assert lines_of(program) == RIGHT


def test_both_ways_out():
    assert lines_of("circ_pad") == ["Just in time:", *RIGHT, "Ahead of time:", *RIGHT]


@pytest.mark.parametrize("program", [path.stem for path in FOLDER.glob("*.py")])
def test_no_program_is_forgotten(program):
    tried = ["add", "inplace_add", "nonzero", "circ_pad"]
    assert program in [*tried, "engines"]  # engines: what they share
