# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Each C++ example plugin builds alone, and prints what its README says."""

import re

import pytest
from matrix.forms import HERE
from matrix.libraries import build_example
from matrix.process import run_process

FOLDER = HERE.parent / "cpp_plugins"
README = (FOLDER / "README.md").read_text()
EXPECTED = dict(re.findall(r"^(v\d\w*): (.*)$", README, re.MULTILINE))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build_example(FOLDER, "try_plugins", tmp_path_factory.mktemp("cpp_plugins"))


def test_readme_knows_every_plugin():
    files = {source.stem for source in FOLDER.glob("v[23]*.cpp")}
    assert set(EXPECTED) == files
    assert set(re.findall(r"`(v\d\w*)\.cpp`", README)) == files


@pytest.mark.parametrize("library", sorted(EXPECTED))
def test_plugin(built, library):
    printed = run_process([built / "try_plugins", built, library])
    assert printed.strip() == f"{library}: {EXPECTED[library]}"


def test_library_that_is_missing(built, tmp_path):
    with pytest.raises(RuntimeError, match=r"plugin library '.*/v2\.so': "):
        run_process([built / "try_plugins", tmp_path, "v2"])
