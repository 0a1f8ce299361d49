# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment in which trtexec finds no Python, so that a plan has to do without."""

import os
import sys
from pathlib import Path


def environment(empty_folder: Path) -> dict[str, str]:
    """All that a program in it gets to see; empty_folder: what PATH leads to.

    trtexec looks for an interpreter in KILN_PYTHON alone if it is set, else in VIRTUAL_ENV, around
    its own file, and on PATH.
    """
    libraries = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
    return {**libraries, "PATH": str(empty_folder), "KILN_PYTHON": str(empty_folder / "python")}


def with_python() -> dict[str, str]:
    """Where trtexec finds this interpreter."""
    return {"KILN_PYTHON": sys.executable}
