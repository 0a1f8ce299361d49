# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""`kiln serve` as a process."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import kiln

COMMAND = (sys.executable, "-m", "kiln", "serve")
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(kiln.__file__).parents[1]),
    "RAY_AUTH_MODE": "disabled",
}


@contextlib.contextmanager
def served(*arguments, **environment):
    """A server that is ready; gives its process and what it has printed."""
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**ENVIRONMENT, **environment}, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            lines = []
            for line in process.stdout:
                lines.append(line)
                if line.startswith("Ctrl-C"):
                    break
            else:
                raise AssertionError("".join([*lines, process.stderr.read()]))
            yield process, "".join(lines)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
