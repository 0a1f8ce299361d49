# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of trtexec share: a way to run it, and small models."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from trtexec_models import ADDED, ROOT, save_model

from onnx import helper

TIMEOUT_S = 120


@dataclass
class Result:
    """Exit code and output of one run of trtexec."""

    code: int
    out: str
    err: str

    @property
    def last_line(self):
        return self.out.splitlines()[-1]

    def passed(self):
        assert self.code == 0, self.out + self.err
        assert self.last_line.startswith("&&&& PASSED TensorRT.trtexec [TensorRT v101601] [b")
        return self

    def failed(self, *messages):
        assert self.code == 1, self.out + self.err
        assert self.last_line.startswith("&&&& FAILED TensorRT.trtexec [TensorRT v101601] [b")
        for message in messages:
            assert message in self.err
        return self


def find_program():
    beside = Path(sys.executable).with_name("trtexec")
    built = ROOT / "build" / "bin" / "trtexec"
    found = os.environ.get("KILN_TRTEXEC") or next((p for p in (beside, built) if p.exists()), None)
    return found or shutil.which("trtexec")


@pytest.fixture(scope="session")
def program():
    found = find_program()
    assert found, "trtexec is not built"
    return str(found)


@pytest.fixture
def run(program, tmp_path):
    """Returns a function: arguments -> Result, run in the test's own folder."""

    def call(*arguments, **environment):
        done = subprocess.run(
            [program, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "KILN_PYTHON": sys.executable, **environment},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def quick_run(run):
    """Like run, with one run of the engine."""
    return lambda *arguments, **environment: run(
        *arguments, "--iterations=1", "--warmUp=0", "--duration=0", **environment
    )


@pytest.fixture
def add_model(tmp_path):
    """Returns a function: element type -> file of y = relu(x + c), x: [N, 4]."""

    def make(dtype=np.float32, rows="N"):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return save_model(
            tmp_path / f"add_{np.dtype(dtype).name}.onnx",
            [
                helper.make_node("Add", ["x", "c"], ["s"]),
                helper.make_node("Relu", ["s"], ["y"]),
            ],
            {"x": (kind, [rows, 4])},
            {"y": (kind, [rows, 4])},
            {"c": ADDED.astype(dtype)},
        )

    return make
