# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A separate process for one row: builds and runs, or opens a saved plan and runs it.

python -m matrix.worker build WAY_IN MODEL DTYPE PLUGIN PLAN RESULT
python -m matrix.worker run PLUGIN PLAN RESULT

PLUGIN is "-" for a plan that needs none.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tensorrt as trt

from .build import build_plan
from .forms import load_plugin
from .run import open_plan, run_all


def build_and_run(
    way_in: str, model: str, dtype: str, plugin: str, plan_file: str, result_file: str
) -> None:
    """Builds, saves the plan, and runs it in this process."""
    logger = trt.Logger(trt.Logger.WARNING)
    load_plugin(plugin)
    log = os.environ.pop("CIRC_PAD_LOG", None)  # tactic timing must not log types
    start = time.perf_counter()
    plan = build_plan(way_in, model, dtype, logger)
    build_ms = 1e3 * (time.perf_counter() - start)
    Path(plan_file).write_bytes(plan)
    if log:
        os.environ["CIRC_PAD_LOG"] = log
    y, run_us = run_all(open_plan(plan, logger))
    np.savez(result_file, y=y, run_us=run_us, build_ms=build_ms)


def run(plugin: str, plan_file: str, result_file: str) -> None:
    """Opens a plan that another process saved, and runs it."""
    logger = trt.Logger(trt.Logger.WARNING)
    if plugin != "-":
        load_plugin(plugin)
    y, run_us = run_all(open_plan(Path(plan_file).read_bytes(), logger))
    np.savez(result_file, y=y, run_us=run_us)


if __name__ == "__main__":
    work: dict[str, Callable[..., None]] = {"build": build_and_run, "run": run}
    work[sys.argv[1]](*sys.argv[2:])
