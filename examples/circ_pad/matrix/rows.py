# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the rows of the table."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

import kiln
import numpy as np
import numpy.typing as npt

from . import check, data, trtexec
from .forms import HERE, PluginForm
from .frameworks import on_cuda
from .process import run_process

WAYS_IN = ("ONNX", "network API")
WAYS_OUT = ("same process", "new process", "trtexec")


@dataclass(frozen=True)
class Row:
    """The configuration of one line of the table."""

    form: PluginForm
    way_in: str
    way_out: str
    dtype: str  # "float" or "half"


@dataclass
class Outcome:
    """The result of a row; problem is None if it is right."""

    build_ms: float = float("nan")
    run_us: float = float("nan")  # one batch of 256 images
    difference: float = float("nan")
    accuracy: float = float("nan")
    problem: str | None = None
    skipped: str | None = None  # why the row was not run


class RowRunner:
    """Runs rows in a working folder.

    The row "same process" builds the plan for the row "new process" and, with the network API,
    for the row "trtexec", so it must run first.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.reference = data.reference_result()
        self.labels = data.load_labels()
        self.build_ms: dict[Path, float] = {}  # plan file: its build time

    def run(self, row: Row) -> Outcome:
        """Returns the Outcome; any error becomes its problem."""
        if row.form.missing:
            return Outcome(skipped=row.form.missing)
        log = self.folder / "types.txt"
        log.unlink(missing_ok=True)
        outcome = Outcome()
        try:
            y, outcome.run_us, outcome.build_ms = self.compute(row, log)
        except (RuntimeError, OSError, ValueError, KeyError, SubprocessError) as error:
            outcome.problem = str(error) or type(error).__name__
            return outcome
        seen_types = self.seen_types(row, log)
        outcome.difference = check.largest_difference(y, self.reference)
        outcome.accuracy = check.accuracy_of(y, self.labels)
        outcome.problem = check.find_problem(y, seen_types, row.dtype, self.reference, self.labels)
        return outcome

    def seen_types(self, row: Row, log: Path) -> list[str]:
        """The types that enqueue received, or those that the code in the plan is compiled for."""
        if row.form.is_compiled:
            plugins = kiln.describe_plan(self.plan_of(row))["plugins"]
            kernels = [plugin["code"][0]["kernels"][0] for plugin in plugins]
            return [kernel["entry"].rpartition("_")[2] for kernel in kernels]
        return log.read_text().split() if log.exists() else []

    def compute(self, row: Row, log: Path) -> tuple[npt.NDArray[Any], float, float]:
        """Returns y, the run time in microseconds and the build time in milliseconds."""
        if row.way_out == "trtexec":
            plan = self.plan_of(row)
            if row.way_in == "ONNX":
                self.build_ms[plan] = trtexec.build(row.form, row.dtype, plan)
            y, run_us = trtexec.run_all(row.form, row.dtype, plan, self.folder, str(log))
            return y, run_us, self.build_ms[plan]
        return self.compute_in_worker(row, log)

    def compute_in_worker(self, row: Row, log: Path) -> tuple[npt.NDArray[Any], float, float]:
        """Computes a row in a separate process, see worker.py."""
        plan, result = self.plan_of(row), self.folder / "result.npz"
        result.unlink(missing_ok=True)
        if row.way_out == "same process":
            plan.unlink(missing_ok=True)
            command = ["build", row.way_in, row.form.model, row.dtype]
        else:
            command = ["run"]
            if not plan.exists():
                raise RuntimeError("no plan to open: the row that builds it failed")
        environment = {"CIRC_PAD_LOG": str(log), "PYTHONPATH": python_path()}
        worker = [sys.executable, "-m", "matrix.worker", *command]
        needless = row.form.is_compiled and row.way_out == "new process"
        run_process([*worker, "-" if needless else row.form.path, plan, result], environment)
        with np.load(result) as values:
            if row.way_out == "same process":
                self.build_ms[plan] = float(values["build_ms"])
            return values["y"], float(values["run_us"]), self.build_ms[plan]

    def plan_of(self, row: Row) -> Path:
        """The plan file of the row; trtexec builds its own plan from ONNX."""
        name = "_".join((row.form.folder_name, row.way_in.replace(" ", "_"), row.dtype))
        by_trtexec = row.way_out == "trtexec" and row.way_in == "ONNX"
        return self.folder / f"{name}{'.trtexec' if by_trtexec else ''}.plan"


def python_path() -> str:
    """PYTHONPATH for a worker: this folder's package first."""
    return os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))


def all_rows(forms: list[PluginForm]) -> Iterator[Row]:
    """Yields the rows so that each plan is built before it is opened.

    NumPy and C++ run in float and half, on a GPU Torch and C++, and ahead of time C or NVRTC. The
    other frameworks handle types the same way, so they run in float only. A framework that is not
    installed gets a single row, which says so.
    """
    for form in forms:
        if form.missing:
            yield Row(form, "-", "-", "-")
            continue
        in_python = "Torch" if on_cuda() else "NumPy"
        both = ("C", "NVRTC") if form.is_compiled else (in_python, "C++")
        dtypes = list(data.DTYPES) if form.framework in both else ["float"]
        for way_in in WAYS_IN:
            for dtype in dtypes:
                for way_out in WAYS_OUT:
                    yield Row(form, way_in, way_out, dtype)
