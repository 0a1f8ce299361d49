# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""`make test` runs every test of every C++ test program: no filter leaves one out."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / "build"
PROGRAMS = sorted(path for path in (BUILD / "tests").glob("*_test") if os.access(path, os.X_OK))


def listed(program, filter="*"):
    """The tests that a program runs under a filter, as suite.test."""
    command = [program, "--gtest_list_tests", f"--gtest_filter={filter}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    tests, suite = set(), ""
    for line in text.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith(" "):
            tests.add(suite + name)
        elif name.endswith("."):
            suite = name
    return tests


def filters_of(program):
    """The filters under which ctest runs a program."""
    ctest = shutil.which("ctest") or Path(os.sys.executable).with_name("ctest")
    command = [ctest, "--test-dir", BUILD, "--show-only=json-v1"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    option = "--gtest_filter="
    return [
        next((word.removeprefix(option) for word in words if word.startswith(option)), "*")
        for words in (entry.get("command", [""]) for entry in json.loads(text)["tests"])
        if Path(words[0]) == program
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_every_test_of_a_program_is_run_once(program):
    runs = [listed(program, filter) for filter in filters_of(program)]
    assert set().union(*runs) == listed(program)
    assert sum(map(len, runs)) == len(listed(program)), "a test is run twice"


def test_there_are_programs():
    assert len(PROGRAMS) >= 10
