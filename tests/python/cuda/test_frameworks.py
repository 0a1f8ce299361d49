# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins in each style with each framework: eager, and captured into a graph."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest
from cudalab import EXAMPLES, run_program

IN_PYTHON = {
    "circ_pad_torch": ["torch"],
    "circ_pad_triton": ["torch", "triton"],
    "circ_pad_cupy": ["cupy"],
    "circ_pad_numba_cuda": ["numba.cuda", "numba.cuda.cudaimpl"],
    "circ_pad_cuda_python": ["cuda.bindings.nvrtc"],
}
COMPILED = {"circ_pad_aot_triton": ["triton"], "circ_pad_aot_nvrtc": ["cuda.bindings.nvrtc"]}


def need(modules):
    """Skips the test if a module is missing or cannot be imported."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as problem:
            pytest.skip(f"import {module}: {problem!r}")


def check(module, models):
    code, output = run_program("pad_rows.py", module, *models)
    right = [line for line in output.splitlines() if line.startswith("right: ")]
    assert (code, len(right)) == (0, 2 * len(models)), output


@pytest.mark.parametrize("module", IN_PYTHON)
def test_in_python(gpu, module):
    need(IN_PYTHON[module])
    check(module, ["v1", "v2", "decorated"])


@pytest.mark.parametrize("module", COMPILED)
def test_compiled(gpu, module):
    need(COMPILED[module])
    check(module, ["decorated"])


@pytest.mark.parametrize(("version", "model"), [("v2", "v1"), ("v3", "v2")])
def test_in_cuda_cpp(gpu, version, model, tmp_path):
    folder = os.environ.get("KILN_EXAMPLE_LIBRARIES", EXAMPLES.parent / "build/examples/circ_pad")
    library = os.path.join(folder, f"libcirc_pad_{version}_cuda.so")
    if not os.path.exists(library):
        pytest.skip(f"{library} was not built: CMake found no nvcc")
    (tmp_path / "load_it.py").write_text(
        f"import tensorrt as trt\ntrt.get_plugin_registry().load_library({library!r})\n"
    )
    code, output = run_program("pad_rows.py", "load_it", model, PYTHONPATH=str(tmp_path))
    assert (code, output.count("right: ")) == (0, 2), output


@pytest.mark.parametrize("name", ["add", "inplace_add", "nonzero", "circ_pad_triton"])
def test_decorated_examples(gpu, name):
    need(["torch", "onnx_graphsurgeon"])
    run_example(EXAMPLES / "decorated" / f"{name}.py")


def test_class_based_examples(gpu):
    need(["torch"])
    run_example(EXAMPLES / "class_based" / "with_torch.py")


def run_example(path):
    done = subprocess.run(
        [sys.executable, path],
        env={**os.environ, "KILN_TARGET": "cuda"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("style", ["V2DynamicExt", "V3", "decorated"])
def test_python_plugins_in_trtexec(gpu, monkeypatch, tmp_path, style):
    """A trained network, built from ONNX and run by trtexec, with Torch inside its plugin."""
    need(["torch"])
    monkeypatch.syspath_prepend(EXAMPLES / "circ_pad")
    monkeypatch.setenv("KILN_TARGET", "cuda")
    data, forms, trtexec = (
        importlib.import_module(f"matrix.{name}") for name in ("data", "forms", "trtexec")
    )
    form = forms.PluginForm(style, "Torch", EXAMPLES / "circ_pad" / "circ_pad_torch.py")
    plan = tmp_path / "digits.plan"
    trtexec.build(form, "float", plan)
    y, _ = trtexec.run_all(form, "float", plan, tmp_path, str(tmp_path / "types.txt"))
    reference = data.numpy_result(data.load_images("float"), data.load_weights("float"))
    np.testing.assert_allclose(y, reference, atol=1e-4)
    assert set((tmp_path / "types.txt").read_text().split()) == {"float32"}
