# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The small example programs print what their comments say."""

import sys

import pytest
from matrix.forms import HERE, all_forms
from matrix.libraries import build_example
from matrix.process import run_process
from matrix.rows import Row

EXAMPLES = HERE.parent


def test_minimal_python():
    printed = run_process([sys.executable, EXAMPLES / "minimal" / "minimal.py"])
    assert printed.splitlines()[-1] == "[0. 2. 0. 4.]"


def test_cuda_memory(tmp_path):
    folder = build_example(EXAMPLES / "cuda_memory", "cuda_memory", tmp_path)
    assert run_process([folder / "cuda_memory"]).splitlines()[-1] == "0 2 0 4"


def test_minimal_cpp(tmp_path):
    folder = build_example(EXAMPLES / "minimal", "minimal", tmp_path)
    assert run_process([folder / "minimal"]).splitlines()[-1] == "0 2 0 4"


@pytest.mark.parametrize("style", ["V2DynamicExt", "V3"])
def test_cpp_runtime(runner, libraries, style, tmp_path):
    form = next(f for f in all_forms(libraries) if f.style == style and f.framework == "C++")
    row = Row(form, "ONNX", "same process", "float")
    assert runner.run(row).problem is None
    run_process([sys.executable, EXAMPLES / "digits" / "dataset.py", tmp_path])
    classify = build_example(EXAMPLES / "cpp_runtime", "classify", tmp_path / "build") / "classify"
    files = [tmp_path / "digits.f32", tmp_path / "labels.u8"]
    printed = run_process([classify, runner.plan_of(row), form.path, *files])
    assert printed.splitlines()[-1] == "1791 of 1797 digits are right (99.67 %)"


def test_cpp_runtime_names_a_missing_file(libraries, tmp_path):
    classify = build_example(EXAMPLES / "cpp_runtime", "classify", tmp_path / "build") / "classify"
    with pytest.raises(RuntimeError, match="expected one label for each 64 floats, got 0 labels"):
        run_process([classify, "no.plan", "no.so", "no.f32", "no.u8"])
