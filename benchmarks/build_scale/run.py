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
MAPS = 512
WIDE = 768
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


def add_convolutions(network, megabytes):
    """Convolutions with a batch normalization, as scale and shift, behind each."""
    x = network.add_input("x", trt.float32, (1, MAPS, 4, 4))
    generator = np.random.default_rng(0)
    arrays = []
    for _ in range(megabytes * 2**20 // (4 * 9 * MAPS * MAPS)):
        arrays.append(generator.random((MAPS, MAPS, 3, 3), dtype=np.float32))
        layer = network.add_convolution_nd(x, MAPS, (3, 3), arrays[-1])
        layer.padding_nd = (1, 1)
        x = layer.get_output(0)
        for operation in (trt.ElementWiseOperation.PROD, trt.ElementWiseOperation.SUM):
            arrays.append(generator.random((1, MAPS, 1, 1), dtype=np.float32))
            factor = network.add_constant((1, MAPS, 1, 1), arrays[-1]).get_output(0)
            x = network.add_elementwise(x, factor, operation).get_output(0)
        x = network.add_activation(x, trt.ActivationType.RELU).get_output(0)
    network.mark_output(x)
    return arrays


def add_encoder(network, megabytes):
    """An embedding and layers as in BERT-base, but for softmax and normalization, with transposed
    weights as exporters write them."""
    generator = np.random.default_rng(0)
    arrays = []

    def constant(*shape):
        arrays.append(generator.random(shape, dtype=np.float32))
        return network.add_constant(shape, arrays[-1]).get_output(0)

    def product(x, inner, outer):
        shuffle = network.add_shuffle(constant(outer, inner))
        shuffle.first_transpose = (1, 0)
        plain = trt.MatrixOperation.NONE
        x = network.add_matrix_multiply(x, plain, shuffle.get_output(0), plain).get_output(0)
        return network.add_elementwise(
            x, constant(1, outer), trt.ElementWiseOperation.SUM
        ).get_output(0)

    ids = network.add_input("ids", trt.int32, (128,))
    x = network.add_gather(constant(30522, WIDE), ids, 0).get_output(0)
    layers = max(1, (megabytes * 2**20 - 4 * 30522 * WIDE) // (4 * 12 * WIDE * WIDE))
    for _ in range(layers):
        for _ in range(4):
            x = product(x, WIDE, WIDE)
        x = product(x, WIDE, 4 * WIDE)
        x = network.add_activation(x, trt.ActivationType.GELU_ERF).get_output(0)
        x = product(x, 4 * WIDE, WIDE)
    network.mark_output(x)
    return arrays


MODELS = {"products": add_products, "convolutions": add_convolutions, "encoder": add_encoder}


def measure_memory(megabytes, model, flag):
    """Peak memory of a build over that of the weights, which count as one."""
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    if flag != "float":
        config.set_flag(getattr(trt.BuilderFlag, flag))
    before = resident("VmRSS")
    arrays = MODELS[model](network, megabytes)
    build, plan = milliseconds(lambda: builder.build_serialized_network(network, config))
    assert plan is not None
    weights = sum(array.nbytes for array in arrays) / 2**20
    factor = (resident("VmHWM") - before) / weights
    print(f"{model:14}{weights:8.0f} MB {flag:8}{build:10.0f} ms{factor:10.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument(
        "--memory", nargs=2, metavar=("MODEL", "FLAG"), help="only this, in this process"
    )
    arguments = parser.parse_args()
    os.environ.setdefault("KILN_NUM_THREADS", "2")
    if arguments.memory:
        measure_memory(arguments.megabytes, *arguments.memory)
        return
    print("layers       count  build ms   open ms context ms reshape ms")
    for kind in ("activation", "softmax", "product"):
        measure_layers(kind)
    print("model, weights, type, build, peak memory over weights")
    for model in MODELS:
        for flag in ("float", "FP16", "BF16"):
            command = [sys.executable, __file__, "--megabytes", str(arguments.megabytes)]
            subprocess.run([*command, "--memory", model, flag], check=True)


if __name__ == "__main__":
    main()
