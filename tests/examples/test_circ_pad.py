# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""All forms of the demo's plugin are correct, and the demo's check detects a wrong one."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from matrix import check
from matrix.forms import HERE, all_forms
from matrix.process import run_process
from matrix.rows import Row
from variants import FLOAT_ONLY, STYLES, ZERO_PADDING, make_variant

FORMS = [f"{form.style}/{form.framework}" for form in all_forms("")]
WORKER = Path(__file__).with_name("pad_worker.py")


@pytest.fixture(scope="session")
def differences(libraries, tmp_path_factory):
    """Returns a function: form name -> {"DTYPE/DIMENSIONS": differing elements}."""
    folder = tmp_path_factory.mktemp("pads")
    forms = {f"{form.style}/{form.framework}": form for form in all_forms(libraries)}
    known = {}

    def get(name):
        if name not in known:
            form, result = forms[name], folder / f"{len(known)}.json"
            if form.missing:
                pytest.skip(form.missing)
            path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
            command = [sys.executable, WORKER, form.path, form.model, result]
            run_process(command, {"PYTHONPATH": path})
            known[name] = json.loads(result.read_text())
        return known[name]

    return get


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize("form", FORMS)
def test_pads_like_numpy(differences, form, dtype, dimensions):
    assert differences(form)[f"{dtype}/{dimensions}"] == 0


@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize("style", STYLES)
def test_unchanged_plugin_passes(runner, style, dtype):
    form = next(f for f in all_forms("") if f.style == style and f.framework == "NumPy")
    outcome = runner.run(Row(form, "ONNX", "same process", dtype))
    assert outcome.problem is None
    assert outcome.difference <= check.TOLERANCE[dtype]
    assert outcome.accuracy > 0.99


@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize("style", STYLES)
def test_zero_padding_fails(runner, tmp_path, style, dtype):
    form = make_variant(style, ZERO_PADDING, tmp_path)
    outcome = runner.run(Row(form, "ONNX", "same process", dtype))
    assert "largest difference" in outcome.problem
    assert outcome.difference > 50 * check.TOLERANCE[dtype]


@pytest.mark.parametrize("style", STYLES)
def test_plugin_without_half_is_noticed_behind_casts(runner, tmp_path, style):
    # A weakly typed network casts around the plugin: the values are right, the type is not.
    form = make_variant(style, FLOAT_ONLY, tmp_path)
    outcome = runner.run(Row(form, "ONNX", "same process", "half"))
    assert outcome.problem == "enqueue saw float32, expected float16 only"
    assert outcome.difference <= check.TOLERANCE["half"]


@pytest.mark.parametrize("style", STYLES)
def test_plugin_without_half_fails_where_types_are_strong(runner, tmp_path, style):
    form = make_variant(style, FLOAT_ONLY, tmp_path)
    outcome = runner.run(Row(form, "network API", "same process", "half"))
    assert "the build failed" in outcome.problem
    assert "CircPadPlugin" in outcome.problem  # the log names the plugin


class TestCheck:
    """find_problem on made-up results."""

    reference = np.eye(10, dtype=np.float32)
    labels = np.arange(10)

    def find(self, y, types=("float32",), dtype="float"):
        return check.find_problem(y, types, dtype, self.reference, self.labels)

    def test_right_result(self):
        assert self.find(self.reference) is None

    def test_silent_enqueue(self):
        assert self.find(self.reference, types=()) == "enqueue never reported a tensor type"

    def test_both_types(self):
        problem = self.find(self.reference, types=("float16", "float32"), dtype="half")
        assert problem == "enqueue saw float16, float32, expected float16 only"

    def test_not_a_number(self):
        y = self.reference.copy()
        y[3, 3] = np.nan
        assert self.find(y) == "largest difference inf is above 1e-05"

    def test_wrong_shape(self):
        assert "largest difference inf" in self.find(self.reference[:5])
