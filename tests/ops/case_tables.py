# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The case tables of all ops: CASES of each module <op>_cases.py in this folder.

A module may also have ANY_ADDRESS = True: its rows also run at addresses that are not aligned,
because its kernels read and write wide words where addresses allow it.
"""

import importlib
from pathlib import Path

MODULES = {
    path.stem.removesuffix("_cases"): importlib.import_module(path.stem)
    for path in sorted(Path(__file__).parent.glob("*_cases.py"))
}
TABLES = {op: module.CASES for op, module in MODULES.items()}


def may_shift(op, case):
    """Whether a case also runs at any address."""
    return case.any_address or getattr(MODULES[op], "ANY_ADDRESS", False)
