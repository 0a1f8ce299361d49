# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The stub of the extension module is current, and good enough for a user's typed code."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments, folder=ROOT):
    result = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=250
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_stub_is_current():
    pytest.importorskip("pybind11_stubgen", reason="not installed: see requirements/lint.txt")
    run("scripts/make_stubs.py", "--check")


def test_typed_sample():
    pytest.importorskip("mypy", reason="not installed: see requirements/lint.txt")
    run(
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "python/kiln",
        "tests/python/typed_sample.py",
        "tests/python/typed_tensorrt.py",
    )


def test_the_drop_in_module_is_typed():
    """Each module that runs under the name tensorrt has a stub, which re-exports Kiln's."""
    package = ROOT / "packaging/tensorrt/src/tensorrt"
    assert (package / "py.typed").is_file()
    for stub in package.rglob("*.pyi"):
        module = ".".join(("tensorrt", *stub.relative_to(package).with_suffix("").parts))
        name = module.removesuffix(".__init__")
        found = importlib.import_module(name)
        assert found.__name__.startswith("kiln"), name


# Examples without annotations are checked as if every type were Any.
RELAXED = ("--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs")
EXAMPLES = {
    "minimal": ["minimal.py"],
    "digits": ["dataset.py", "make_models.py", "train.py"],
    "decorated": ["engines.py", "circ_pad.py"],
}


@pytest.mark.parametrize("folder", list(EXAMPLES))
def test_examples(folder):
    pytest.importorskip("mypy", reason="not installed: see requirements/lint.txt")
    run(
        "-m", "mypy", "--strict", *RELAXED, "--no-error-summary", "--ignore-missing-imports",
        f"--config-file={ROOT / 'pyproject.toml'}", *EXAMPLES[folder],
        folder=ROOT / "examples" / folder,
    )  # fmt: skip
