# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the rows of the table."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from subprocess import SubprocessError

import numpy as np

from . import check, data, trtexec
from .forms import HERE, PluginForm
from .process import run_process

WAYS_IN = ("ONNX", "network API")
WAYS_OUT = ("same process", "new process", "trtexec")


@dataclass(frozen=True)
class Row:
    """One line of the table: what to do."""

    form: PluginForm
    way_in: str
    way_out: str
    dtype: str  # "float" or "half"


@dataclass
class Outcome:
    """What came of a row; problem is None if it is right."""

    build_ms: float = float("nan")
    run_us: float = float("nan")  # one batch of 256 images
    difference: float = float("nan")
    accuracy: float = float("nan")
    problem: str | None = None
    skipped: str | None = None  # why the row was not run


class RowRunner:
    """Runs rows in a working folder.

    The row "same process" builds the plan that the row "new process" opens, and for the network
    API the row "trtexec" too, so it must run before them.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.reference = data.reference_result()
        self.labels = data.load_labels()
        self.build_ms = {}  # plan file: time its build took

    def run(self, row):
        """Returns the Outcome; whatever goes wrong becomes its problem."""
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
        seen_types = log.read_text().split() if log.exists() else []
        outcome.difference = check.largest_difference(y, self.reference)
        outcome.accuracy = check.accuracy_of(y, self.labels)
        outcome.problem = check.find_problem(y, seen_types, row.dtype, self.reference, self.labels)
        return outcome

    def compute(self, row, log):
        """Returns y, the time of a run in microseconds and that of the build in milliseconds."""
        if row.way_out == "trtexec":
            plan = self.plan_of(row)
            if row.way_in == "ONNX":
                plan = plan.with_suffix(".trtexec.plan")
                self.build_ms[plan] = trtexec.build(row.form, row.dtype, plan)
            y, run_us = trtexec.run_all(row.form, row.dtype, plan, self.folder, str(log))
            return y, run_us, self.build_ms[plan]
        return self.compute_in_worker(row, log)

    def compute_in_worker(self, row, log):
        """The rows that a process of its own computes, see worker.py."""
        plan, result = self.plan_of(row), self.folder / "result.npz"
        result.unlink(missing_ok=True)
        if row.way_out == "same process":
            plan.unlink(missing_ok=True)
            command = ["build", row.way_in, row.form.version, row.dtype]
        else:
            command = ["run"]
            if not plan.exists():
                raise RuntimeError("no plan to open: the row that builds it failed")
        environment = {"CIRC_PAD_LOG": str(log), "PYTHONPATH": python_path()}
        worker = [sys.executable, "-m", "matrix.worker", *command]
        run_process([*worker, row.form.path, plan, result], environment)
        with np.load(result) as values:
            if row.way_out == "same process":
                self.build_ms[plan] = float(values["build_ms"])
            return values["y"], float(values["run_us"]), self.build_ms[plan]

    def plan_of(self, row):
        """The file of the plan that Python builds for this row."""
        parts = (row.form.style, row.form.framework, row.way_in, row.dtype)
        return self.folder / ("_".join(parts).replace(" ", "_").replace("+", "p") + ".plan")


def python_path():
    """PYTHONPATH for a worker: this folder's package first."""
    return os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))


def all_rows(forms):
    """Yields the rows so that each plan is built before it is opened.

    NumPy and C++ run in float and half. The other frameworks differ in what computes, not in types:
    they run in float. One that is not installed gets a single row, which says so.
    """
    for form in forms:
        if form.missing:
            yield Row(form, "-", "-", "-")
            continue
        dtypes = data.DTYPES if form.framework in ("NumPy", "C++") else ["float"]
        for way_in in WAYS_IN:
            for dtype in dtypes:
                for way_out in WAYS_OUT:
                    yield Row(form, way_in, way_out, dtype)
