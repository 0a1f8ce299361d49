# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress bar of builds, on terminals and in notebooks."""

import os
import sys
import time
from typing import Any

from kiln._core import IProgressMonitor


class ProgressBar(IProgressMonitor):
    """Draws the progress of a build.

    A build shows one by itself if its configuration has no ``progress_monitor`` and standard error
    is a terminal, or the program is a notebook; ``KILN_PROGRESS=0`` in the environment prevents
    that, and ``KILN_PROGRESS=1`` shows it in pipes and files, too.

    delay: seconds after which it appears, so that short builds draw nothing. Default: 1.
    file: where it is drawn. Default: standard error.

    Example: ``config.progress_monitor = kiln.ProgressBar(delay=0)``
    """

    def __init__(self, delay: float = 1.0, file: Any = None) -> None:
        super().__init__()
        self._delay, self._file = delay, file
        self._phases: dict[str, list[int]] = {}  # name: steps that are done, all steps
        self._start = 0.0
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def phase_start(self, phase_name: str, parent_phase: "str | None", num_steps: int) -> None:
        """Callback: a phase begins."""
        if not self._phases:
            self._start = time.monotonic()
        self._phases[phase_name] = [0, num_steps]
        self._draw()

    def step_complete(self, phase_name: str, step: int) -> bool:
        """Callback: a step is complete. Returns True: the build goes on."""
        self._phases[phase_name][0] = step + 1
        self._draw()
        return True

    def phase_finish(self, phase_name: str) -> None:
        """Callback: a phase ends; the last one takes the bar away."""
        self._phases.pop(phase_name, None)
        if self._bar is not None and phase_name in self._tasks:
            self._bar.remove_task(self._tasks.pop(phase_name))
        if not self._phases:
            self._close()

    def _draw(self) -> None:
        if self._bar is None:
            if time.monotonic() - self._start < self._delay:
                return
            self._bar = _bar(self._file)
            self._bar.start()
        for name, (done, steps) in self._phases.items():
            if name not in self._tasks:
                self._tasks[name] = self._bar.add_task(name, total=steps)
            self._bar.update(self._tasks[name], completed=done)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._tasks = None, {}


def _bar(file: Any) -> Any:
    from rich.console import Console  # only here: it takes longer to import than Kiln
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:16}"), BarColumn(), MofNCompleteColumn())
    console = Console(file=file or sys.stderr, force_jupyter=in_notebook() and file is None)
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def in_notebook() -> bool:
    """Whether the program is a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and "ipykernel" in sys.modules and shell.get_ipython() is not None


def of_builds() -> "ProgressBar | None":
    """The bar of a build whose configuration has no monitor; None if nobody would see it."""
    wanted = os.environ.get("KILN_PROGRESS", "")
    shown = wanted == "1" or in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
    return ProgressBar() if shown and wanted != "0" else None
