# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/one-resnet-block.md shows what the program of examples/resnet_block prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples" / "resnet_block" / "resnet_block.py"


def told(text):
    """The layers, and of each region its name and what made it. Kernels and formats depend on the
    machine."""
    layers = re.findall(r"^\S+: [A-Z_]+$", text, re.M)
    regions = [part for part in re.split(r"\n(?=step \d)", text) if " + " in part.split("\n")[0]]
    lines = [
        re.sub(r"^step \d+", "step", line)
        for region in regions
        for line in region.split("\n")
        if line.startswith("step") or "made by" in line
    ]
    return layers, lines


@pytest.mark.skipif(os.environ.get("KILN_TARGET") == "cuda", reason="the page shows the cpu")
def test_page_shows_what_the_program_prints():
    environment = {**os.environ, "KILN_TARGET": "cpu"}
    command = [sys.executable, str(PROGRAM)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    page = (ROOT / "docs" / "one-resnet-block.md").read_text()
    blocks = "\n".join(re.findall(r"```text\n(.*?)```", page, re.S))
    layers, regions = told(done.stdout)
    assert layers == told(blocks)[0]
    assert regions == told(blocks)[1]
    assert len(regions) == 8
