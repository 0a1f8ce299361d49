# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``kiln report``: which files it writes, and how it ends."""

import json
import subprocess
import sys

import pytest
from kiln import report


@pytest.fixture
def run(tmp_path):
    def call(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "kiln", "report", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=200,
        )

    return call


def test_a_page(run, plan, tmp_path):
    done = run(plan, "--iterations=2")
    assert done.returncode == 0, done.stderr
    assert "wrote small.html" in done.stderr and done.stdout == ""
    assert "soft" in (tmp_path / "small.html").read_text()


def test_pictures(run, plan, tmp_path):
    done = run(plan, "--no-run", "--svg=a.svg", "--dot=a.dot", "--html=a.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    assert (tmp_path / "a.dot").read_text().startswith("digraph")
    assert (tmp_path / "a.html").exists()


def test_json(run, plan, tmp_path):
    done = run(plan, "--no-run", "--json")
    assert json.loads(done.stdout) == report.describe(plan)
    assert not list(tmp_path.iterdir())
    both = json.loads(run(plan, plan, "--no-run", "--json").stdout)
    assert both["kiln_comparison"] == 1 and len(both["reports"]) == 2
    assert all(a == b for a, b in both["pairs"])


def test_a_stored_description(run, plan, tmp_path):
    (tmp_path / "small.json").write_text(run(plan, "--no-run", "--json").stdout)
    assert run("small.json", "--svg=a.svg").returncode == 0
    assert (tmp_path / "a.svg").read_text() == report.to_svg(report.describe(plan))


def test_a_trace(run, plan, tmp_path):
    done = run(plan, "--iterations=2", "--trace=a.trace")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.trace"]
    assert json.loads((tmp_path / "a.trace").read_text())["traceEvents"]


def test_comparison(run, plan, tmp_path):
    assert run(plan, plan, "--no-run").returncode == 0
    assert (tmp_path / "small-small.html").exists()


def test_engines_that_cannot_run(run, plan, tmp_path):
    """The report is made without times, and the reason is told."""
    done = run(plan, "--shapes=x:1000x64")
    assert done.returncode == 0
    assert "the engine could not be run" in done.stderr and "without times" in done.stderr
    assert (tmp_path / "small.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["absent.plan"], 2, "cannot read 'absent.plan'"),
        (["text.plan"], 1, "expected the magic number"),
        (["a", "b", "c"], 2, "expected one plan, or two to compare, got 3"),
        (["PLAN", "--profile=a", "--profile=b"], 2, "expected a --profile for each plan"),
        (["PLAN", "--times=a"], 2, "expected a --times beside each --profile"),
        (["PLAN", "--profile=absent"], 2, "cannot read 'absent'"),
        (["PLAN", "PLAN", "--svg=a"], 2, "--svg, --dot and --trace show one plan"),
        (["PLAN", "--no-run", "--trace=a"], 2, "--trace needs times"),
        (["other.json"], 1, "expected a description of version 1"),
        (["PLAN", "--no-run", "--html=no/folder/a.html"], 2, "cannot write 'no/folder/a.html'"),
    ],
)
def test_mistakes(run, plan, tmp_path, arguments, code, text):
    (tmp_path / "text.plan").write_text("text")
    (tmp_path / "other.json").write_text("[1]")
    done = run(*(str(plan) if word == "PLAN" else word for word in arguments))
    assert done.returncode == code
    assert text in done.stderr
