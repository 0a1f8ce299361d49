# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The times of the steps of one run."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import kiln


class Steps(kiln.IProfiler):
    """Keeps what a run reports: each layer with its milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, float]] = []

    def report_layer_time(self, layer_name: str, ms: float) -> None:
        """Callback: receives one step."""
        self.found.append((layer_name, ms))


@contextmanager
def profiled(context: Any) -> "Iterator[list[tuple[str, float]]]":
    """Fills the list with the steps of the runs inside of the block.

    Such a run takes longer. A run that is replayed from a CUDA graph reports no steps.
    """
    steps = Steps()
    before, context.profiler = context.profiler, steps
    try:
        yield steps.found
    finally:
        context.profiler = before
