# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""KILN_GUARD=1: a plugin that writes past its output stops there and is named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import ctypes, sys
import numpy as np
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab

extra = int(sys.argv[1])

def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    ctypes.memset(outputs[0], 1, 4 * 1024 + (extra if 0 < extra <= 1 << 16 else 0))
    if extra > 1 << 16:
        ctypes.memset(outputs[0] + extra, 1, 8)  # far behind
    if extra < 0:
        ctypes.memset(outputs[0] + extra, 1, 8)  # in front

logger = trt.Logger(trt.Logger.WARNING)
definition = Definition(logger)
plugin = Lab()
definition.output(
    definition.plugin(plugin, [definition.input("x", trt.float32, (1024,))], name="culprit")[0], "y"
)
engine = Engine(logger, definition.build(), Lab(enqueue=enqueue))
room = np.zeros(100000, np.float32)
done = engine.run({"x": room[:1024]}, {"y": room[50000:51024]})
print("ended", done)
"""


def run(extra, **environment):
    folder = str(Path(__file__).parent)
    path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(extra)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize("extra", [0, 4, 4096])
def test_off(extra):
    """Without the guard, a small overrun goes unnoticed."""
    assert run(extra).stdout == "ended True\n"


def test_what_fits_is_left_alone():
    done = run(0, KILN_GUARD="1")
    assert done.stdout == "ended True\n", done.stderr


@pytest.mark.parametrize("extra", [4, 64, 4096])
def test_an_overrun_is_named(extra):
    done = run(extra, KILN_GUARD="1")
    text = done.stdout + done.stderr
    assert "ended True" not in text
    assert "culprit" in text
    assert "Lab" in text
    assert "past its end" in text


@pytest.mark.parametrize("extra", [5 << 20, 500 << 20])
def test_a_write_far_behind_is_named(extra):
    done = run(extra, KILN_GUARD="1")
    text = done.stdout + done.stderr
    assert "ended True" not in text
    assert "past its end" in text


@pytest.mark.parametrize("extra", [-8, -4096, -(5 << 20)])
def test_a_write_in_front_is_named(extra):
    done = run(extra, KILN_GUARD="1")
    text = done.stdout + done.stderr
    assert "ended True" not in text
    assert "in front of its beginning" in text
    assert "culprit" in text
