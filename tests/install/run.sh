#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# run.sh <build folder> <folder of wheels>
#
# For C++ users: installs the build to a prefix, moves the prefix, and builds every example against
# it alone. For Python users: installs the wheels into an empty environment, and tries them there
# without a compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
tree=$PWD
build=$1
wheels=$(cd "$2" && pwd)
export PATH="$tree/.venv/bin:$PATH"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf '[install] %s\n' "$*"; }
expect_file() { [ -e "$1" ] || { say "expected $1, found nothing"; exit 1; }; }

say "prefix"
cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
for file in bin/trtexec lib/libkiln.so lib/libkiln_plugin.so lib/libkiln_onnxparser.so \
    lib/kiln/compat/libnvinfer.so lib/kiln/compat/libnvinfer.so.10 include/NvInfer.h \
    lib/kiln/cudart/libcudart.so lib/kiln/cudart/include/cuda_runtime.h \
    lib/cmake/Kiln/KilnConfig.cmake share/man/man1/trtexec.1 \
    share/bash-completion/completions/trtexec; do
    expect_file "$prefix/$file"
done
if find "$prefix" -type l | grep .; then
    say "expected no links: a wheel turns them into copies"
    exit 1
fi
if grep -rl "$tree" "$prefix"; then
    say "expected no path of the source tree in what is installed"
    exit 1
fi
"$prefix/bin/trtexec" --help >/dev/null

for example in examples/*/CMakeLists.txt; do
    name=$(basename "$(dirname "$example")")
    say "examples/$name against the prefix alone"
    # The copy has nothing else of this tree.
    cp -r "examples/$name" "$scratch/$name"
    cmake -S "$scratch/$name" -B "$scratch/$name/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
        >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
    ninja -C "$scratch/$name/build" --quiet >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
done

say "wheels in an empty environment"
python -m venv "$scratch/venv"
tag=$(python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check \
    "$wheels"/kilnrt-*-"$tag"-*.whl "$wheels"/kilnrt_tensorrt-*.whl
# Runs in a folder without sources, without the tree's environment.
cd "$scratch"
unset PYTHONPATH
export PYTHONNOUSERSITE=1
venv=$scratch/venv
"$venv/bin/python" "$tree/tests/install/check_wheel.py"
mkdir "$scratch/files"
PATH="$venv/bin" KILN_TARGET=cpu "$venv/bin/python" "$tree/tests/install/try_wheel.py" \
    "$scratch/files"
mkdir "$scratch/registry"
"$venv/bin/python" "$tree/tests/compat/one_registry.py" all "$scratch/registry"
"$venv/bin/python" "$tree/examples/minimal/minimal.py"
say "done"
