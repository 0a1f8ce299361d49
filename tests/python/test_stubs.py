# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The stub of the extension module is current, and good enough for a user's typed code."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tensorrt as trt
import tensorrt.plugin as trtp

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples"
pytestmark = pytest.mark.xdist_group("mypy")  # the tests share a cache


def run(*arguments, folder=ROOT):
    result = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=250
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_stub_is_current():
    pytest.importorskip("pybind11_stubgen", reason="not installed: see requirements/lint.txt")
    run("scripts/make_stubs.py", "--check")


def test_the_drop_in_module_is_typed():
    """Each module that runs under the name tensorrt has a stub, which re-exports Kiln's."""
    package = ROOT / "packaging/tensorrt/src/tensorrt"
    assert (package / "py.typed").is_file()
    for stub in package.rglob("*.pyi"):
        module = ".".join(("tensorrt", *stub.relative_to(package).with_suffix("").parts))
        name = module.removesuffix(".__init__")
        found = importlib.import_module(name)
        assert found.__name__.startswith("kiln"), name


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """The cache of mypy, shared by the tests of a session."""
    return tmp_path_factory.mktemp("mypy")


def mypy(cache, folder, *files):
    """Runs mypy in strict mode; returns the lines it prints, without notes."""
    pytest.importorskip("mypy", reason="not installed: see requirements/lint.txt")
    options = ["--strict", f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={cache}"]
    command = [sys.executable, "-m", "mypy", *options, *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if ": note: " not in line]


def test_package_and_typed_samples(cache):
    samples = [str(path) for path in HERE.glob("typed_*.py") if path.stem != "typed_mistakes"]
    (said,) = mypy(cache, ROOT, "python/kiln", *samples)
    assert said.startswith("Success: no issues found in ")
    assert len(samples) == 3


@pytest.mark.parametrize("module", [trt, trtp], ids=lambda module: module.__name__)
def test_public_names_are_known(cache, module, tmp_path):
    names = [name for name in dir(module) if is_of_kiln(getattr(module, name), name)]
    assert len(names) > 20
    listed = ", ".join(f"module.{name}" for name in names)
    (tmp_path / "names.py").write_text(f"import {module.__name__} as module\nprint({listed})\n")
    assert mypy(cache, tmp_path, "names.py") == ["Success: no issues found in 1 source file"]


def is_of_kiln(value, name):
    """Whether a name is public and its value is defined in Kiln."""
    origin = getattr(type(value) if isinstance(value, trt.DataType) else value, "__module__", "")
    return not name.startswith("_") and str(origin).startswith("kiln")


# mypy checks each folder alone, because two folders may have files of the same name.
FOLDERS = sorted({path.relative_to(EXAMPLES).parts[0] for path in EXAMPLES.rglob("*.py")})


@pytest.mark.parametrize("folder", FOLDERS)
def test_examples(cache, folder):
    files = sorted(str(path) for path in (EXAMPLES / folder).rglob("*.py"))
    plural = "s" if len(files) > 1 else ""
    expected = f"Success: no issues found in {len(files)} source file{plural}"
    assert mypy(cache, EXAMPLES / folder, *files) == [expected]


def test_folders_of_examples():
    assert {"circ_pad", "class_based", "decorated", "digits", "minimal"} <= set(FOLDERS)


@pytest.mark.parametrize("module", ["tensorrt", "kiln"])
def test_mistakes_are_reported(cache, module, tmp_path):
    text = (HERE / "typed_mistakes.py").read_text().replace("import tensorrt", f"import {module}")
    (tmp_path / "mistakes.py").write_text(text)
    expected = [
        (number, line.rpartition("  # ")[2])
        for number, line in enumerate(text.splitlines(), 1)
        if "  # " in line
    ]
    *said, _ = mypy(cache, tmp_path, "mistakes.py")
    reported = [re.fullmatch(r"mistakes.py:(\d+): error: .*\[([a-z-]+)\]", line) for line in said]
    assert [(int(found[1]), found[2]) for found in reported] == expected
    assert len(expected) > 20
