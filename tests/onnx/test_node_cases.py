# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases of the onnx package: each matches its data, or is refused as expected.

`python tests/onnx/test_node_cases.py` writes the list of refused cases and prints the counts.
"""

import sys
import textwrap
from pathlib import Path

import node_suite
import pytest
from emulated_gpu import run_pytest

import onnx

LIST = Path(__file__).parent / "refused_node_cases.txt"
GROUPS = 6
# Known to differ: what is dropped is random, and FLOAT4E2M1, which has no NaN, saturates it. Where
# an extent is a fraction, torch and ONNX Runtime align the corners of the rounded one.
DIFFERENT = (
    "training_dropout",
    "to_FLOAT4E2M1",
    "downsample_scales_linear_align_corners",
    "downsample_scales_cubic_align_corners",
)


def refused_cases():
    """The names of cases that may be refused."""
    return {word for word in LIST.read_text().split() if word.startswith("test_")}


def is_expected(name, found):
    differs = found.startswith("wrong") and any(part in name for part in DIFFERENT)
    return not found or differs or (found.startswith("refused") and name in refused_cases())


def failures(cases, constants=False):
    found = {case.name: node_suite.outcome(case, constants) for case in cases}
    passed = sum(not text for text in found.values())
    print(f"{passed} of {len(found)} node cases pass")
    return {name: text for name, text in found.items() if not is_expected(name, text)}


@pytest.mark.parametrize("group", range(GROUPS))
def test_inputs_at_run_time(group):
    assert not failures(node_suite.cases()[group::GROUPS])


@pytest.mark.parametrize("group", range(GROUPS))
def test_inputs_that_are_constants(group):
    cases = [case for case in node_suite.cases() if node_suite.can_have_constants(case)]
    assert not failures(cases[group::GROUPS], constants=True)


def test_emulated_gpu():
    """A part of the cases in another process, whose target is the emulated GPU."""
    result = run_pytest([f"{__file__}::test_part_of_the_cases", "--runxfail"])
    assert result.returncode == 0, result.stdout[-4000:]


@pytest.mark.xfail(reason="test_emulated_gpu runs it", run=False)
def test_part_of_the_cases():
    assert not failures(node_suite.cases()[::12])


def main():
    reasons = {}
    passed = 0
    for case in node_suite.cases():
        found = node_suite.outcome(case)
        passed += not found
        if found.startswith("refused"):
            reasons.setdefault(found.split(": ")[1], []).append(case.name)
        elif found:
            print(case.name, found[:200])
    total = passed + sum(len(names) for names in reasons.values())
    lines = [
        "# Node cases of onnx that Kiln refuses, by reason. Written by test_node_cases.py.",
        f"# onnx {onnx.__version__}: {passed} of {total} pass.",
    ]
    for reason, names in sorted(reasons.items()):
        lines += ["", f"{reason} ({len(names)}):"]
        lines += textwrap.wrap(" ".join(sorted(names)), 98, break_on_hyphens=False)
    LIST.write_text("\n".join(lines) + "\n")
    print(lines[1])


if __name__ == "__main__":
    sys.exit(main())
