# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares layers of Kiln on the CPU with ONNX Runtime; see README.md."""

import argparse
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from layers import LAYERS  # noqa: E402

SIZES = 3


class Worker:
    """One engine in a process of its own, which is stopped while the other one runs."""

    def __init__(self, engine, threads):
        path = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), engine, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": str(threads), "PYTHONPATH": path},
        )
        self._process.stdout.readline()
        self._process.send_signal(signal.SIGSTOP)

    def ask(self, name, size, seconds):
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write(f"{name} {size} {seconds}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        self._process.send_signal(signal.SIGSTOP)
        return json.loads(line) if line else {"reason": "the process failed"}

    def close(self):
        self._process.kill()
        self._process.wait()


def difference(ours, theirs, tolerance):
    """Whether samples of the outputs agree."""
    for a, b in zip(ours, theirs, strict=True):
        if len(a) != len(b):
            return "other shape"
        a, b = np.array(a), np.array(b)
        with np.errstate(invalid="ignore"):
            if not np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
                return f"differs by {np.abs(a - b).max():.2g}"
    return ""


def row(workers, name, size, rounds, seconds):
    times = {engine: [] for engine in workers}
    answers = {}
    for _ in range(rounds):
        for engine, worker in workers.items():
            answers[engine] = worker.ask(name, size, seconds)
            if "reason" in answers[engine]:
                return f"{engine}: {answers[engine]['reason']}", None
            times[engine] += answers[engine]["times"]
    ours, theirs = (statistics.median(times[engine]) for engine in workers)
    samples = [answers[engine]["samples"] for engine in workers]
    note = difference(*samples, LAYERS[name].tolerance)
    return f"{ours:10.1f} {theirs:10.1f} {ours / theirs:6.2f}  {note}", ours / theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="of each engine in a round")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    workers = {engine: Worker(engine, arguments.threads) for engine in ("kiln", "onnxruntime")}
    print(f"{time.strftime('%Y-%m-%d')}, {platform.processor() or platform.machine()}, "
          f"{arguments.threads} threads; median microseconds of runs")  # fmt: skip
    print(f"{'layer':26} {'shapes':42} {'Kiln':>10} {'ONNX RT':>10} {'ratio':>6}")
    ratios = []
    try:
        for name in arguments.layers or LAYERS:
            for size in range(SIZES):
                shapes = " ".join("x".join(map(str, s)) or "[]" for s in LAYERS[name].sizes[size])
                text, ratio = row(workers, name, size, arguments.rounds, arguments.seconds)
                print(f"{name:26} {shapes:42.42} {text}", flush=True)
                ratios += [] if ratio is None else [ratio]
    finally:
        for worker in workers.values():
            worker.close()
    slower = sum(ratio > 1 for ratio in ratios)
    print(f"{len(ratios)} rows, {slower} slower than ONNX Runtime; median ratio "
          f"{statistics.median(ratios):.2f}, highest {max(ratios):.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
