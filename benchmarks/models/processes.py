# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Worker processes that take turns: all but the one that is asked are stopped."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
BUSY = "while True: pass"


class Worker:
    """One engine in a process of its own; `ready` is what it said when it had started."""

    def __init__(self, arguments, environment, log):
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **environment, "PYTHONPATH": python_path()},
        )
        self.ready = self._answer() or {"reason": "the process failed; see its log"}
        self.runs = "facts" in self.ready
        if self.runs:
            self._process.send_signal(signal.SIGSTOP)

    def _answer(self):
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def measure(self, seconds):
        """Milliseconds of each run, and of the processors for one run."""
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        answer = self._answer()
        self._process.send_signal(signal.SIGSTOP)
        return (answer["times"], answer["processor"]) if answer else ([], float("nan"))

    def close(self):
        self._process.kill()
        self._process.wait()


def python_path():
    """This folder before what the caller has."""
    return os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))


@contextmanager
def busy_process():
    """Another process that keeps one core busy."""
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        yield
    finally:
        process.kill()
        process.wait()
