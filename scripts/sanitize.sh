#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# sanitize.sh <build folder>: runs the C++ tests and the Python plugin tests of a build with the
# address and undefined-behaviour sanitizers.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/$1
failed=0
# A finding ends the process and fails its test. Leak detection is off for Python, which does not
# free everything at exit.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# Some tests allocate more memory than available and expect null, as without the sanitizer. The
# frames that GCC 12 makes to find uses after return are not aligned for vectors of 64 bytes.
export ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1

printf '[sanitize] C++\n'
rm -rf "$folder/reports"
mkdir -p "$folder/reports/cpp"
ctest --test-dir "$folder" -j2 --output-on-failure --no-tests=error || failed=1

printf '[sanitize] Python\n'
# The interpreter is not built with the sanitizer, so preload its library. Also preload the C++
# library: the sanitizer resolves its exception functions at startup.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$folder/CMakeCache.txt")
preload="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so)"
LD_PRELOAD="$preload" ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" PYTHONMALLOC=malloc \
    PYTHONPATH="$folder/python" .venv/bin/python -m pytest tests/python -k plugin -q --no-header \
    -p no:cacheprovider --junitxml="$folder/reports/python.xml" || failed=1

.venv/bin/python scripts/count_tests.py "$folder/reports" || failed=1
exit $failed
