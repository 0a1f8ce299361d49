# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""trtexec without access to Python: what needs no Python runs, the rest reports the problem."""

import json
import subprocess
import sys
from pathlib import Path

import no_python
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
BUILD = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import circ_pad, engines
import tensorrt as trt
plan = engines.build(circ_pad.model(sys.argv[3] == "aot"), profile=circ_pad.PROFILE)
open(sys.argv[3] + ".plan", "wb").write(bytes(memoryview(plan)))
"""


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """A folder with aot.plan and jit.plan, both of examples/decorated/circ_pad.py."""
    folder = tmp_path_factory.mktemp("plans")
    for kind in ("aot", "jit"):
        command = [sys.executable, "-c", BUILD, EXAMPLES / "decorated", EXAMPLES, kind]
        subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.fixture(params=["environment", "files"])
def run(request, plans, program):
    """Returns a function: options of trtexec -> finished process."""
    hide = request.param == "files"
    if hide and not no_python.can_hide():
        pytest.skip("the kernel gives no mount namespace to this user")

    def call(*options):
        return no_python.run_without_python([program, *options], plans, hide=hide)

    return call


def test_a_plugin_that_is_compiled_needs_none(run, plans):
    x = np.random.default_rng(5).random((3, 4, 5), np.float32)
    x.tofile(plans / "x.bin")
    options = ["--loadEngine=aot.plan", "--shapes=x:3x4x5", "--loadInputs=x:x.bin"]
    options += ["--exportOutput=y.json", "--iterations=1", "--warmUp=0", "--duration=0"]
    done = run(*options)
    assert "compiled plugin sample::circ_pad" in done.stdout + done.stderr, (
        "host code must be allowed"
    )
    done = run(*options, "--allowHostCode")
    assert done.returncode == 0, done.stdout + done.stderr
    (y,) = json.loads((plans / "y.json").read_text())
    shape = [int(extent) for extent in y["dimensions"].split("x")]
    expected = np.pad(x, ((0, 0), (3, 0), (1, 2)), mode="wrap")
    assert np.array_equal(np.array(y["values"], np.float32).reshape(shape), expected)


def test_a_plugin_in_python_is_missed(run):
    done = run("--loadEngine=jit.plan")
    assert done.returncode == 1
    assert "needs plugin sample::circ_pad (version 1)" in done.stdout + done.stderr


@pytest.mark.parametrize("option", ["--plugins=circ_pad.py", "--allowPythonSource"])
def test_what_needs_python_says_that_none_was_found(run, plans, option):
    (plans / "circ_pad.py").write_text((EXAMPLES / "decorated" / "circ_pad.py").read_text())
    done = run("--loadEngine=jit.plan", option)
    assert done.returncode == 1
    assert "expected an interpreter with the package kiln, found none" in done.stdout + done.stderr
