# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The console command ``trtexec``: executes the program that the wheel contains."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Replaces this process with the packaged trtexec, with the same arguments.

    Unless KILN_PYTHON is set, it names this interpreter as the one that runs Python plugins.
    """
    program = Path(__file__).absolute().parent / "bin" / "trtexec"
    os.environ.setdefault("KILN_PYTHON", sys.executable)
    os.execv(program, [str(program), *sys.argv[1:]])
