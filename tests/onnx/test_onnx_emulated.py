# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Control flow, functions, sequences, rare operators and those of several layers, on the emulated
GPU."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated_gpu import run_pytest


def test_control_flow():
    names = ("control_flow", "data_extents", "functions", "rare_operators", "sequences")
    done = run_pytest([f"tests/onnx/test_{name}.py" for name in names])
    assert done.returncode == 0, done.stdout + done.stderr


def test_windows_and_samples():
    chosen = "indices or volumes or (crop and dynamic) or (resize_by_scales and fed) or blocks"
    done = run_pytest(["tests/onnx/test_windows_and_samples.py", "-k", chosen])
    assert done.returncode == 0, done.stdout + done.stderr
