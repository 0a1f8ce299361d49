# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""`make test` runs every test of every C++ test program: no filter leaves one out, and tests that
skip without a GPU run on the emulated one."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build"
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


def entries():
    """The entries of ctest."""
    ctest = shutil.which("ctest") or Path(os.sys.executable).with_name("ctest")
    command = [ctest, "--test-dir", BUILD, "--show-only=json-v1"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(text)["tests"]


def shard_of(test):
    """(number, count) of an entry that runs a share of the tests under its filter."""
    properties = {each["name"]: each["value"] for each in test.get("properties", [])}
    variables = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
    count = int(variables.get("GTEST_TOTAL_SHARDS", 1))
    return int(variables.get("GTEST_SHARD_INDEX", 0)), count


def filters_of(program, word=""):
    """The filters under which ctest runs a program, in entries that have `word` in their name.

    Entries that share the tests of a filter count once.
    """
    option = "--gtest_filter="
    shards = {}
    for test in entries():
        words = test.get("command", [""])
        if Path(words[0]) == program and word in test["name"]:
            found = (each.removeprefix(option) for each in words if each.startswith(option))
            number, count = shard_of(test)
            shards.setdefault((next(found, "*"), count), []).append(number)
    for (filter, count), numbers in shards.items():
        assert sorted(numbers) == list(range(count)), f"shares of {filter}"
    return [filter for filter, _ in shards]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_every_test_of_a_program_is_run_once(program):
    runs = [listed(program, filter) for filter in filters_of(program)]
    assert set().union(*runs) == listed(program)
    assert sum(map(len, runs)) == len(listed(program)), "a test is run twice"


def skipped(program):
    """The tests that a program skips where no driver answers, as {suite.test: reason}."""
    environment = {**os.environ, "KILN_CUDA_DRIVER": "not there"}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=280)
    reasons = re.findall(r": Skipped\n(.*)\n+\[  SKIPPED \] ([\w./]+)", done.stdout)
    return {name: reason for reason, name in reasons}


# Skipping on a machine without CUDA's header, or without AVX-512, is no matter of GPUs.
OTHER_REASONS = (
    "there was no cuda.h when this was compiled",
    "oneDNN has no bfloat16 on this processor",
)
MAY_SKIP = [
    program
    for program in PROGRAMS
    if any(
        "GTEST_SKIP" in path.read_text()
        for path in (ROOT / "tests" / program.name.removesuffix("_test")).rglob("*.[ch]*")
    )
]


@pytest.mark.parametrize("program", MAY_SKIP, ids=lambda path: path.name)
def test_tests_that_need_a_gpu_run_on_the_emulated_one(program):
    emulated = [listed(program, filter) for filter in filters_of(program, "_emulated_gpu")]
    needed = {name for name, reason in skipped(program).items() if reason not in OTHER_REASONS}
    assert needed <= set().union(*emulated)


def test_there_are_programs():
    assert len(PROGRAMS) >= 10
