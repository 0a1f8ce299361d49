#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Runs lint, the C++ tests and the Python tests, also after failures. The last line shows the
# totals.
set -uo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
reports=build/reports
failed=0
jobs=${JOBS:-$(nproc)}
rm -rf "$reports"
# The compiler proves its use-def chains after each pass.
export KILN_CHECK_PASSES=1
mkdir -p "$reports/cpp"

scripts/lint.sh || failed=1

printf '[test] C++\n'
ctest --test-dir build -j"$jobs" --output-on-failure --no-tests=error --quiet \
    -O "$reports/ctest.log" || failed=1
grep -E 'tests passed|\*\*\*|Failed|\(Timeout\)' "$reports/ctest.log" ||
    tail -40 "$reports/ctest.log"

printf '[test] Python\n'
"$python" -m pytest tests -n "$jobs" --dist loadgroup -q --no-header \
    --junitxml="$reports/python.xml" || failed=1

"$python" scripts/count_tests.py "$reports" || failed=1
exit $failed
