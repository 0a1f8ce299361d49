#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# build.sh <preset> [ninja arguments]: configures a new build folder, then compiles. Ninja
# reconfigures when a CMake file or a globbed folder has changed. KILN_UNITY=OFF in the environment
# of the first run compiles each source separately: slower for a full build, faster after an edit.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
case "$preset" in
    cpu) folder=build ;;
    *) folder=build-$preset ;;
esac
python="$PWD/.venv/bin/python"
export PATH="$PWD/.venv/bin:$PATH"

if ! [ -f "$folder/build.ninja" ]; then
    printf '[build] configuring %s\n' "$folder"
    mkdir -p "$folder"
    cmake --preset "$preset" -DPython_EXECUTABLE="$python" -DKILN_UNITY="${KILN_UNITY:-ON}" \
        >"$folder/configure.log" 2>&1 ||
        { cat "$folder/configure.log"; exit 1; }
fi
NINJA_STATUS="[build %f/%t %es] " ninja -C "$folder" "$@"
