# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Unmodified tools of TensorRT's users on the CPU: ONNX GraphSurgeon and Polygraphy."""

import os
import subprocess
import sys
from pathlib import Path

import kiln
import polygraphy.cuda
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path[:0] = [
    str(EXAMPLES / "circ_pad"),
    str(EXAMPLES / "class_based"),
    str(Path(__file__).parent),
]


@pytest.fixture(scope="session", autouse=True)
def host_cudart():
    """Makes Polygraphy load Kiln's libcudart: it keeps the first one it finds, which could be
    CUDA's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_LIBRARY_PATH", "")  # restored afterwards
        folder = kiln.use_host_cudart()
        polygraphy.cuda.wrapper()
    return folder


@pytest.fixture
def kiln_run(tmp_path):
    """Returns a function: arguments -> output of a successful `kiln run ...`."""

    def call(*arguments, code=0):
        command = [sys.executable, "-m", "kiln", "run", *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
        text = done.stdout + done.stderr
        assert done.returncode == code, text
        return text

    return call
