# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The program on docs/cuda.md runs on both targets, on a GPU or the emulated one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated_gpu import ROOT, variables

SHOWN = "[[0. 2. 0.]\n [4. 0. 6.]]\n"


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_program(target):
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "cuda.md").read_text(), re.S)
    environment = {**os.environ, "KILN_TARGET": target}
    if os.environ.get("KILN_TARGET") != "cuda":  # if it is, there is a GPU
        environment |= variables()
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (SHOWN, "")
