# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment in which trtexec finds no Python, to prove that a plan needs none."""

import os
import sys
from pathlib import Path


def environment(empty_folder: Path) -> dict[str, str]:
    """Returns all variables of the environment; empty_folder: the only folder on PATH.

    trtexec searches only KILN_PYTHON for an interpreter if it is set, else VIRTUAL_ENV, the folders
    around its own file, and PATH.
    """
    libraries = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
    return {**libraries, "PATH": str(empty_folder), "KILN_PYTHON": str(empty_folder / "python")}


def with_python() -> dict[str, str]:
    """Variables that make trtexec use this interpreter."""
    return {"KILN_PYTHON": sys.executable}
