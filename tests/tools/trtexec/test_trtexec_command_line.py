# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""trtexec's messages about its arguments, and the lines that tell scripts how it ended."""

import re
import subprocess
import sys

import pytest
from trtexec_models import ROOT

STAMP = r"\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\]"


@pytest.mark.parametrize("name", ["--help", "-h"])
def test_help_alone(run, name):
    result = run(name)
    assert result.code == 0
    assert "--saveEngine=FILE" in result.out
    assert "&&&&" not in result.out
    assert result.err == ""


def test_status_lines_repeat_the_arguments(run):
    result = run("--onnx=none.onnx", "--verbose").failed()
    title = r"TensorRT\.trtexec \[TensorRT v101601\] \[b\d+\] # trtexec --onnx=none.onnx --verbose"
    lines = result.out.splitlines()
    assert re.fullmatch("&&&& RUNNING " + title, lines[0])
    assert re.fullmatch("&&&& FAILED " + title, lines[-1])


def test_log_lines_are_stamped(run):
    result = run("--onnx=none.onnx").failed()
    lines = result.out.splitlines()[1:-1]
    assert lines and all(re.match(STAMP + r" \[I\] ", line) for line in lines)
    assert re.match(STAMP + r" \[E\] ", result.err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected a model, got none. Pass --onnx=FILE or --loadEngine=FILE"),
        (["--onnx=m", "--shape=x:1"], "unknown option '--shape=x:1'. Near names: --shapes"),
        (
            ["--onnx=m", "--useDLACore=0"],
            "--useDLACore is not supported: Kiln does not support DLA",
        ),
        (["--onnx=m", "--shapes=x:1xy"], "tensor 'x': expected extents such as 1x8x8, got '1xy'"),
        (["--onnx=none.onnx"], "--onnx: cannot open 'none.onnx': No such file or directory"),
        (["--loadEngine=n.plan"], "--loadEngine: cannot open 'n.plan': No such file or directory"),
        (["--onnx=."], "--onnx: expected a file, got the folder '.'"),
        (["--onnx=m", "--plugins=n.so"], "--plugins: cannot open 'n.so': No such file"),
        (["--onnx=m", "--staticPlugins=n.so"], "--staticPlugins: cannot open 'n.so': No such file"),
    ],
)
def test_refusals(run, arguments, message):
    run(*arguments).failed(message)


def test_sections_show_the_options(run):
    result = run("--onnx=none.onnx", "--minShapes=x:1", "--maxShapes=x:3", "--fp16").failed()
    for text in [
        "=== Model Options ===",
        "=== Build Options ===",
        "Precision: FP32+FP16",
        "Input build shape (profile 0): x=1+3+3",
        "=== System Options ===",
        "=== Inference Options ===",
        "Duration: 3s (+ 200ms warm up)",
        "=== Reporting Options ===",
        "=== Device Information ===",
        "Selected Device: ",
        "TensorRT version: 10.16.1",
    ]:
        assert text in result.out


def test_a_file_that_is_no_model(run, tmp_path):
    (tmp_path / "text.onnx").write_text("this is no model")
    result = run("--onnx=text.onnx").failed("the ONNX model 'text.onnx' could not be read")
    assert result.err.count("not an ONNX model") == 1


def test_a_file_that_is_no_plan(run, tmp_path):
    (tmp_path / "text.plan").write_text("this is no plan")
    run("--loadEngine=text.plan").failed("the plan 'text.plan' could not be opened")


def test_another_target_is_refused(run, add_model):
    run(f"--onnx={add_model()}", KILN_TARGET="cuda:sm_37").failed("'cuda:sm_37'")


def test_the_page_lists_what_help_prints(program):
    script = ROOT / "scripts" / "make_trtexec_page.py"
    subprocess.run([sys.executable, script, "--check", f"--trtexec={program}"], check=True)
