# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo's rows on a GPU: a trained network with a Python plugin, in every way in and out.

The plugin needs no framework; test_frameworks.py and the demo itself use the others.
"""

import os

import pytest
from cudalab import EXAMPLES, HERE

ROWS = [
    ("V2DynamicExt", "ONNX", "float"),
    ("V3", "ONNX", "half"),
    ("V3", "network API", "float"),
    ("decorated", "ONNX", "float"),
    ("decorated", "network API", "half"),
]


@pytest.fixture
def matrix(monkeypatch, tmp_path):
    """Returns a function that runs rows in their own processes."""
    monkeypatch.syspath_prepend(EXAMPLES / "circ_pad")
    helpers = [HERE.parents[1], EXAMPLES / "circ_pad", os.environ.get("PYTHONPATH")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, filter(None, helpers))))
    monkeypatch.setenv("KILN_TARGET", "cuda")
    from matrix import forms, rows

    runner = rows.RowRunner(tmp_path)

    def run(style, way_in, dtype):
        form = forms.PluginForm(style, "copies", HERE / "circ_pad_by_copies.py")
        for way_out in rows.WAYS_OUT:
            outcome = runner.run(rows.Row(form, way_in, way_out, dtype))
            assert outcome.problem is None, f"{way_out}: {outcome.problem}"

    return run


@pytest.mark.parametrize(("style", "way_in", "dtype"), ROWS)
def test_row(matrix, style, way_in, dtype):
    matrix(style, way_in, dtype)
