# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""User plugins compile without warnings against the public headers, with every compiler found.

The plugins are the complete ones of tests/include and of the examples. They are compiled with the
warnings that strict projects use, and the headers are not treated as system headers.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGINS = (
    "tests/include/user_plugin_v2_dynamic_ext_test.cpp",
    "tests/include/user_plugin_v2_io_ext_test.cpp",
    "tests/include/user_plugin_v3_test.cpp",
    "examples/circ_pad/circ_pad_v2.cpp",
    "examples/cpp_plugins/v2_ext.cpp",
    "examples/cpp_plugins/v2_io_ext.cpp",
)
WARNINGS = ["-Wall", "-Wextra", "-Woverloaded-virtual"]


def compiler(name):
    found = shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
    return found or pytest.skip(f"there is no {name}")


def command(name, source, folder):
    path = compiler(name)
    include = f"-I{ROOT / 'include'}"
    if name != "nvcc":
        return [path, "-std=c++17", *WARNINGS, "-fsyntax-only", include, source]
    # nvcc recognizes CUDA files by their suffix; a plugin with a kernel is in such a file.
    unit = folder / "plugin.cu"
    unit.write_text(f'#include "{source}"\n')
    options = ["-Xcompiler", ",".join(WARNINGS), "-c", "-o", folder / "plugin.o"]
    return [path, "-std=c++17", include, *options, unit]


@pytest.mark.parametrize("source", PLUGINS, ids=lambda source: Path(source).stem)
@pytest.mark.parametrize("name", ["g++", "clang++", "nvcc"])
def test_a_plugin_compiles_silently(name, source, tmp_path):
    words = list(map(str, command(name, ROOT / source, tmp_path)))
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
