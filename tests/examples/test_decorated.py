# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/decorated report correct results for each way of building and
running."""

import os
import sys

import pytest
from matrix.forms import HERE
from matrix.process import run_process

FOLDER = HERE.parent / "decorated"
RIGHT = [
    f"{way_in}, {where}: right"
    for way_in in ("ONNX", "network API")
    for where in ("here", "in another process")
]


def lines_of(program, *arguments):
    """Lines that a program prints without a GPU; warnings of its imports are hidden."""
    command = [sys.executable, "-W", "ignore", FOLDER / f"{program}.py", *arguments]
    return run_process(command, {"CUDA_VISIBLE_DEVICES": ""}).splitlines()


@pytest.mark.parametrize("program", ["add", "inplace_add", "nonzero"])
def test_just_in_time(program):
    assert lines_of(program) == RIGHT


COPIES = """
import sys
import engines, inplace_add, kiln

with open(sys.argv[1], "wb") as file:
    file.write(engines.build(inplace_add.define, preview=[inplace_add.ALIASING]))
print([layer["op"] for layer in kiln.describe_plan(sys.argv[1])["layers"]])
"""


def test_one_copy_for_a_chain_in_place(tmp_path):
    path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", COPIES, tmp_path / "model.plan"]
    printed = run_process(command, {"PYTHONPATH": path})
    assert printed.strip() == str(["Identity", "plugin", "plugin", "plugin", "ElementWise"])


def test_both_ways_out():
    assert lines_of("circ_pad") == ["Just in time:", *RIGHT, "Ahead of time:", *RIGHT]


@pytest.mark.parametrize("architectures", [["sm_90"], ["sm_80", "sm_90"]])
def test_plans_for_a_gpu(architectures):
    pytest.importorskip("triton", reason="triton is not installed: requirements/frameworks.txt")
    target = "cuda:" + "+".join(architectures)
    code = [f"  pad_columns for {name}: cubin, PTX" for name in architectures]
    expected = [f"ONNX, {target}:", *code, f"network API, {target}:", *code]
    assert lines_of("circ_pad_triton", target) == expected


@pytest.mark.parametrize("program", [path.stem for path in FOLDER.glob("*.py")])
def test_no_program_is_forgotten(program):
    tried = ["add", "inplace_add", "nonzero", "circ_pad", "circ_pad_triton"]
    assert program in [*tried, "engines"]  # engines: shared by the others
