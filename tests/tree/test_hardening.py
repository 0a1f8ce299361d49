# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shipped libraries and programs are built with the hardening that the platform offers."""

import re
import subprocess
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / "build"
SHIPPED = sorted(
    path
    for folder in ("lib", "python", "bin")
    for pattern in ("**/*.so", "trtexec")
    for path in (BUILD / folder).glob(pattern)
    if path.is_file() and not path.is_symlink()
)
LARGE = ("libkiln.so", "libkiln_onnxparser.so", "libkiln_trtexec.so", "_core.")


def readelf(path, *options):
    command = ["readelf", "--wide", *options, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_what_is_shipped_was_found():
    names = [path.name for path in SHIPPED]
    for name in ("libkiln.so", "libkiln_plugin.so", "libnvinfer.so", "libcudart.so", "trtexec"):
        assert name in names
    assert any(name.startswith("_core.") for name in names)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_memory_of_the_loader_is_read_only_and_no_stack_is_executable(path):
    segments = readelf(path, "--segments")
    assert "GNU_RELRO" in segments
    assert re.search(r"GNU_STACK.* RW +0x", segments), segments
    assert re.search(r"BIND_NOW|Flags:.*\bNOW\b", readelf(path, "--dynamic"))
    assert "TEXTREL" not in readelf(path, "--dynamic")


@pytest.mark.parametrize("name", LARGE)
def test_code_checks_its_stack_and_its_copies(name):
    path = next(path for path in SHIPPED if path.name.startswith(name))
    symbols = readelf(path, "--dyn-syms")
    assert "__stack_chk_fail" in symbols
    assert b"__n < this->size()" in path.read_bytes()  # a check of the standard library
    assert "__glibcxx_assert_fail" not in symbols  # its report is in the library itself
    if name == "libkiln.so":  # in the others, the compiler knows the size of every call
        assert re.search(r"__\w+_chk\b", symbols), "no call is fortified"
