# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The process of one engine and one model:

    worker.py ENGINE MODEL TYPE DEVICE THREADS FOLDER.

Prints a line of JSON when it is ready, {"facts": ..., "error": ...} or {"reason": ...}, and one for
each line that it reads: `SECONDS` runs the model so long and gives the milliseconds of each run,
and how long the processors worked for one run, all threads together.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

LEAST_RUNS = 5


def largest_error(results, folder, name):
    """The largest difference from the float64 result, over the largest value of that output."""
    reference = np.load(Path(folder) / f"{name}.npz")
    errors = []
    for result, key in zip(results, reference.files, strict=True):
        wanted = reference[key]
        if result.shape != wanted.shape:
            return float("nan")
        largest = np.abs(wanted).max(initial=0) or 1
        errors.append(float(np.abs(result - wanted).max(initial=0) / largest))
    return max(errors)


def run_for(session, seconds):
    times = []
    processor = time.process_time()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < LEAST_RUNS:
        start = time.perf_counter()
        session.run()
        times.append((time.perf_counter() - start) * 1e3)
    return {"times": times, "processor": (time.process_time() - processor) * 1e3 / len(times)}


def main():
    engine, name, dtype, device, threads, folder = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer

    def answer(value):
        print(json.dumps(value), file=answers, flush=True)

    # Imported late: the thread counts must be in the environment before any library is.
    os.environ["OMP_NUM_THREADS"] = threads
    from catalogue import MODELS
    from engines import Job, Unsupported

    path = Path(folder) / f"{name}.onnx"
    try:
        module = importlib.import_module(f"engines.{engine}")
        session = module.Session(Job(name, MODELS[name], path, dtype, device, int(threads)))
        answer({"facts": session.facts, "error": largest_error(session.outputs(), folder, name)})
    except Unsupported as error:
        answer({"reason": str(error)})
        return
    run_for(session, 0.3)  # caches and clocks warm up
    for line in sys.stdin:
        answer(run_for(session, float(line)))


if __name__ == "__main__":
    main()
