# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the headers that the C++ build (CMakeLists.txt in this folder) does not make.

Programs compile them as C++17 or C++20, with or without CUDA's header on the path. Both must give
the same symbols, or objects compiled with it would not link with objects compiled without it.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"
COMPILERS = [COMPILER, *filter(None, [shutil.which("clang++")])]  # Clang where there is one
NVCC = shutil.which("nvcc")
WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Woverloaded-virtual",
    "-Wnon-virtual-dtor",
]

# The part of CUDA's header that matters here: the same two names for the same two structures.
CUDA_HEADER = """
#pragma once
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
"""


def compile_cpp(source, *options, compiler=COMPILER):
    command = [compiler, f"-I{INCLUDE}", *WARNINGS, "-Werror", *map(str, options), str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.fixture
def everything(tmp_path):
    """A source file that includes every umbrella header and uses both CUDA types."""
    headers = sorted(path.relative_to(INCLUDE) for path in INCLUDE.glob("*.h"))
    headers += sorted(path.relative_to(INCLUDE) for path in INCLUDE.glob("kiln/*.h"))
    lines = [f'#include "{header}"' for header in headers]
    lines.append("bool run(nvinfer1::IExecutionContext& c, cudaStream_t s, cudaEvent_t e) {")
    lines.append("    return c.setInputConsumedEvent(e) && c.enqueueV3(s);")
    lines.append("}")
    source = tmp_path / "everything.cpp"
    source.write_text("\n".join(lines) + "\n")
    return source


@pytest.fixture
def cuda(tmp_path):
    folder = tmp_path / "cuda"
    folder.mkdir()
    (folder / "cuda_runtime_api.h").write_text(CUDA_HEADER)
    (folder / "crt").mkdir()
    (folder / "crt/host_defines.h").touch()
    return folder


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_all_headers_compile(everything, cuda, standard, compiler):
    options = ["-fsyntax-only", f"-std={standard}"]
    compile_cpp(everything, *options, compiler=compiler)
    compile_cpp(everything, *options, f"-I{cuda}", compiler=compiler)


def test_symbols_do_not_depend_on_the_cuda_header(everything, cuda, tmp_path):
    symbols = []
    for name, options in (("without", []), ("with", [f"-I{cuda}"])):
        built = tmp_path / f"{name}.o"
        compile_cpp(everything, "-c", "-std=c++17", "-o", built, *options)
        output = subprocess.run(["nm", built], capture_output=True, text=True, check=True).stdout
        symbols.append(sorted(line.split()[-1] for line in output.splitlines()))
    assert any("CUstream_st" in symbol for symbol in symbols[0])
    assert symbols[0] == symbols[1]


def test_half_a_cuda_installation_is_not_taken(everything, cuda):
    (cuda / "crt/host_defines.h").unlink()
    (cuda / "cuda_runtime_api.h").write_text("#include <crt/host_defines.h>")
    compile_cpp(everything, "-fsyntax-only", "-std=c++17", f"-I{cuda}")


def compile_cuda(source, *options):
    # What nvcc makes of a source is not pedantic C++, so that warning is left out.
    warnings = [f"-Xcompiler={flag}" for flag in WARNINGS if flag != "-Wpedantic"]
    command = [NVCC, "-x", "cu", f"-I{INCLUDE}", "-Werror=all-warnings", *warnings, *options]
    result = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "warning" not in result.stderr


@pytest.mark.skipif(NVCC is None, reason="nvcc is not on the path")
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_nvcc_compiles_all_headers(everything, standard, tmp_path):
    with everything.open("a") as file:
        file.write("__global__ void copy(float* y, float const* x) { *y = *x; }\n")
    compile_cuda(everything, f"-std={standard}", "-c", "-o", str(tmp_path / "everything.o"))


@pytest.mark.skipif(NVCC is None, reason="nvcc is not on the path")
@pytest.mark.parametrize("plugin", sorted(HERE.glob("user_*_test.cpp")), ids=lambda path: path.stem)
def test_nvcc_compiles_user_code(plugin, tmp_path):
    options = ["-Xcompiler=-Wno-deprecated-declarations", "-Wno-deprecated-declarations"]
    compile_cuda(plugin, "-std=c++17", *options, "-c", "-o", str(tmp_path / "plugin.o"))


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("plugin", sorted(HERE.glob("user_*_test.cpp")), ids=lambda path: path.stem)
def test_user_code_compiles_as_cpp17(plugin, compiler):
    # User classes may call deprecated methods.
    options = ["-fsyntax-only", "-std=c++17", "-Wno-deprecated-declarations"]
    compile_cpp(plugin, *options, compiler=compiler)


def test_the_version_header_is_for_the_preprocessor_alone(tmp_path):
    source = tmp_path / "version.c"
    source.write_text('#include "NvInferVersion.h"\nint major = NV_TENSORRT_MAJOR;\n')
    compiled = subprocess.run(
        [shutil.which("cc") or "cc", f"-I{INCLUDE}", "-fsyntax-only", str(source)], check=False
    )
    assert compiled.returncode == 0
