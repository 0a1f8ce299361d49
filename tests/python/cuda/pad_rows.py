# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One framework in its own process: the examples' circular padding in each style.

pad_rows.py MODULE [VERSION ...]: imports a file of examples/circ_pad. For each version of the
plugin and each type it builds an engine, runs it on a non-blocking stream, captures it into a
graph, and replays the graph on other values. Prints a line for each correct row.
"""

import importlib
import sys

import kiln
import numpy as np
import tensorrt as trt
from device_memory import DeviceArray, Stream
from list_logger import ListLogger
from matrix.network import add_padding

PADS = (1, 2, 3, 0)  # columns: 1 before and 2 after, rows: 3 before
SHAPES = ((2, 3, 5, 7), (4, 3, 6, 6))


def build(logger, model, dtype):
    """A plan for inputs of any shape up to 8 on a side."""
    builder = trt.Builder(logger)
    strong = trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED
    network = builder.create_network(1 << int(strong))
    x = network.add_input("x", dtype, (-1, -1, -1, -1))
    y = add_padding(network, x, model, PADS)
    y.name = "y"
    network.mark_output(y)
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 1, 3, 3), (2, 3, 5, 7), (8, 8, 8, 8))
    config = builder.create_builder_config()
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return plan


def check(model, dtype):
    """Runs one row."""
    logger = ListLogger()
    plan = build(logger, model, dtype)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    assert engine is not None, logger.errors()
    context, stream = engine.create_execution_context(), Stream()
    random = np.random.default_rng(1)

    def values(shape):
        x = random.random(shape, np.float32).astype(trt.nptype(dtype))
        return x, np.pad(x, ((0, 0), (0, 0), (3, 0), (1, 2)), mode="wrap")

    for shape in SHAPES:
        first, padded = values(shape)
        x, y = DeviceArray(first), DeviceArray(padded.shape, padded.dtype)
        assert context.set_input_shape("x", shape)
        context.set_tensor_address("x", x.ptr)
        context.set_tensor_address("y", y.ptr)
        for _ in range(2):
            assert context.execute_async_v3(stream.handle), logger.errors()
        stream.synchronize()
        np.testing.assert_array_equal(y.numpy(), padded)

    def record():
        assert context.execute_async_v3(stream.handle), logger.errors()

    graph = stream.capture(record)
    for _ in range(3):
        following, padded = values(shape)
        x.set(following)
        y.fill(0)
        graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(y.numpy(), padded)


def main():
    kiln.set_default_target("cuda")
    importlib.import_module(sys.argv[1])
    for model in sys.argv[2:]:
        for dtype in (trt.float32, trt.float16):
            check(model, dtype)
            print(f"right: {model} {dtype}", flush=True)


if __name__ == "__main__":
    main()
