# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Imports the bindings first, and says what to do if they cannot be imported."""

import sys
from pathlib import Path

try:
    from kiln import _core as _core
except ImportError as _error:
    _folder = Path(__file__).parent
    _own = f"_core.cpython-{sys.version_info[0]}{sys.version_info[1]}-"
    _names = sorted(file.name for file in _folder.glob("_core.*.so"))
    _python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    if not _names:
        raise ImportError(
            f"[kiln] import: expected the compiled module _core in {_folder}, found none. This is "
            "a source tree, or a part of an installation: install the wheel, or build the tree."
        ) from _error
    if not any(name.startswith(_own) for name in _names):
        raise ImportError(
            f"[kiln] import: expected a module for {_python} in {_folder}, found "
            f"{', '.join(_names)}. Install the wheel for this version of Python, or unset "
            "PYTHONPATH if it names that folder."
        ) from _error
    _file = _folder / next(name for name in _names if name.startswith(_own))
    raise ImportError(
        f"[kiln] import: {_file} cannot be loaded: {_error}. Libraries of the system "
        "or of LD_LIBRARY_PATH may be older than those that Kiln was built with, or files of "
        "several versions of Kiln may be mixed: install the wheel again in a new environment."
    ) from _error
