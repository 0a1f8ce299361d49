# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures what an engine adds to a plugin's kernel on a GPU; prints each value with its limit."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import source
import torch
from case import AHEAD, LARGE, SMALL, Case
from engines import compiled_plan
from frameworks import ALL, EMPTY
from timing import added, device_ms, graph_of, host_us, in_turns

HOST_ROUNDS = 101
PROCESSES = 7
COPIES = 50  # runs in one graph of the small case
BUILD = Path(__file__).resolve().parents[2] / "build"


def line(what, value, unit, limit):
    verdict = "ok" if value <= limit else "MISSED"
    print(f"{what:64} {value:8.3f} {unit:2}  limit {limit:5.2f}  {verdict}", flush=True)


def large():
    for dtype in ("float32", "float16"):
        case = Case(LARGE, dtype)
        for framework in [*ALL, AHEAD]:
            pair = case.contexts(framework)
            with torch.cuda.stream(case.stream):
                bare, engine = in_turns(pair, partial(device_ms, stream=case.stream, repeats=5))
            line(f"{LARGE} {dtype}, {framework}: engine / bare", engine / bare, "x", 1.02)


def small():
    case = Case(SMALL, "float32")
    for framework in [*ALL, AHEAD]:
        with torch.cuda.stream(case.stream):
            graphs = [graph_of(work, case.stream, COPIES) for work in case.contexts(framework)]
            replay = [graph.replay for graph in graphs]
            bare, engine = in_turns(replay, partial(device_ms, stream=case.stream, repeats=5))
        line(f"{SMALL} graph, {framework}: engine / bare", engine / bare, "x", 1.02)
    for framework in [*ALL, AHEAD]:
        host_of(framework)


def host_of(framework):
    """Measures in several processes, because memory placement shifts all times of a process."""
    command = [sys.executable, Path(__file__).with_name("host.py"), framework]
    runs = [json.loads(output_of(*command)) for _ in range(PROCESSES)]
    bare, from_c, engine, difference = map(statistics.median, zip(*runs, strict=True))
    line(f"{SMALL} host, {framework}: engine - bare", difference, "us", 1.0)
    least, most = min(run[-1] for run in runs), max(run[-1] for run in runs)
    print(
        f"    {least:.2f} to {most:.2f} us by process; "
        f"bare {bare:.2f} us, through a C function {from_c:.2f} us, engine {engine:.2f} us"
    )


def python_call():
    """Measures an empty plugin: the time is the engine's own cost."""
    case = Case(SMALL, "float32")
    pair = case.contexts(EMPTY)
    for name, current in (("the engine's stream is current", case.stream), ("it is not", None)):
        with torch.cuda.stream(current):
            *_, difference = added(pair, partial(host_us, stream=case.stream), HOST_ROUNDS)
        line(f"empty Python plugin, {name}: engine - bare", difference, "us", 1.0)


def built(name):
    """A file of the build; None if it does not exist."""
    return next((path for path in BUILD.rglob(name) if path.is_file()), None)


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def cpp():
    """Measures a C++ plugin of the examples, in a program without Python."""
    library = built("libcirc_pad_v3_cuda.so")
    if library is None:
        print("C++ plugin: not measured, the examples were built without nvcc")
        return
    for text in output_of(built("gpu_cpp_plugin"), library).splitlines():
        what, engine, bare = text.split()
        engine, bare = float(engine), float(bare)
        if what == "host":
            print(f"    enqueueV3 {engine:.2f} us, the plugin's enqueue {bare:.2f} us")
            line(f"{SMALL} host, C++: engine - bare", engine - bare, "us", 1.0)
        else:
            case = f"{SMALL} graph" if what == "graph" else f"{LARGE} {what}"
            line(f"{case}, C++: engine / bare", engine / bare, "x", 1.02)


def host_time():
    plan = compiled_plan(SMALL, "float32")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pad.plan").write_bytes(bytes(plan))
        code = source.cubin(np.dtype("float32"), source.architecture())
        (Path(folder) / "pad.cubin").write_bytes(code)
        numbers = [str(number) for number in source.numbers_of(SMALL)]
        arguments = [f"{folder}/pad.plan", f"{folder}/pad.cubin", source.NAME, *numbers]
        text = output_of(built("gpu_host_time"), *arguments)
    engine, bare, added = map(float, text.split())
    print(f"    enqueueV3 {engine:.2f} us, cuLaunchKernel {bare:.2f} us")
    line("C++ host time, one ahead-of-time kernel: engine - bare", added, "us", 0.3)
    case = Case(SMALL, "float32")
    _, run = case.contexts(AHEAD)
    (from_python,) = in_turns((run,), partial(host_us, stream=case.stream), HOST_ROUNDS)
    line("Python host time of the same: engine - bare C++", from_python - bare, "us", 1.0)


def build_time():
    compiled_plan(SMALL, "float32")  # compiles the kernel, which is not measured
    times = []
    for _ in range(5):
        start = time.perf_counter()
        compiled_plan(SMALL, "float32")
        times.append((time.perf_counter() - start) * 1e3)
    line("building an engine of one ahead-of-time plugin", sorted(times)[2], "ms", 50)


def main():
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    parts = {
        part.__name__: part for part in (host_time, build_time, python_call, cpp, small, large)
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
