# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The GPU forms of circular padding, as far as they can be tested without a GPU."""

import importlib.util
import os
import sys
from pathlib import Path

import kiln
import pytest
from matrix import frameworks
from matrix.data import load_images, load_labels, load_weights, numpy_result
from matrix.forms import COMPILED, HERE, all_forms
from matrix.process import run_process
from matrix.rows import all_rows

COMPILERS = {"circ_pad_aot_triton": "triton", "circ_pad_aot_nvrtc": "cuda"}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("module", COMPILERS)
def test_compiled_into_a_plan(module, dtype, tmp_path):
    """Cubin and PTX for each requested architecture."""
    if importlib.util.find_spec(COMPILERS[module]) is None:
        pytest.skip(f"not installed: {COMPILERS[module]}")
    program, plan = Path(__file__).with_name("gpu_plan.py"), tmp_path / "pad.plan"
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    run_process([sys.executable, program, module, plan, dtype], {"PYTHONPATH": path})
    (plugin,) = kiln.describe_plan(plan)["plugins"]
    assert not plugin["needs_python"]
    assert [code["architecture"] for code in plugin["code"]] == ["sm_80", "sm_90"]
    for code in plugin["code"]:
        (kernel,) = code["kernels"]
        assert kernel["entry"] == f"circ_pad_{dtype}"
        assert [image["kind"] for image in kernel["images"]] == ["cubin", "PTX"]


@pytest.fixture
def cuda(monkeypatch):
    monkeypatch.setattr(frameworks, "on_cuda", lambda: True)


def test_files_of_the_forms(cuda, tmp_path):
    """Every framework has its forms; each form has a file, or reports that it was not built."""
    forms = all_forms(tmp_path)
    assert len(forms) == 3 * len(frameworks.ON_CUDA) + 2 + len(COMPILED["cuda"])
    for form in forms:
        if form.framework == "C++":
            assert form.missing == f"{form.path.name} was not built: CMake found no nvcc"
        else:
            assert form.path.exists()


def test_hints(cuda, monkeypatch, tmp_path):
    """Hints for a framework that is not installed, or that cannot be imported."""
    monkeypatch.setattr(frameworks.importlib.util, "find_spec", lambda name: None)
    assert frameworks.missing("CuPy") == "not installed: pip install cupy-cuda13x"
    assert frameworks.missing_to_compile("NVRTC").startswith("not installed: pip install cuda-")
    assert len([row for row in all_rows(all_forms(tmp_path)) if row.form.missing]) == len(
        all_forms(tmp_path)
    )
    monkeypatch.setattr(frameworks.importlib.util, "find_spec", lambda name: name)
    (tmp_path / "cupy.py").write_text("raise AttributeError('numpy is too new')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    frameworks.import_problem.cache_clear()
    hint = frameworks.missing("CuPy")
    frameworks.import_problem.cache_clear()
    assert hint == "import cupy fails: AttributeError: numpy is too new"


def test_reference_in_numpy():
    y = numpy_result(load_images("float"), load_weights("float"))
    assert (y.argmax(axis=1) == load_labels()).mean() > 0.99
