# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The host-memory libcudart as programs open it, each in its own process."""

import os
import subprocess
import sys
from pathlib import Path

import kiln
import pytest
from kiln import _host_cudart as host_cudart

FOLDER = host_cudart.FOLDER
COPY = """
import ctypes
runtime = ctypes.CDLL("libcudart.so")
pointer = ctypes.c_void_p()
assert runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(12)) == 0
values = (ctypes.c_float * 3)(1, 2, 3)
assert runtime.cudaMemcpy(pointer, values, ctypes.c_size_t(12), 1) == 0
print(list((ctypes.c_float * 3).from_address(pointer.value)))
assert runtime.cudaFree(pointer) == 0
"""


def run(code, **environment):
    clean = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    return subprocess.run(
        [sys.executable, "-c", code], env={**clean, **environment}, capture_output=True, text=True
    )


def test_by_name_after_use_host_cudart():
    code = f"import kiln\nassert kiln.use_host_cudart() == {str(FOLDER)!r}\n{COPY}"
    result = run(code)
    assert (result.stdout, result.stderr) == ("[1.0, 2.0, 3.0]\n", "")


def test_by_name_with_the_folder_in_the_environment():
    result = run(COPY, LD_LIBRARY_PATH=str(FOLDER))
    assert (result.stdout, result.stderr) == ("[1.0, 2.0, 3.0]\n", "")


def test_it_comes_first_and_once(monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/first:{FOLDER}:/second")
    kiln.use_host_cudart()
    assert os.environ["LD_LIBRARY_PATH"] == f"{FOLDER}:/first:/second"


def test_the_target_cuda_has_its_own(monkeypatch):
    monkeypatch.setattr(host_cudart._core, "default_target", lambda: "cuda")
    with pytest.raises(RuntimeError, match=r"\[cudart\] host memory .* the target cpu, got cuda"):
        kiln.use_host_cudart()


def test_one_name_only():
    """Libraries built with CUDA's runtime load libcudart.so.<major>; they must not find this
    one."""
    names = [path.name for path in FOLDER.iterdir()]
    assert sorted(names) == ["include", "libcudart.so"]
    assert b"libcudart.so.1" not in (FOLDER / "libcudart.so").read_bytes()


PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
int main() {
    float* memory = nullptr;
    cudaStream_t stream;
    cudaEvent_t start, end;
    if (cudaStreamCreate(&stream) || cudaEventCreate(&start) || cudaEventCreate(&end)) return 1;
    float value = 3, back = 0, ms = -1;
    if (cudaMalloc(&memory, 4) || cudaEventRecord(start, stream)) return 2;
    if (cudaMemcpyAsync(memory, &value, 4, cudaMemcpyHostToDevice, stream)) return 3;
    if (cudaMemcpyAsync(&back, memory, 4, cudaMemcpyDeviceToHost, stream)) return 4;
    if (cudaEventRecord(end, stream) || cudaEventSynchronize(end)) return 5;
    if (cudaEventElapsedTime(&ms, start, end) || cudaFree(memory)) return 6;
    std::printf("%g %s\\n", back, ms >= 0 ? cudaGetErrorString(cudaFree(&back)) : "?");
    return cudaStreamDestroy(stream);
}
"""


def test_a_cpp_program_that_names_cuda_alone(tmp_path):
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(PROGRAM)
    folders = [f"-I{FOLDER / 'include'}", f"-L{FOLDER}", f"-Wl,-rpath,{FOLDER}"]
    subprocess.run(["c++", "-std=c++17", *folders, source, "-lcudart", "-o", program], check=True)
    result = subprocess.run([program], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "3 invalid argument\n")


def test_the_header_is_c(tmp_path):
    source = tmp_path / "program.c"
    source.write_text("#include <cuda_runtime.h>\nint main(void) { return cudaFree(0); }\n")
    command = ["cc", "-std=c99", "-Wall", "-Werror", f"-I{FOLDER / 'include'}", "-c", source]
    subprocess.run([*command, "-o", tmp_path / "program.o"], check=True)


def test_the_header_agrees_with_the_api(tmp_path):
    """cudaStream_t is the same type in Kiln's headers and in CUDA's, in either include order."""
    source = tmp_path / "program.cpp"
    headers = ["NvInfer.h", "cuda_runtime_api.h"]
    include = Path(kiln.__file__).parent / "include"
    for first, second in (headers, headers[::-1]):
        source.write_text(f"#include <{first}>\n#include <{second}>\ncudaStream_t stream;\n")
        command = ["c++", "-std=c++17", f"-I{include}", f"-I{FOLDER / 'include'}", "-fsyntax-only"]
        subprocess.run([*command, source], check=True)
