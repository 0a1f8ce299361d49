# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs both sides of the benchmark from the build folder."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"


def built(name):
    """The path of a file of this name in the build folder."""
    return str(next(path for path in BUILD.rglob(name) if path.is_file()))


subprocess.run([built("plugin_dispatch")], check=True)
subprocess.run([sys.executable, str(HERE / "dispatch.py"), built("libempty_plugin.so")], check=True)
subprocess.run([sys.executable, str(HERE / "decorated.py")], check=True)
