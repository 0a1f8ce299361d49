#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Prepares a Debian or Ubuntu machine for `make build`: system packages and the virtual environment
# .venv. If everything is up to date, it takes a few milliseconds.
#
# setup.sh [base] [frameworks] [serve] [docs]: only these parts. "base" is what the build needs;
# "frameworks" are the packages that plugins use, such as Torch; "serve" are Ray and the clients
# that the tests of kiln.serve need; "docs" are those of the documentation site, which no other part
# needs.
set -euo pipefail
cd "$(dirname "$0")/.."

python="${KILN_PYTHON:-python3}"
venv=.venv

say() { printf '[setup] %s\n' "$*"; }

# What a part of the set-up depends on. A part whose text is in its stamp has nothing to do.
stamp_text() {
    "$python" -c 'import sys; print(sys.version, sys.base_prefix)'
    cat scripts/setup.sh requirements/*.txt
}

is_done() {
    local stamp="$venv/.kiln-$1"
    [ -f "$stamp" ] && [ -x "$venv/bin/cmake" ] && stamp_text | cmp -s - "$stamp"
}

missing_packages() {
    grep -v '^#' requirements/apt.txt | while read -r package; do
        dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
            printf '%s ' "$package"
    done
}

install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian or Ubuntu machine: the packages of requirements/apt.txt are left to you."
        return
    fi
    local missing
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        say "these system packages are missing. Install them, then run make again:"
        printf '\n    sudo apt-get install -y --no-install-recommends %s\n\n' "$missing"
        exit 1
    fi
    say "installing system packages: $missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

make_environment() {
    # Recreate an environment of another interpreter or an incomplete one.
    if ! "$venv/bin/python" -c '' 2>/dev/null || ! [ -x "$venv/bin/pip" ] ||
        [ "$("$venv/bin/python" -c 'import sys; print(sys.version, sys.base_prefix)')" != \
            "$("$python" -c 'import sys; print(sys.version, sys.base_prefix)')" ]; then
        say "creating $venv with $("$python" --version)"
        rm -rf "$venv"
        "$python" -m venv "$venv"
    fi
    say "installing Python packages into $venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r requirements/build.txt -r requirements/test.txt -r requirements/lint.txt
    [ -n "${KILN_ONEDNN_ROOT:-}" ] ||
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            -r requirements/onednn.txt </dev/null ||
        say "oneDNN was not installed: the lines above say why. The CPU target will have its own" \
            "kernels only. KILN_ONEDNN_ROOT names a folder that has it."
}

# Installs each package separately, so that a failure affects neither the others nor the setup.
install_frameworks() {
    if [ "${KILN_FRAMEWORKS:-1}" = 0 ]; then
        say "KILN_FRAMEWORKS=0: no frameworks for plugins. The demo and the tests leave them out."
        return
    fi
    local wanted
    grep -v '^#' requirements/frameworks.txt | while read -r wanted; do
        say "installing $wanted, for the demo and the tests of frameworks inside plugins"
        "$venv/bin/python" -m pip install -q --disable-pip-version-check "$wanted" </dev/null ||
            say "$wanted was not installed: the lines above say why. Everything else works;" \
                "the demo and the tests leave it out. Later: $venv/bin/pip install '$wanted'"
    done
}

base() {
    is_done base && return
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
        say "expected Python 3.11 or later for development, got $("$python" --version 2>&1)." \
            "Install one, or name one: KILN_PYTHON=/path/to/python3 make setup"
        exit 1
    }
    install_packages
    make_environment
    stamp_text >"$venv/.kiln-base"
    say "done"
}

frameworks() {
    is_done frameworks && return
    install_frameworks
    stamp_text >"$venv/.kiln-frameworks"
    say "frameworks: done"
}

# Without these packages, tests of kiln.serve are left out. NumPy stays at the version of test.txt.
serve() {
    is_done serve && return
    if [ "${KILN_FRAMEWORKS:-1}" = 0 ]; then
        say "KILN_FRAMEWORKS=0: no Ray. The tests of kiln.serve are left out."
    else
        say "installing Ray and clients of inference servers, for the tests of kiln.serve"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            -r requirements/serve.txt -c requirements/test.txt </dev/null ||
            {
                say "they were not installed: the lines above say why. Everything else works;" \
                    "the tests leave kiln.serve out. Later: scripts/setup.sh serve"
                return
            }
    fi
    stamp_text >"$venv/.kiln-serve"
    say "serve: done"
}

# Without these packages, tests leave the site out.
docs() {
    is_done docs && return
    say "installing the packages of the documentation site"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r requirements/docs.txt </dev/null ||
        {
            say "they were not installed: the lines above say why. Everything else works."
            return
        }
    stamp_text >"$venv/.kiln-docs"
}

[ $# -gt 0 ] || set -- base frameworks serve
for part in "$@"; do
    "$part"
done
