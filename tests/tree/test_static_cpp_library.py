# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A compiler that links the C++ library statically into libkiln.so is refused at configuration.

Importing Torch after such a Kiln would end in "free(): invalid pointer".
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def prefix_options():
    """The options with which the existing build finds its dependencies."""
    cache = (ROOT / "build" / "CMakeCache.txt").read_text()
    names = ("CMAKE_PREFIX_PATH", "KILN_FLATBUFFERS_GENERATED")
    return [
        f"-D{name}={value}"
        for name, value in re.findall(r"^(\w+):\w+=(.+)$", cache, re.MULTILINE)
        if name in names
    ]


def configure(folder, *options):
    cmake = shutil.which("cmake") or Path(sys.executable).with_name("cmake")
    ninja = shutil.which("ninja") or Path(sys.executable).with_name("ninja")
    command = [cmake, "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    command += ["-DKILN_BUILD_PYTHON=OFF", "-DKILN_BUILD_TESTS=OFF", *prefix_options(), *options]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("way", ["wrapper", "linker flags"])
def test_it_is_refused_with_the_remedy(tmp_path, way):
    if way == "wrapper":
        wrapper = tmp_path / "wrapped-g++"
        wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("g++")} "$@" -static-libstdc++\n')
        wrapper.chmod(0o755)
        options = [f"-DCMAKE_CXX_COMPILER={wrapper}"]
    else:
        options = ["-DCMAKE_SHARED_LINKER_FLAGS=-static-libstdc++"]
    result = configure(tmp_path / "build", *options)
    assert result.returncode != 0
    text = " ".join(result.stderr.split())
    assert "to link shared libraries with libstdc++.so, got the C++ library inside" in text
    assert "CXX=/usr/bin/g++" in text


def test_the_shared_one_is_taken(tmp_path):
    result = configure(tmp_path / "build")
    assert result.returncode == 0, result.stderr
