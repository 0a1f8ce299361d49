# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares whole models in Kiln and in its rivals, each alone in its own process; see README.md."""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

from processes import HERE, Worker, busy_process, python_path

ROOT = HERE.parents[1]
ENGINES = {
    "cpu": ("kiln", "onnxruntime", "openvino", "compiled_torch"),
    "cuda": ("kiln", "compiled_torch"),
}
MODELS = {
    "cpu": (
        "resnet50",
        "resnet50_b8",
        "bert_base_128",
        "gpt2_decode_512",
        "efficientnet_b0",
        "mobilenet_v3",
        "convnext_tiny",
        "whisper_base",
    ),
    "cuda": ("resnet50", "resnet50_b32", "resnet50_b128", "bert_base_128", "bert_base_32x128"),
}


class Table:
    """Lines that go to the terminal and to the file of results."""

    def __init__(self):
        self.lines = []

    def line(self, text=""):
        print(text, flush=True)
        self.lines.append(text)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--models", nargs="+", metavar="NAME", help="default: all of the device")
    parser.add_argument("--engines", nargs="+", metavar="NAME", help="default: all of the device")
    parser.add_argument("--types", nargs="+", choices=("float", "half", "bfloat16"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each engine in a round")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--busy", action="store_true", help="also beside one busy process")
    parser.add_argument("--folder", default=str(ROOT / "build" / "models"))
    parser.add_argument("--write", action="store_true", help="into benchmarks/results")
    arguments = parser.parse_args()
    arguments.models = arguments.models or MODELS[arguments.device]
    arguments.engines = arguments.engines or ENGINES[arguments.device]
    arguments.types = arguments.types or (["float"] if arguments.device == "cpu" else ["half"])
    return arguments


def prepare(name, arguments):
    """Exports and computes the reference in another process: torch is large."""
    command = [sys.executable, str(HERE / "prepare.py"), name, arguments.folder, arguments.device]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": python_path()})


def measure(workers, arguments):
    """Milliseconds by engine: alone, of the processors, and beside a busy process."""
    alone = {engine: [] for engine in workers}
    processor = {engine: [] for engine in workers}
    busy = {engine: [] for engine in workers}
    for _ in range(arguments.rounds):
        for engine, worker in workers.items():
            times, work = worker.measure(arguments.seconds)
            alone[engine] += times
            processor[engine].append(work)
        if arguments.busy:
            with busy_process():
                for engine, worker in workers.items():
                    busy[engine] += worker.measure(arguments.seconds)[0]
    return alone, processor, busy


def percentile(times, share):
    """The time that `share` of the runs do not exceed."""
    return sorted(times)[int(share * (len(times) - 1))]


def number(value, scale=1.0, digits=1):
    return "-" if value is None else f"{value / scale:.{digits}f}"


def compare(table, name, dtype, arguments, log):
    """Prints one block: a row for each engine."""
    workers = {}
    try:
        prepare(name, arguments)
        refused = {}
        for engine in arguments.engines:
            job = [engine, name, dtype, arguments.device, str(arguments.threads), arguments.folder]
            worker = Worker(job, {"OMP_NUM_THREADS": str(arguments.threads)}, log)
            if worker.runs:
                workers[engine] = worker
            else:
                worker.close()
                refused[engine] = worker.ready["reason"]
        alone, processor, busy = measure(workers, arguments)
        medians = {engine: statistics.median(times) for engine, times in alone.items()}
        rivals = [medians[engine] for engine in workers if engine != "kiln"]
        fastest = min(rivals, default=None)
        for engine in arguments.engines:
            start = f"{name:18}{dtype:9}{engine:15}"
            if engine in refused:
                table.line(f"{start}{refused[engine]}")
                continue
            facts = workers[engine].ready["facts"]
            ratio = medians[engine] / fastest if fastest and engine == "kiln" else None
            slowdown = statistics.median(busy[engine]) / medians[engine] if arguments.busy else None
            table.line(
                f"{start}{medians[engine]:9.3f}{percentile(alone[engine], 0.9):9.3f}"
                f"{number(ratio, digits=2):>8}{statistics.median(processor[engine]):9.2f}"
                f"{number(slowdown, digits=2):>8}"
                f"{workers[engine].ready['error']:10.1e}"
                f"{number(facts.get('build'), 1e3, 2):>9}{number(facts.get('rebuild'), 1e3, 2):>9}"
                f"{number(facts.get('open')):>9}"
                f"{number(facts.get('activation_bytes'), 2**20):>8}"
            )
    finally:
        for worker in workers.values():
            worker.close()


def processor(device):
    """The name of what is measured."""
    if device == "cuda":
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(query, capture_output=True, text=True).stdout.strip()
    names = [
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def main():
    arguments = parse_arguments()
    Path(arguments.folder).mkdir(parents=True, exist_ok=True)
    table = Table()
    table.line(f"{time.strftime('%Y-%m-%d')}, {processor(arguments.device)}")
    table.line(
        f"{arguments.rounds} rounds of {arguments.seconds} s for each engine, "
        f"{arguments.threads} threads, load {os.getloadavg()[0]:.1f} before the start"
    )
    table.line("ms: median, 90 %; ratio over the faster rival; ms of all processors for a run;")
    table.line("busy: slowdown beside a busy process;")
    table.line("error against float64; build and rebuild with timing cache (s); open (ms); MiB")
    table.line(
        f"{'model':18}{'type':9}{'engine':15}{'median':>9}{'90 %':>9}{'ratio':>8}{'cpu':>9}"
        f"{'busy':>8}{'error':>10}{'build':>9}{'rebuild':>9}{'open':>9}{'arena':>8}"
    )
    with open(Path(arguments.folder) / "workers.log", "w") as log:
        for name in arguments.models:
            for dtype in arguments.types:
                compare(table, name, dtype, arguments, log)
    if arguments.write:
        results = ROOT / "benchmarks" / "results" / f"models_{time.strftime('%Y-%m-%d')}.txt"
        with results.open("a") as file:
            print(f"$ python {' '.join(sys.argv)}", *table.lines, "", sep="\n", file=file)


if __name__ == "__main__":
    main()
