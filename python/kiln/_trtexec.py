# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The console command ``trtexec``: becomes the program that the wheel brings along."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Replaces this process by the packaged trtexec, with the same arguments.

    KILN_PYTHON tells it which interpreter runs Python plugins: the one that started it.
    """
    program = Path(__file__).absolute().parent / "bin" / "trtexec"
    os.environ.setdefault("KILN_PYTHON", sys.executable)
    os.execv(program, [str(program), *sys.argv[1:]])
