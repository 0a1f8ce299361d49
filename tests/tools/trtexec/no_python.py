# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a program without access to Python.

The environment has a PATH that leads nowhere and no other variables of the user. If the kernel
lets ordinary users create mount namespaces, every interpreter and libpython can be hidden, too.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# Everything after "--" is the program; every file before it is replaced by an empty one.
_HIDE = """
while [ "$1" != -- ]; do mount --bind /dev/null "$1" || exit 99; shift; done
shift
exec env -i PATH=/nowhere "$@"
"""


def hidden_files():
    """Interpreters and their libraries: this one's, and those of the system."""
    folders = {Path(sys.prefix) / "bin", Path(sys.base_prefix) / "bin", Path("/usr/bin")}
    folders.add(Path("/usr/local/bin"))
    found = {file.resolve() for folder in folders for file in folder.glob("python*")}
    libraries = {Path(sys.base_prefix) / "lib", Path(sysconfig.get_config_var("LIBDIR") or "/lib")}
    found |= {file.resolve() for folder in libraries for file in folder.glob("libpython*.so*")}
    system = Path("/usr/lib").glob("*/libpython*.so*")
    return sorted(str(file) for file in found | {f.resolve() for f in system} if file.is_file())


def can_hide():
    """Whether files can be hidden here."""
    unshare = shutil.which("unshare")
    probe = [unshare, "-rm", "mount", "--bind", "/dev/null", "/dev/zero"]
    return unshare is not None and subprocess.run(probe, capture_output=True).returncode == 0


def run_without_python(command, cwd, *, hide):
    """Returns the finished process. hide: hides the files as well."""
    words = [str(word) for word in command]
    if hide:
        words = ["unshare", "-rm", "sh", "-c", _HIDE, "sh", *hidden_files(), "--", *words]
    else:
        # trtexec of a virtual environment sets KILN_PYTHON to its interpreter, unless it is set.
        words = ["env", "-i", "PATH=/nowhere", "KILN_PYTHON=/nowhere/python", *words]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120)
