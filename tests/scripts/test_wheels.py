# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/wheels: which interpreters it takes, and the limits of its summary."""

import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def modules(monkeypatch):
    """The modules of the program, importable as it imports them itself."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "wheels"))
    import pythons
    import trial

    yield pythons, trial
    for name in ("make", "pythons", "trial"):
        sys.modules.pop(name, None)


def fake_python(folder, answers, name="python3.11"):
    """A program that answers the questions to an interpreter with a line of JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{answers}'\n")
    program.chmod(0o755)
    return program


def answers(version="[3, 11]", **changed):
    facts = {"cpython": "true", "threads_without_lock": "false", "headers": "true", "venv": "true"}
    pairs = {**facts, **changed, "version": version}
    return "{" + ", ".join(f'"{name}": {value}' for name, value in pairs.items()) + "}"


def test_interpreters_that_are_refused(modules, tmp_path):
    pythons, _ = modules
    for number, (given, reason) in enumerate(
        (
            (answers("[3, 9]"), "expected 3.10 to 3.13, got 3.9"),
            (answers("[3, 14]"), "expected 3.10 to 3.13, got 3.14"),
            (answers(cpython="false"), "expected CPython"),
            (answers(threads_without_lock="true"), "expected CPython with its global lock"),
            (answers(headers="false"), "expected Python.h"),
            (answers(venv="false"), "expected the module ensurepip"),
        )
    ):
        program = fake_python(tmp_path / str(number), given)
        with pytest.raises(ValueError, match=reason):
            pythons.examine(program)


def test_one_interpreter_for_each_version(modules, tmp_path, monkeypatch):
    pythons, _ = modules
    first = fake_python(tmp_path / "first", answers())
    fake_python(tmp_path / "second", answers())
    fake_python(tmp_path / "environment" / "bin", answers("[3, 10]"), "python3.10")
    (tmp_path / "environment" / "pyvenv.cfg").write_text("")
    fake_python(tmp_path / "shims", answers("[3, 10]"), "python3.10")
    versions = tmp_path / "pyenv" / "versions"
    fake_python(versions / "3.12.9" / "bin", answers("[3, 12]"), "python3.12")
    newest = fake_python(versions / "3.12.10" / "bin", answers("[3, 12]"), "python3.12")
    folders = ("first", "second", "environment/bin", "shims")
    monkeypatch.setenv("PATH", ":".join(str(tmp_path / folder) for folder in folders))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    own = [p for p in pythons._candidates() if p.is_relative_to(tmp_path)]
    monkeypatch.setattr(pythons, "_candidates", lambda: own)
    found, left_out = pythons.find()
    assert [(p.program, p.tag) for p in found] == [(first, "cp311"), (newest, "cp312")]
    assert not left_out


def test_sizes_and_limits(modules, tmp_path):
    pythons, trial = modules
    wheel = tmp_path / "kilnrt-1-cp311-cp311-manylinux_2_35_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("kiln/lib/kiln/onednn/libkdnnl.so", bytes(3_000_000))
        archive.writestr("kiln/lib/libkiln.so", bytes(2_000_000))
    file, onednn, own = trial.measure_size(wheel)
    assert (onednn, own) == (3.0, 2.0) and 5.0 < file < 5.1
    python = pythons.Python(Path("python3.11"), (3, 11))
    assert not trial.Result(python, wheel, file, onednn, 30.0, 60.0, 200.0).problems()
    large, slow = trial.Result(python, wheel, file, onednn, 30.1, 61.0, 200.0).problems()
    assert large.endswith("30.1 MB, expected 30 at most")
    assert slow.endswith("import kiln takes 61 ms, expected 60 at most")
