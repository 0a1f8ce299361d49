# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Times a run with one process on the machine, and with two at the same time.

Both processes use all cores, so with twice the work a run takes at least twice the time. The same
engine with one thread per process is measured for comparison. The parent alternates the
configurations and prints medians, 90th and 99th percentiles, and ratios.
"""

import json
import os
import subprocess
import sys
import time

ROUNDS = 5
SECONDS = 1.0
LAYERS = 6
CHANNELS = 32
SIDE = 28


def make_context():
    """A chain of convolutions that takes about a millisecond, with its addresses bound."""
    import numpy as np
    import tensorrt as trt

    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    rng = np.random.default_rng(0)
    x = network.add_input("x", trt.float32, (1, CHANNELS, SIDE, SIDE))
    for _ in range(LAYERS):
        kernel = rng.standard_normal((CHANNELS, CHANNELS, 3, 3), np.float32) * 0.05
        layer = network.add_convolution_nd(x, CHANNELS, (3, 3), kernel)
        layer.padding_nd = (1, 1)
        x = layer.get_output(0)
    x.name = "y"
    network.mark_output(x)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    arrays = {name: np.ones((1, CHANNELS, SIDE, SIDE), np.float32) for name in ("x", "y")}
    for name, array in arrays.items():
        context.set_tensor_address(name, array.ctypes.data)
    return context, arrays, engine


def work():
    """The child process: prints "ready", waits for a line, runs, prints its times in us."""
    context, *kept = make_context()
    context.execute_async_v3(0)
    print("ready", flush=True)
    sys.stdin.readline()
    times = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        context.execute_async_v3(0)
        times.append((time.perf_counter() - start) * 1e6)
    print(json.dumps(times))
    del kept


def measure(processes, threads):
    """Returns the times of all runs of several processes that start together."""
    environment = {**os.environ, "KILN_TARGET": "cpu"}
    if threads:
        environment["KILN_NUM_THREADS"] = str(threads)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, __file__, "work"]
    started = [subprocess.Popen(command, env=environment, **pipes) for _ in range(processes)]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    return [t for process in started for t in json.loads(process.communicate()[0])]


def percentile(times, share):
    """The time that `share` of the runs do not exceed."""
    return sorted(times)[int(share * (len(times) - 1))]


def main():
    ways = {
        ("all cores", 1): 0,
        ("all cores", 2): 0,
        ("one thread", 1): 1,
        ("one thread", 2): 1,
    }
    times = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, threads in ways.items():
            times[way] += measure(way[1], threads)
    print(f"{os.cpu_count()} cores; us a run: median, 90 %, 99 %")
    for (name, processes), all_times in times.items():
        numbers = "  ".join(f"{percentile(all_times, share):8.0f}" for share in (0.5, 0.9, 0.99))
        print(f"{name:10}  {processes} process{'es' if processes > 1 else '  '}  {numbers}")
    for name in ("all cores", "one thread"):
        ratios = [
            percentile(times[name, 2], share) / percentile(times[name, 1], share)
            for share in (0.5, 0.9)
        ]
        print(f"two processes over one, {name}: median {ratios[0]:.2f}, 90 % {ratios[1]:.2f}")


if __name__ == "__main__":
    work() if sys.argv[1:] == ["work"] else main()
