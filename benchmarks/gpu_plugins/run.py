# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What an engine adds to a plugin's kernel on a GPU, with the limit of each figure."""

import contextlib
import ctypes
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import source
import torch
from engines import SHAPES, PadPlugin, compiled_plan, context_of, plugin_plan
from frameworks import ALL, EMPTY, by_cuda_python, cupy_stream
from timing import added, device_ms, graph_of, host_us, in_turns

LARGE = (32, 64, 512, 512)
SMALL = (10, 3, 32, 32)
AHEAD = "ahead of time"
HOST_ROUNDS = 101
COPIES = 50  # runs in one graph of the small case
# What any library pays that is called from Python and calls a function in Python.
called_from_c = ctypes.pythonapi.PyObject_CallNoArgs
called_from_c.restype = ctypes.py_object
BUILD = Path(__file__).resolve().parents[2] / "build"


def line(what, value, unit, limit):
    verdict = "ok" if value <= limit else "MISSED"
    print(f"{what:64} {value:8.3f} {unit:2}  limit {limit:5.2f}  {verdict}", flush=True)


class Case:
    """Input, output and the reference for one shape and type."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = SHAPES.setdefault(shape, shape), np.dtype(dtype)
        kind = torch.float32 if self.dtype.itemsize == 4 else torch.float16
        self.x = torch.randn(shape, device="cuda").to(kind)
        self.y = torch.full(source.padded(shape), float("nan"), dtype=kind, device="cuda")
        self.stream = torch.cuda.Stream()
        torch.cuda.synchronize()

    def contexts(self, framework):
        """(bare work, the engine's work) of one way to launch.

        Bare is the method that the engine calls, called from here: what differs is the engine.
        """
        x, y, raw = self.x.data_ptr(), self.y.data_ptr(), self.stream.cuda_stream
        if framework == AHEAD:
            plan = compiled_plan(self.shape, self.dtype)
            bare = partial(by_cuda_python, x, y, self.shape, self.dtype, raw)
        else:
            plan = plugin_plan(framework, self.shape, self.dtype)
            plugin = PadPlugin(framework).clone()  # as the engine has one
            plugin.shape, plugin.dtype = self.shape, self.dtype
            bare = partial(plugin.enqueue, None, None, [x], [y], 0, raw)
        context = context_of(plan, x, y)
        engine = partial(context.execute_async_v3, raw)
        if framework != EMPTY:
            self.check(engine)
        return bare, engine

    def check(self, work):
        self.y.fill_(float("nan"))
        torch.cuda.synchronize()
        work()
        torch.cuda.synchronize()
        pads = (source.PAD,) * 4
        wanted = torch.nn.functional.pad(self.x, pads, mode="circular")
        assert torch.equal(self.y, wanted)


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
    raw = case.stream.cuda_stream
    for framework in [*ALL, AHEAD]:
        # On CuPy's stack: a `with` in the plugin would forget a stream that use() made current.
        current = cupy_stream(raw) if framework == "CuPy" else contextlib.nullcontext()
        with torch.cuda.stream(case.stream), current:
            small_by(framework, case)


def small_by(framework, case):
    pair = case.contexts(framework)
    graphs = [graph_of(work, case.stream, COPIES) for work in pair]
    replay = [graph.replay for graph in graphs]
    bare, engine = in_turns(replay, partial(device_ms, stream=case.stream, repeats=5))
    line(f"{SMALL} graph, {framework}: engine / bare", engine / bare, "x", 1.02)
    by_c = partial(called_from_c, ctypes.py_object(pair[0]))
    bare, from_c, engine, difference = added(
        (pair[0], by_c, pair[1]), partial(host_us, stream=case.stream), HOST_ROUNDS
    )
    line(f"{SMALL} host, {framework}: engine - bare", difference, "us", 1.0)
    print(f"    bare {bare:.2f} us, through a C function {from_c:.2f} us, engine {engine:.2f} us")


def python_call():
    """The plugin's function does nothing: what remains is the engine's own."""
    case = Case(SMALL, "float32")
    pair = case.contexts(EMPTY)
    for name, current in (("the engine's stream is current", case.stream), ("it is not", None)):
        with torch.cuda.stream(current):
            *_, difference = added(pair, partial(host_us, stream=case.stream), HOST_ROUNDS)
        line(f"empty Python plugin, {name}: engine - bare", difference, "us", 1.0)


def host_time():
    plan = compiled_plan(SMALL, "float32")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pad.plan").write_bytes(bytes(plan))
        code = source.cubin(np.dtype("float32"), source.architecture())
        (Path(folder) / "pad.cubin").write_bytes(code)
        program = next(path for path in BUILD.rglob("gpu_host_time") if path.is_file())
        numbers = [str(number) for number in source.numbers_of(SMALL)]
        arguments = [program, f"{folder}/pad.plan", f"{folder}/pad.cubin", source.NAME, *numbers]
        text = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    engine, bare, added = map(float, text.split())
    print(f"    enqueueV3 {engine:.2f} us, cuLaunchKernel {bare:.2f} us")
    line("C++ host time, one ahead-of-time kernel: engine - bare", added, "us", 0.3)
    case = Case(SMALL, "float32")
    _, run = case.contexts(AHEAD)
    (from_python,) = in_turns((run,), partial(host_us, stream=case.stream), HOST_ROUNDS)
    line("Python host time of the same: engine - bare C++", from_python - bare, "us", 1.0)


def build_time():
    compiled_plan(SMALL, "float32")  # the compiler of the kernel is not what is measured
    times = []
    for _ in range(5):
        start = time.perf_counter()
        compiled_plan(SMALL, "float32")
        times.append((time.perf_counter() - start) * 1e3)
    line("building an engine of one ahead-of-time plugin", sorted(times)[2], "ms", 50)


def main():
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    parts = {part.__name__: part for part in (host_time, build_time, python_call, small, large)}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
