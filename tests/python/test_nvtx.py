# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges as a profiler sees them, whose part a small library plays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from native import compile_library

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    headers = "/usr/local/cuda/include"  # those of NVTX, if they are there
    folder = tmp_path_factory.mktemp("nvtx")
    before = os.environ.get("CPATH")
    os.environ["CPATH"] = os.pathsep.join(filter(None, [before, headers]))
    try:
        return compile_library("nvtx_recorder.cpp", folder)
    finally:
        if before is None:
            del os.environ["CPATH"]
        else:
            os.environ["CPATH"] = before


@pytest.fixture
def ranges(recorder, tmp_path):
    def run(*verbosities):
        record = tmp_path / "ranges"
        environment = {"NVTX_INJECTION64_PATH": str(recorder), "NVTX_RECORD": str(record)}
        done = subprocess.run(
            [sys.executable, HERE / "nvtx_program.py", *verbosities],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return record.read_text().splitlines() if record.exists() else []

    return run


def names(lines):
    """Without what only DETAILED shows."""
    return [line.split(" [")[0] for line in lines]


def test_layer_names(ranges):
    lines = ranges("LAYER_NAMES_ONLY", "LAYER_NAMES_ONLY", "DETAILED-")
    assert lines[0] == "domain TensorRT"
    once = lines[1 : 1 + (len(lines) - 1) // 2]
    assert once[0] == "ExecutionContext::enqueue"
    assert "  soft" in once
    assert once.count("    again") == 2  # inside of the loop
    assert lines == ["domain TensorRT", *once, *once]
    assert not any("[" in line for line in lines)


def test_detailed(ranges):
    lines = ranges("DETAILED", "DETAILED", "LAYER_NAMES_ONLY", "NONE")
    detailed = lines[1 : 1 + (len(lines) - 1) // 2]
    assert lines[1 + len(detailed) :] == names(detailed)
    assert any(line.startswith("  soft [softmax") for line in detailed), detailed
    assert any(line.endswith("[Repeat]") for line in detailed)


def test_none(ranges):
    assert ranges("NONE", "NONE", "LAYER_NAMES_ONLY-") == []


def test_libraries_that_do_not_load(tmp_path):
    missing = tmp_path / "missing.so"
    done = subprocess.run(
        [sys.executable, HERE / "nvtx_program.py", "DETAILED", "DETAILED"],
        env={**os.environ, "NVTX_INJECTION64_PATH": str(missing)},
        check=False,
        timeout=120,
    )
    assert done.returncode == 0
