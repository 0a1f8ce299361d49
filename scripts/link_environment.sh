#!/usr/bin/env bash
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# link_environment.sh <build folder>: lets .venv import kiln and tensorrt from this tree and run
# `kiln` and `trtexec`, without an installation: rebuilds take effect immediately.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
venv=.venv

# write <file> [mode]: writes standard input to the file, unless the contents are equal.
write() {
    local text
    text=$(cat)
    if [ "$text" != "$(cat "$1" 2>/dev/null)" ]; then
        printf '%s\n' "$text" >"$1"
        chmod "${2:-644}" "$1"
    fi
}

site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
write "$site/kiln_tree.pth" <<END
$PWD/$folder/python
$PWD/packaging/tensorrt/src
END
write "$venv/bin/kiln" 755 <<END
#!/bin/sh
exec "$PWD/$venv/bin/python" -m kiln "\$@"
END
write "$venv/bin/trtexec" 755 <<END
#!/bin/sh
KILN_PYTHON="\${KILN_PYTHON:-$PWD/$venv/bin/python}" exec "$PWD/$folder/bin/trtexec" "\$@"
END
