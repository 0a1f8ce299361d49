# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Executes examples/tutorial.ipynb and compares with the outputs that it holds.

Logs are not compared, nor kept in the file: they have times. `python tests/docs/test_tutorial.py`
writes the outputs anew.
"""

import json
import sys
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "tutorial.ipynb"


def executed():
    """The notebook with new outputs, without logs."""
    notebook = nbformat.read(NOTEBOOK, 4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def outputs(notebook):
    """What each cell shows."""
    return [json.loads(json.dumps(cell.get("outputs", []))) for cell in notebook.cells]


def test_the_tutorial_shows_what_it_prints():
    assert outputs(executed()) == outputs(nbformat.read(NOTEBOOK, 4))


def test_the_tutorial_draws_tables():
    shown = json.dumps(outputs(nbformat.read(NOTEBOOK, 4)))
    assert "text/html" in shown
    assert "stderr" not in shown


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
    sys.exit()
