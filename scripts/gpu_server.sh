#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_server.sh <prefix> [build|cpu|cuda|sanitize|bench]...: builds, tests and measures on a machine
# with an NVIDIA GPU and without access to package registries. <prefix> is the folder from
# scripts/gpu_prefix.sh. The machine must have CMake, a C++20 compiler, the driver, the CUDA
# libraries, Python 3.10 or later with its headers, pybind11 3, NumPy, pytest and pytest-xdist; for
# plugins that use them, also Torch, Triton, CuPy, Numba and cuda-bindings. Default steps: build,
# cpu, cuda, bench.
#
#   build     configures and compiles into build/
#   cpu       the tests of every machine, on the cpu target
#   cuda      the tests that need a GPU, on the cuda target
#   sanitize  those of them that fit, under memcheck, and the layers under racecheck
#   bench     the programs benchmarks/gpu_*/run.py
set -uo pipefail
cd "$(dirname "$0")/.."
prefix=$(realpath "${1:?expected the folder that scripts/gpu_prefix.sh made}")
shift
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(build cpu cuda bench)
python=${KILN_PYTHON:-python3}
jobs=${JOBS:-$(nproc)}
folder=$PWD/build
failed=0
gpu_suites='Gpu*:Cuda*'
export PYTHONPATH="$folder/python:$PWD/packaging/tensorrt/src${PYTHONPATH:+:$PYTHONPATH}"
export KILN_TRTEXEC="$folder/bin/trtexec" KILN_PYTHON="$python"
export PYTHONUNBUFFERED=1
export NVIDIA_TF32_OVERRIDE=0 # tests and benchmarks compare float32

say() { printf '[gpu] %s\n' "$*"; }

build() {
    mkdir -p "$folder"
    cmake -S . -B "$folder" -G Ninja -DCMAKE_PREFIX_PATH="$prefix/usr" \
        -DKILN_FLATBUFFERS_GENERATED="$prefix/generated" -DKILN_BUILD_BENCHMARKS=ON \
        -DKILN_UNITY=ON \
        -DPython_EXECUTABLE="$(command -v "$python")" >"$folder/configure.log" 2>&1 ||
        { cat "$folder/configure.log"; return 1; }
    NINJA_STATUS="[build %f/%t %es] " ninja -C "$folder" -j"$jobs" --quiet || return 1
}

# Skips the client tests if the clients are not installed.
without() {
    { command -v polygraphy && "$python" -c 'import polygraphy, onnx_graphsurgeon'; } \
        >/dev/null 2>&1 || echo --ignore=tests/clients
}

tests() {
    # shellcheck disable=SC2046
    "$python" -m pytest tests $(without) --dist loadgroup -q --no-header -rs "$@"
}

cpu() {
    local result=0
    local -x KILN_NUM_THREADS=2 # per process; several run in parallel
    KILN_TARGET=cpu ctest --test-dir "$folder" -j"$jobs" --output-on-failure --quiet \
        -O "$folder/ctest.log" || { grep -B20 FAILED "$folder/ctest.log"; result=1; }
    tail -5 "$folder/ctest.log"
    KILN_TARGET=cpu tests -n "$jobs" -m "not cuda" || result=1
    return $result
}

cuda() {
    local result=0 program
    for program in $(cat "$folder/tests/gpu_programs.txt"); do
        KILN_TARGET=cuda "$folder/tests/$program" --gtest_filter="$gpu_suites" --gtest_brief=1 ||
            result=1
    done
    KILN_TARGET=cuda tests -n "${GPU_JOBS:-8}" -m cuda --durations=25 || result=1
    return $result
}

# Runs one process for each tool and layer table, several in parallel: both tools are slow.
sanitize() {
    # The tests provoke driver errors, for example with host pointers, so ignore API errors.
    local memcheck="compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 9"
    local racecheck="compute-sanitizer --tool racecheck --error-exitcode 9"
    local pytest="$python -m pytest -q --no-header -m cuda" tables table program
    tables=$(cd tests/ops && PYTHONPATH="..:$PYTHONPATH" "$python" -c \
        'from case_tables import TABLES; print(*TABLES)') || return 1
    {
        for program in $(cat "$folder/tests/gpu_programs.txt"); do
            echo "$memcheck $folder/tests/$program --gtest_brief=1 --gtest_filter=$gpu_suites"
        done
        echo "$memcheck $pytest tests/python/cuda -m 'cuda and not faults'"
        for table in $tables; do
            echo "$racecheck $pytest tests/ops/test_ops.py -k '[$table-'"
            echo "$memcheck $pytest tests/ops/test_ops.py -k '[$table-'"
        done
        echo "$memcheck $pytest tests/ops/test_formats.py tests/ops/test_libraries.py"
    } >"$folder/sanitize.txt"
    KILN_TARGET=cuda xargs -d '\n' -P "${GPU_JOBS:-8}" -I{} \
        bash -c '{} >"$0.$$" 2>&1 || { echo "failed: {}"; cat "$0.$$"; exit 1; }; tail -2 "$0.$$"' \
        "$folder/sanitize" <"$folder/sanitize.txt"
}

bench() {
    local program
    for program in benchmarks/gpu_*/run.py; do
        say "$(dirname "$program")"
        KILN_TARGET=cuda "$python" "$program" || return 1
    done
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || exit 1
for step in "${steps[@]}"; do
    say "$step: $(date +%H:%M:%S)"
    "$step" || { say "$step failed"; failed=1; }
    [ "$step" != build ] || [ $failed -eq 0 ] || exit 1
done
exit $failed
