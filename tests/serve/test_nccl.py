# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Which NCCL makes communicators: the one that engines use. Small libraries stand for it."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")

# Prints the number of the library that was opened, or the error.
PROGRAM = """
import ctypes, os, sys
from kiln.serve import nccl
from kiln.serve.request import LoadError
before, wheel = sys.argv[1:]
held = ctypes.CDLL(before) if before else None
nccl._of_wheel = lambda: wheel or None
try:
    print(nccl._opened().number())
except LoadError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Files of libraries named libnccl.so.2, in folders of their own, which return 0, 1, 2."""
    files = []
    for number in range(3):
        folder = tmp_path_factory.mktemp(f"nccl{number}")
        source = folder / "nccl.c"
        source.write_text(f"int number(void) {{ return {number}; }}\n")
        files.append(str(folder / "libnccl.so.2"))
        options = ["-shared", "-fPIC", "-Wl,-soname,libnccl.so.2", str(source), "-o", files[-1]]
        subprocess.run(["gcc", *options], check=True)
    return files


def opened(before="", wheel="", folder="", named=None):
    """What a new process opens. before: opened by another part of it; folder: of the system."""
    environment = {k: v for k, v in os.environ.items() if k != "KILN_NCCL"}
    if named is not None:
        environment["KILN_NCCL"] = named
    if folder:
        environment["LD_LIBRARY_PATH"] = os.path.dirname(folder)
    command = [sys.executable, "-c", PROGRAM, before, wheel]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()


def test_what_the_process_has_opened_comes_first(libraries):
    first, second, third = libraries
    assert opened(before=first, wheel=second, folder=third) == "0"


def test_the_system_comes_before_a_wheel(libraries):
    assert opened(wheel=libraries[1], folder=libraries[2]) == "2"
    assert opened(wheel=libraries[1]) == "1"


def test_the_variable_decides(libraries):
    first, second, third = libraries
    assert opened(before=first, wheel=second, folder=third, named=second) == "1"
    missing = opened(before=first, named="/nowhere/libnccl.so.2")
    assert missing.startswith("[deploy] NCCL was not found: /nowhere/libnccl.so.2")
