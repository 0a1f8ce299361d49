# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Opening plans on a GPU in new processes, and what the time is spent on; see README.md."""

import argparse
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent


def build(name, batch, path):
    """Writes the plan of a model of gpu_models; runs in a process of its own."""
    sys.path.insert(0, str(FOLDER.parent / "gpu_models"))
    import run as models
    import tensorrt as trt

    make, _ = models.MODELS[name]
    module, _, example, _ = make(batch)
    builder = trt.Builder(models.LOGGER)
    plan, _, _ = models.built(builder, models.parsed(builder, module, example))
    pathlib.Path(path).write_bytes(plan)


def open_plan(path, rounds):
    """Opens the plan several times; prints what each time took, in milliseconds, as JSON."""
    import ctypes
    import time

    import kiln
    import tensorrt as trt

    texts = []

    class Logger(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)

        def log(self, severity, message):
            if "opened in" in message or "first run" in message:
                texts.append(message.split(" ms: ", 1)[1])

    driver = ctypes.CDLL("libcuda.so.1")

    def call(function, *arguments):
        if code := getattr(driver, function)(*arguments):
            raise SystemExit(f"{function}: error {code}")

    def memory(nbytes):
        address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(nbytes))
        call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(nbytes))
        return address.value

    clock = time.perf_counter
    at = clock()
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    memory(1)
    told = {"GPU": 1e3 * (clock() - at), "rounds": []}
    runtime = trt.Runtime(logger := Logger())
    for _ in range(rounds):
        times = [clock()]
        engine = kiln.open_engine(runtime, path)
        times.append(clock())
        execution = engine.create_execution_context()
        times.append(clock())
        for i in range(engine.num_io_tensors):
            tensor = engine.get_tensor_name(i)
            execution.set_tensor_address(
                tensor, memory(8 * max(1, trt.volume(engine.get_tensor_shape(tensor))))
            )
        times.append(clock())
        for _ in range(2):
            if not execution.execute_async_v3(0):
                raise SystemExit("the engine failed")
            call("cuCtxSynchronize")
            times.append(clock())
        spans = [1e3 * (b - a) for a, b in itertools.pairwise(times)]
        told["rounds"].append(
            {"open": spans[0], "context": spans[1], "first": spans[3], "second": spans[4]}
        )
        told["rounds"][-1]["parts"] = list(texts)
        texts.clear()
        del execution, engine
    del logger
    print(json.dumps(told))


def worker(*arguments):
    done = subprocess.run(
        [sys.executable, __file__, *map(str, arguments)], stdout=subprocess.PIPE, check=True
    )
    return done.stdout


def measure(name, batch, processes):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.plan"
        worker("--build", name, batch, path)
        megabytes = path.stat().st_size / 1e6
        tells = [json.loads(worker("--open", path, 3)) for _ in range(processes)]
    print(f"{name} batch {batch}, plan of {megabytes:.0f} MB; milliseconds, medians of processes:")
    print(f"  opening the GPU {statistics.median(tell['GPU'] for tell in tells):.1f}")
    for i, title in enumerate(("first engine", "second", "third")):
        rows = [tell["rounds"][i] for tell in tells]
        spans = ", ".join(
            f"{key} {statistics.median(row[key] for row in rows):.2f}"
            for key in ("open", "context", "first", "second")
        )
        print(f"  {title}: {spans}")
        for verb, part in zip(("open", "first run"), rows[-1]["parts"], strict=False):
            print(f"    {verb}: {part}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=["resnet50:1", "resnet50:32"])
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--build", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--open", nargs=2, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.build:
        build(wanted.build[0], int(wanted.build[1]), wanted.build[2])
    elif wanted.open:
        open_plan(wanted.open[0], int(wanted.open[1]))
    else:
        for model in wanted.models:
            name, _, batch = model.partition(":")
            measure(name, int(batch or 1), wanted.processes)


if __name__ == "__main__":
    main()
