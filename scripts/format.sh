#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# format.sh [--check]: formats C++, Python and CMake files and rewrites the lists that are made from
# sources, or lists the unformatted files and fails.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"

# Files that git tracks or would track, and that exist.
files() { git ls-files -z --cached --others --exclude-standard "$@" | xargs -0 ls -d 2>/dev/null; }

cpp=$(files '*.h' '*.cpp')
cmake=$(files '*CMakeLists.txt' '*.cmake')

# Each function prints the files that its formatter would change.
unformatted_cpp() {
    echo "$cpp" | xargs -r -P 2 -n 32 clang-format --dry-run --Werror 2>&1 |
        grep -oE '^[^ :]+\.(h|cpp):[0-9]+' | cut -d: -f1 | sort -u
}
unformatted_python() {
    ruff format --check --output-format=concise . 2>/dev/null |
        sed -n 's/:.* unformatted:.*//p'
}
unformatted_cmake() {
    echo "$cmake" | xargs -r gersemi --check --no-warn-about-unknown-commands 2>&1 |
        sed -n 's/ would be reformatted$//p'
}

if [ "${1:-}" = --check ]; then
    found=$(unformatted_cpp; unformatted_python; unformatted_cmake)
    [ -n "$found" ] || exit 0
    printf '%s: not formatted\n' $found
    echo "Run 'make format'."
    exit 1
fi
echo "$cpp" | xargs -r -P 2 -n 32 clang-format -i
ruff format --quiet .
echo "$cmake" | xargs -r gersemi --in-place --no-warn-about-unknown-commands
python scripts/collect_messages.py
python scripts/make_layer_lists.py
python scripts/embed_examples.py
