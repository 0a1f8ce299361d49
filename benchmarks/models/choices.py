# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds a model several times, alone and beside a busy process, and compares how fast the plans run.

    PYTHONPATH=build/python python benchmarks/models/choices.py [--models NAME...] [--builds 10]

Kernels are chosen by their times, so noise may choose a slower one. All plans run in turns in one process;
the spread is that of their medians over the fastest one."""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from processes import HERE, busy_process, python_path


def build(trt, log, path):
    builder = trt.Builder(log)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, log)
    assert parser.parse_from_file(str(path)), parser.get_error(0)
    start = time.perf_counter()
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    return bytes(plan), time.perf_counter() - start


class Run:
    """A context with inputs of ones."""

    def __init__(self, trt, log, plan):
        self._runtime = trt.Runtime(log)
        self._engine = self._runtime.deserialize_cuda_engine(plan)
        self._context = self._engine.create_execution_context()
        self._arrays = []
        for i in range(self._engine.num_io_tensors):
            name = self._engine.get_tensor_name(i)
            shape = tuple(self._engine.get_tensor_shape(name))
            self._arrays.append(np.ones(shape, trt.nptype(self._engine.get_tensor_dtype(name))))
            self._context.set_tensor_address(name, self._arrays[-1].ctypes.data)
        self.times = []

    def measure(self, runs):
        for i in range(runs + 1):
            start = time.perf_counter()
            assert self._context.execute_async_v3(0)
            if i > 0:  # the first one finds the caches full of another plan
                self.times.append(time.perf_counter() - start)


def spread(trt, log, plans, seconds):
    """Medians of milliseconds of all plans, measured in turns."""
    runs = [Run(trt, log, plan) for plan in plans]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(runs[0].times) < 3:
        for run in runs:
            run.measure(5)
    return [statistics.median(run.times) * 1e3 for run in runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--models", nargs="+", default=["efficientnet_b0", "mobilenet_v3", "resnet50"]
    )
    parser.add_argument("--builds", type=int, default=10, help="alone, and as many when busy")
    parser.add_argument("--seconds", type=float, default=20.0, help="of runs of each model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", default=str(HERE.parents[1] / "build" / "models"))
    arguments = parser.parse_args()
    os.environ["KILN_TARGET"], os.environ["KILN_NUM_THREADS"] = "cpu", str(arguments.threads)
    import kiln as trt

    log = trt.Logger(trt.Logger.ERROR)
    print(
        f"{'model':18}{'builds':10}{'build s':>9}{'fastest':>9}{'median':>9}{'slowest':>9}  spread"
    )
    for name in arguments.models:
        path = Path(arguments.folder) / f"{name}.onnx"
        if not path.exists():  # in another process: torch is large
            command = [sys.executable, str(HERE / "prepare.py"), name, arguments.folder]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": python_path()})
        built = [build(trt, log, path) for _ in range(arguments.builds)]
        with busy_process():
            busy = [build(trt, log, path) for _ in range(arguments.builds)]
        plans = [plan for plan, _ in built + busy]
        times = spread(trt, log, plans, arguments.seconds)
        fastest = min(times)
        for kind, own, part in (
            ("alone", built, times[: len(built)]),
            ("busy", busy, times[len(built) :]),
        ):
            print(
                f"{name:18}{kind:10}{statistics.median(s for _, s in own):9.2f}{min(part):9.3f}"
                f"{statistics.median(part):9.3f}{max(part):9.3f}{max(part) / fastest - 1:8.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
