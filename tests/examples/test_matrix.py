# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every row of the demo: style x framework x way in x way out, on real images."""

import pytest
from matrix import frameworks, trtexec
from matrix.forms import COMPILED, all_forms
from matrix.rows import Row, all_rows
from matrix.table import row_line, row_name

ROWS = [pytest.param(row, id=row_name(row).replace(", ", "-")) for row in all_rows(all_forms(""))]


@pytest.mark.parametrize("row", ROWS)
def test_row(runner, libraries, row):
    form = next(
        form
        for form in all_forms(libraries)
        if (form.style, form.framework) == (row.form.style, row.form.framework)
    )
    if form.missing:
        pytest.skip(form.missing)
    builder = Row(form, row.way_in, "same process", row.dtype)
    if row.way_out != "same process" and runner.plan_of(builder) not in runner.build_ms:
        # The row that builds the plan ran in another pytest worker, or has not run.
        assert runner.run(builder).problem is None
    assert runner.run(Row(form, row.way_in, row.way_out, row.dtype)).problem is None


def test_no_python_is_found(runner, tmp_path):
    """trtexec cannot run a plugin in Python in the way that rows of compiled plugins call it."""
    form = next(form for form in all_forms("") if form.style == "decorated")
    row = Row(form, "ONNX", "same process", "float")
    assert runner.run(row).problem is None
    options = [f"--loadEngine={runner.plan_of(row)}", "--shapes=x:1x1x8x8"]
    with pytest.raises(RuntimeError, match="expected an interpreter with the package kiln, found"):
        trtexec.call_without_python(*options, f"--plugins={form.path}", folder=tmp_path)
    with pytest.raises(RuntimeError, match="sample::circ_pad"):
        trtexec.call_without_python(*options, folder=tmp_path)


class TestMissing:
    """A missing framework gives one row with a hint, and no failure."""

    @pytest.fixture
    def nothing_installed(self, monkeypatch):
        monkeypatch.setattr(frameworks.importlib.util, "find_spec", lambda name: None)
        monkeypatch.setattr(frameworks.shutil, "which", lambda name: None)

    def test_hints(self, nothing_installed, monkeypatch):
        for variable in ("CC", "CXX"):
            monkeypatch.delenv(variable, raising=False)
        assert frameworks.missing("NumPy") is None
        assert frameworks.missing("C++") is None
        assert frameworks.missing("C") == "no C compiler cc: apt-get install gcc"
        assert frameworks.missing_to_compile("C++") == "no C++ compiler c++: apt-get install g++"
        assert "pip install numba" in frameworks.missing_to_compile("Numba")
        assert frameworks.missing("Numba").startswith("not installed: pip install numba==")
        for name in ("Torch", "Triton"):
            hint = frameworks.missing(name)
            assert "torch==" in hint and "+cpu" in hint
            assert hint.endswith(", from PyTorch's package index for CPUs")

    def test_one_row_for_each_form(self, nothing_installed, runner):
        left_out = [row for row in all_rows(all_forms("")) if row.form.missing]
        names = {(row.form.style, row.form.framework) for row in left_out}
        assert len(left_out) == len(names) == 3 * len(frameworks.ON_CPU) + len(COMPILED["cpu"])
        outcome = runner.run(left_out[0])
        assert outcome.problem is None
        first, second = row_line(left_out[0], outcome).splitlines()
        assert first.endswith("skip")
        assert second.strip() == left_out[0].form.missing
