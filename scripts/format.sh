#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# format.sh [--check]: brings C++, Python and CMake files into the project's format, or fails and
# names those that are not in it.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"

# Files that git tracks or would track, and that exist.
files() { git ls-files -z --cached --others --exclude-standard "$@" | xargs -0 ls -d 2>/dev/null; }

failed=0
cpp=$(files '*.h' '*.cpp')
cmake=$(files '*CMakeLists.txt' '*.cmake')
if [ "${1:-}" = --check ]; then
    echo "$cpp" | xargs -r -P 2 -n 32 clang-format --dry-run --Werror 2>&1 |
        grep -oE '^[^:]+' | sort -u | sed 's/^/not formatted: /' | { ! grep .; } || failed=1
    ruff format --check --quiet . || { ruff format --check . | head -40; failed=1; }
    echo "$cmake" | xargs -r gersemi --check --no-warn-about-unknown-commands 2>&1 |
        { ! grep 'would be reformatted'; } || failed=1
    [ $failed = 0 ] || echo "Run 'make format'."
else
    echo "$cpp" | xargs -r -P 2 -n 32 clang-format -i
    ruff format --quiet .
    python scripts/collect_messages.py
    echo "$cmake" | xargs -r gersemi --in-place --no-warn-about-unknown-commands
fi
exit $failed
