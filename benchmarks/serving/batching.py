# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Times models of kiln.serve against their engines alone: one client, and many at a time.

For each model the engine alone, one client and many take turns, several times; the medians of the
turns are printed, with the ratios. No server and no socket: what is measured is the batcher.

    python benchmarks/serving/batching.py [digits] [resnet50]
"""

import asyncio
import statistics
import sys
import time
from pathlib import Path

import kiln
import numpy as np
from kiln.serve.config import Batching, ModelConfig
from kiln.serve.model import Model
from kiln.serve.request import InferRequest

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 7
SECONDS = 0.7
ON_CPU = kiln.default_target() == "cpu"
CLIENTS = 64 if ON_CPU else 256  # a GPU has two workers, which both need full batches


def built(define, sizes):
    """A plan whose batch has these sizes (low, best, high)."""
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network = builder.create_network()
    define(network)
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    x = network.get_input(0)
    profile.set_shape(x.name, *((size, *tuple(x.shape)[1:]) for size in sizes))
    config.add_optimization_profile(profile)
    return bytes(builder.build_serialized_network(network, config))


def digits(network):
    """The digits model of examples/digits, with standard layers."""
    parser = kiln.OnnxParser(network, kiln.Logger(kiln.Logger.ERROR))
    assert parser.parse_from_file(str(ROOT / "examples" / "digits" / "models" / "reference.onnx"))


def resnet50(network):
    """ResNet-50 with random weights."""
    rng = np.random.default_rng(0)

    def convolution(x, maps, size, stride=1):
        channels = x.shape[1]
        kernel = rng.standard_normal((maps, channels, size, size), np.float32)
        kernel *= (channels * size * size) ** -0.5
        layer = network.add_convolution_nd(x, maps, (size, size), kernel)
        layer.stride_nd, layer.padding_nd = (stride, stride), (size // 2, size // 2)
        return layer.get_output(0)

    def relu(x):
        return network.add_activation(x, kiln.ActivationType.RELU).get_output(0)

    x = network.add_input("x", kiln.float32, (-1, 3, 224, 224))
    x = relu(convolution(x, 64, 7, 2))
    pool = network.add_pooling_nd(x, kiln.PoolingType.MAX, (3, 3))
    pool.stride_nd, pool.padding_nd = (2, 2), (1, 1)
    x = pool.get_output(0)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        maps = 64 << stage
        for block in range(blocks):
            stride = 2 if block == 0 and stage > 0 else 1
            y = relu(convolution(x, maps, 1))
            y = convolution(relu(convolution(y, maps, 3, stride)), 4 * maps, 1)
            x = convolution(x, 4 * maps, 1, stride) if block == 0 else x
            x = relu(network.add_elementwise(x, y, kiln.ElementWiseOperation.SUM).get_output(0))
    mean = network.add_reduce(x, kiln.ReduceOperation.AVG, 12, False).get_output(0)
    weights = network.add_constant((2048, 1000), rng.standard_normal((2048, 1000), np.float32))
    none = kiln.MatrixOperation.NONE
    y = network.add_matrix_multiply(mean, none, weights.get_output(0), none).get_output(0)
    y.name = "y"
    network.mark_output(y)


# The network, the sizes of the batch, and how many rows a request of the many clients has. One row
# of the digits takes the engine less time than a request takes Python.
CASES = {
    "digits": (digits, (1, 64, 64), (1, 16)),
    "resnet50": (resnet50, (1, 8, 8) if ON_CPU else (1, 64, 64), (1,)),
}


class Alone:
    """The engine without a server: a context that runs a batch again and again."""

    def __init__(self, model, rows):
        engine = model._opened.engine
        (spec,), (result,) = model.signature.inputs, model.signature.outputs
        self.rows, self.context = rows, engine.create_execution_context()
        self.x = kiln.DeviceArray.zeros((rows, *spec.shape[1:]), spec.dtype, engine=engine)
        self.y = kiln.DeviceArray.zeros((rows, *result.shape[1:]), result.dtype, engine=engine)
        self.context.set_input_shape(spec.name, self.x.shape)
        self.context.set_tensor_address(spec.name, self.x)
        self.context.set_tensor_address(result.name, self.y)

    def seconds(self):
        """Of one run, the mean of many."""
        runs, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < SECONDS:
            self.context.execute_async_v3(0)
            self.y.synchronize()
            runs += 1
        return passed / runs


async def clients(model, count, rows):
    """Rows in a second that so many clients get, each sending its next request after an answer."""
    (spec,) = model.signature.inputs
    x = np.zeros((rows, *spec.shape[1:]), np.float32)
    start, done, batches = time.perf_counter(), 0, []

    async def client():
        nonlocal done
        while time.perf_counter() - start < SECONDS:
            result = await model.infer(InferRequest({spec.name: x}))
            batches.append(result.batch)
            done += rows

    await asyncio.gather(*(client() for _ in range(count)))
    return done / (time.perf_counter() - start), statistics.mean(batches)


async def measure(name):
    define, sizes, requests = CASES[name]
    model = await Model.open(ModelConfig(built(define, sizes), name=name, batching=Batching()))
    engines = [Alone(model, rows) for rows in (1, sizes[2])]
    print(f"{name} on {model.device}, batches up to {sizes[2]}")
    turns = {"engine 1": [], "engine": [], "one": []} | {rows: [] for rows in requests}
    for _ in range(ROUNDS):
        turns["engine 1"].append(engines[0].seconds())
        turns["one"].append(1 / (await clients(model, 1, 1))[0])
        for rows in requests:
            turns["engine"].append(sizes[2] / engines[1].seconds())
            turns[rows].append(await clients(model, CLIENTS, rows))
    own = statistics.median(turns["engine 1"])
    added = statistics.median(b - a for a, b in zip(turns["engine 1"], turns["one"], strict=True))
    print(f"  one row: engine {own * 1e6:.1f} us, a lone request {added * 1e6:+.1f} us")
    best = statistics.median(turns["engine"])
    print(f"  engine, {sizes[2]} rows at a time: {best:.0f} rows/s")
    for place, rows in enumerate(requests):
        own = turns["engine"][place :: len(requests)]
        ratio = statistics.median(b[0] / a for a, b in zip(own, turns[rows], strict=True))
        rate = statistics.median(turn[0] for turn in turns[rows])
        batch = statistics.median(turn[1] for turn in turns[rows])
        print(
            f"  {CLIENTS} clients, requests of {rows} row(s): {rate:.0f} rows/s in batches of "
            f"{batch:.1f}: {100 * ratio:.0f} % of the engine"
        )
    await model.close()


if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        asyncio.run(measure(case))
