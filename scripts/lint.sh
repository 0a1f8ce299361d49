#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Runs every check that needs no build, also after failures.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
failed=0

step() {
    printf '[lint] %s\n' "$1"
    shift
    "$@" || failed=1
}

step "format of C++, Python, CMake" scripts/format.sh --check
step "ruff" ruff check --quiet .
step "file rules: licence, ASCII, length" python scripts/check_files.py
step "layers of src/" python scripts/check_layers.py
step "docs/messages.md lists every message" python scripts/collect_messages.py --check
step "lists of layers are current" python scripts/make_layer_lists.py --check
step "docs show the examples as they are" python scripts/embed_examples.py --check
step "shell syntax" bash -n scripts/*.sh .ci/run
exit $failed
