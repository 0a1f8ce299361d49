#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Compiles the programs under benchmarks/ and runs each folder's run.py, except benchmarks/gpu_*,
# which scripts/gpu_server.sh runs.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
cmake -S . -B build -DKILN_BUILD_BENCHMARKS=ON >build/configure.log 2>&1 ||
    { cat build/configure.log; exit 1; }
ninja -C build --quiet
for program in benchmarks/*/run.py; do
    [[ $program != benchmarks/gpu_* ]] || continue
    printf '[bench] %s\n' "$(dirname "$program")"
    python "$program"
done
