# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of --report, which the command kiln report makes."""

import json
import sys


def described(page):
    """The report inside of a page."""
    text = page.read_text().split('<script id="data" type="application/json">')[1]
    return json.loads(text.split("</script>")[0])["reports"][0]


def test_a_built_engine(quick_run, add_model, tmp_path):
    result = quick_run(f"--onnx={add_model(rows=1)}", "--report=page.html").passed()
    assert "Report: page.html" in result.out
    report = described(tmp_path / "page.html")
    assert all(layer["microseconds"] > 0 for layer in report["layers"])
    assert all(layer["candidates"] for layer in report["layers"])
    assert report["run"]["whole_microseconds"] > 0
    assert [path.name for path in tmp_path.glob("*.plan")] == []


def test_a_saved_engine(quick_run, add_model, tmp_path):
    quick_run(
        f"--onnx={add_model(rows=1)}", "--saveEngine=a.plan", "--skipInference", "--report=a.html"
    ).passed()
    assert described(tmp_path / "a.html")["run"] is None
    quick_run("--loadEngine=a.plan", "--report=b.html").passed()
    assert described(tmp_path / "b.html")["source"] == "a.plan"
    assert described(tmp_path / "b.html")["run"]["iterations"] == 1


def test_where_it_cannot_be_written(quick_run, add_model):
    result = quick_run(f"--onnx={add_model(rows=1)}", "--report=no/folder/page.html")
    assert result.code == 1
    assert "'no/folder/page.html' could not be made" in result.err
    assert "cannot write 'no/folder/page.html'" in result.err


def test_without_python_the_command_is_told(quick_run, add_model, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    result = quick_run(
        f"--onnx={add_model(rows=1)}",
        "--saveEngine=a.plan",
        "--report=page.html",
        KILN_PYTHON=str(python),
    ).passed()
    assert "'kiln report a.plan --html page.html' makes it" in result.err
    assert not (tmp_path / "page.html").exists()


def test_a_temporary_folder_that_is_absent(quick_run, add_model):
    result = quick_run(
        f"--onnx={add_model(rows=1)}",
        "--report=p.html",
        "--tempdir=/no/folder",
        KILN_PYTHON=sys.executable,
    )
    assert result.code == 1
    assert "/no/folder" in result.err
