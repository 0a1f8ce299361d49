# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A C++ project finds the source tree through `kiln config --cmakedir`.

tests/install/run.sh checks the same for an installation.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CMAKE_FILE = """
cmake_minimum_required(VERSION 3.24)
project(user LANGUAGES CXX)
find_package(Kiln REQUIRED)
add_library(plugin MODULE "{tests}/compat/registry_plugin.cpp")
target_compile_definitions(plugin PRIVATE CREATOR_NAME="FromTree" EXPORT_CREATORS)
target_link_libraries(plugin PRIVATE Kiln::kiln)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE Kiln::kiln Kiln::onnxparser Kiln::plugin)
foreach(target IN ITEMS plugin user)
    target_compile_options(${{target}} PRIVATE -Wall -Wextra -Woverloaded-virtual -Werror)
endforeach()
if(NOT EXISTS "${{Kiln_COMPAT_DIR}}/libnvinfer.so.10" OR NOT TARGET Kiln::cudart)
    message(FATAL_ERROR "the package is not complete: ${{Kiln_COMPAT_DIR}}")
endif()
"""
PROGRAM = """
#include <NvInfer.h>
#include <NvInferPlugin.h>
#include <NvOnnxParser.h>
#include <cstdio>
int main() {
    initLibNvInferPlugins(nullptr, "");
    std::printf("%d %d", getInferLibVersion(), getNvOnnxParserVersion() > 0);
}
"""


def tool(name):
    return shutil.which(name) or str(Path(sys.executable).with_name(name))


@pytest.fixture(scope="module")
def cmake_folder():
    command = [sys.executable, "-m", "kiln", "config", "--cmakedir"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_folder_exists(cmake_folder):
    assert (Path(cmake_folder) / "KilnConfig.cmake").is_file()
    assert (Path(cmake_folder) / "KilnConfigVersion.cmake").is_file()


def test_a_project_builds_with_it(cmake_folder, tmp_path):
    tests = Path(__file__).parents[1]
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_FILE.format(tests=tests))
    (tmp_path / "user.cpp").write_text(PROGRAM)
    build = tmp_path / "build"
    options = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DKiln_DIR={cmake_folder}"]
    configure = [tool("cmake"), "-S", tmp_path, "-B", build, *options]
    for command in (configure, [tool("cmake"), "--build", build]):
        result = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in result.stdout
    ran = subprocess.run([build / "user"], capture_output=True, text=True, check=True)
    assert ran.stdout == "101601 1"
    assert next(build.glob("libplugin.so"))
