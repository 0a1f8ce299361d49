# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kiln and its rivals behind one interface.

Each module has `Session(job)`: it builds or loads the model. It has `run()`, `outputs()` (arrays of
float32, in order) and `facts`, a dictionary with times in milliseconds and sizes in bytes. It
raises `Unsupported` with a reason if the engine cannot run the model.
"""

import time
from dataclasses import dataclass
from pathlib import Path


class Unsupported(Exception):
    """The engine cannot run the model: the message says why."""


@dataclass
class Job:
    """What a worker process runs."""

    name: str
    model: object  # catalogue.Model
    path: Path  # the ONNX file
    dtype: str  # float, half or bfloat16
    device: str  # cpu or cuda
    threads: int


def timed(function):
    """Returns the result of a call and its milliseconds."""
    start = time.perf_counter()
    result = function()
    return result, (time.perf_counter() - start) * 1e3
