#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_package.sh <python> <archive.tar.gz> [tests]: packs what is built in build/ for a machine with
# an NVIDIA GPU, so that nothing is compiled there. <python> is an interpreter of that machine's
# version of Python; its headers suffice. With `tests`, the C++ programs that need a GPU and what
# Python tests load come along. That machine needs a C library and a libstdc++ that are not older
# than those here. There:
#
#   tar -xzf archive.tar.gz && cd kiln
#   export PYTHONPATH=$PWD/py LD_LIBRARY_PATH=$PWD/lib
#   export KILN_TARGET=cuda KILN_TRTEXEC=$PWD/bin/trtexec
#   python3 -m pytest tests -m cuda; python3 benchmarks/gpu_layers/run_rivals.py
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
archive=$(realpath -m "$2")
with=${3:-}
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
here=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')
module=$(cd build && ls python/kiln/_core.*.so)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/kiln
mkdir -p "$out"/{lib,bin,py}

# The bindings, compiled by the commands of build/ with the headers of the other Python.
(
    cd build
    mkdir -p python/CMakeFiles/_core.other
    ninja -t commands "$module" >"$work/all"
    grep -- '-o python/CMakeFiles/_core.dir/.* -c ' "$work/all" |
        sed -E -e 's#-MD -MT [^ ]+ -MF [^ ]+##' -e "s#$here#$include#" \
            -e 's#_core.dir/([^ ]*)\.o -c#_core.other/\1.o -c#' >"$work/compile"
    grep -o -- '-o [^ ]*' "$work/compile" | cut -c4- | xargs -n1 dirname | sort -u | xargs mkdir -p
    xargs -P"$(nproc)" -d '\n' -n1 bash -c <"$work/compile"
    tail -1 "$work/all" |
        sed "s#_core.dir/#_core.other/#g; s#-o $module#-o $out/_core$suffix#" >"$work/link"
    bash "$work/link"
)

for library in build/lib/libkiln*.so; do
    strip -s -o "$out/lib/$(basename "$library")" "$library"
done
cp -rL build/lib/kiln/compat build/lib/kiln/cudart "$out/lib/"
ldd build/lib/libkiln.so | awk '/libfmt/ {print $3}' | xargs -r cp -t "$out/lib"
strip -s -o "$out/bin/trtexec" build/bin/trtexec
cp -rL python/kiln "$out/py/kiln"
strip -s -o "$out/py/kiln/_core$suffix" "$out/_core$suffix"
rm "$out/_core$suffix"
cp -r packaging/tensorrt/src/. "$out/py/"
for folder in include bin lib; do
    ln -s "../../$folder" "$out/py/kiln/$folder"
done
tar --exclude=__pycache__ -cf - benchmarks tests examples docs scripts include pyproject.toml |
    tar -xf - -C "$out"
if [ "$with" = tests ]; then
    mkdir -p "$out/build/tests"
    while read -r program; do
        strip -s -o "$out/build/tests/$program" "build/tests/$program"
    done <build/tests/gpu_programs.txt
    cp -rL build/tests/*.so build/tests/stand_in "$out/build/tests/"
fi
find "$out" -name __pycache__ -prune -exec rm -rf {} +
tar -C "$work" -czf "$archive" kiln
ls -l "$archive"
