# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` makes, moved: a program and trtexec against it alone.

tests/install/run.sh does the same with every example.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("prefix")  # the tests share one
ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


def run(*command, **options):
    variables = {n: v for n, v in os.environ.items() if not n.startswith(("KILN_", "LD_"))}
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        timeout=240,
        env={**variables, "KILN_TARGET": "cpu"},
        **options,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """The prefix at another place than where it was installed."""
    if not (BUILD / "cmake_install.cmake").is_file():
        pytest.skip("there is no build/")
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder / "first", "--strip")
    return (folder / "first").rename(folder / "moved")


def test_a_program_is_built_against_it(prefix, tmp_path):
    shutil.copytree(ROOT / "examples" / "minimal", tmp_path / "minimal")
    build = tmp_path / "build"
    options = ("-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_FLAGS=-O0")
    run("cmake", "-S", tmp_path / "minimal", "-B", build, *options)
    run("cmake", "--build", build)
    assert "0 2 0 4" in run(build / "minimal")


def test_trtexec_runs_a_model(prefix, tmp_path):
    model = ROOT / "examples" / "digits" / "models" / "reference.onnx"
    plan = tmp_path / "reference.plan"
    options = ("--iterations=1", "--duration=0", "--warmUp=0", f"--saveEngine={plan}")
    run(prefix / "bin" / "trtexec", f"--onnx={model}", "--optShapes=x:4x1x8x8", *options)
    assert plan.stat().st_size > 1000


def test_it_has_neither_links_nor_paths_of_the_tree(prefix):
    assert (prefix / "lib" / "cmake" / "Kiln" / "KilnConfig.cmake").is_file()
    for file in prefix.rglob("*"):
        assert not file.is_symlink(), f"{file}: a wheel turns links into copies"
        assert file.is_dir() or bytes(ROOT) not in file.read_bytes(), file
