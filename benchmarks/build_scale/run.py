# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""How builds grow: times for networks of many layers, memory for large weights; see README.md."""

import argparse
import os
import subprocess
import sys
import time

import kiln as trt
import numpy as np

WIDTH = 16
MATRIX = 2048
COUNTS = (500, 1000, 2000, 4000)


def milliseconds(work):
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1e3, result


def append_layer(network, kind, number, x):
    if kind == "softmax":
        return network.add_softmax(x).get_output(0)
    if kind == "activation":
        return network.add_activation(x, trt.ActivationType.RELU).get_output(0)
    if number % 2:
        return network.add_softmax(x).get_output(0)
    matrix = network.add_constant((WIDTH, WIDTH), np.eye(WIDTH, dtype=np.float32)).get_output(0)
    plain = trt.MatrixOperation.NONE
    return network.add_matrix_multiply(x, plain, matrix, plain).get_output(0)


def chain(logger, kind, count):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    x = network.add_input("x", trt.float32, (-1, WIDTH))
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, WIDTH), (8, WIDTH), (64, WIDTH))
    config.add_optimization_profile(profile)
    for number in range(count):
        x = append_layer(network, kind, number, x)
    x.name = "y"
    network.mark_output(x)
    return builder, network, config


def reshape(context):
    """The cost of a run at a new shape over one at the same shape."""
    context.set_input_shape("x", (4, WIDTH))
    assert context.execute_async_v3(0)
    same, _ = milliseconds(lambda: context.execute_async_v3(0))
    context.set_input_shape("x", (8, WIDTH))
    return milliseconds(lambda: context.execute_async_v3(0))[0] - same


def measure_layers(kind):
    logger = trt.Logger(trt.Logger.ERROR)
    runtime = trt.Runtime(logger)
    for count in COUNTS:
        builder, network, config = chain(logger, kind, count)
        build, plan = milliseconds(lambda: builder.build_serialized_network(network, config))
        opened, contexts, reshapes = [], [], []
        for _ in range(5):
            open_ms, engine = milliseconds(lambda: runtime.deserialize_cuda_engine(plan))
            context_ms, context = milliseconds(engine.create_execution_context)
            x, y = np.ones((64, WIDTH), np.float32), np.empty((64, WIDTH), np.float32)
            context.set_tensor_address("x", x.ctypes.data)
            context.set_tensor_address("y", y.ctypes.data)
            opened.append(open_ms)
            contexts.append(context_ms)
            reshapes.append(reshape(context))
        print(
            f"{kind:12}{count:6}{build:10.1f}{min(opened):10.2f}{min(contexts):10.2f}"
            f"{min(reshapes):10.2f}",
            flush=True,
        )


def resident(field):
    """Megabytes of this process: VmRSS now, VmHWM at most."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024


def add_products(network, megabytes):
    """Products with matrices of NumPy; returns the arrays, which the build refers to."""
    x = network.add_input("x", trt.float32, (8, MATRIX))
    plain = trt.MatrixOperation.NONE
    generator = np.random.default_rng(0)
    arrays = []
    for _ in range(megabytes * 2**20 // (4 * MATRIX * MATRIX)):
        arrays.append(generator.random((MATRIX, MATRIX), dtype=np.float32))
        matrix = network.add_constant((MATRIX, MATRIX), arrays[-1]).get_output(0)
        x = network.add_matrix_multiply(x, plain, matrix, plain).get_output(0)
        x = network.add_activation(x, trt.ActivationType.RELU).get_output(0)
    network.mark_output(x)
    return arrays


def measure_memory(megabytes, flag):
    """Peak memory of a build over that of the weights, which count as one."""
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    if flag != "float":
        config.set_flag(getattr(trt.BuilderFlag, flag))
    before = resident("VmRSS")
    arrays = add_products(network, megabytes)
    build, plan = milliseconds(lambda: builder.build_serialized_network(network, config))
    assert plan is not None and arrays
    factor = (resident("VmHWM") - before) / megabytes
    print(f"{megabytes:8} MB {flag:8}{build:10.0f} ms{factor:10.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument("--memory", metavar="FLAG", help="only this, in this process")
    arguments = parser.parse_args()
    os.environ.setdefault("KILN_NUM_THREADS", "2")
    if arguments.memory:
        measure_memory(arguments.megabytes, arguments.memory)
        return
    print("layers       count  build ms   open ms context ms reshape ms")
    for kind in ("activation", "softmax", "product"):
        measure_layers(kind)
    print("weights, type, build, peak memory over weights")
    for flag in ("float", "BF16"):
        command = [sys.executable, __file__, "--megabytes", str(arguments.megabytes)]
        subprocess.run([*command, "--memory", flag], check=True)


if __name__ == "__main__":
    main()
