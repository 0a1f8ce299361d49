# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a small engine; test_nvtx.py records its ranges.

Arguments: verbosity of the engine, then those of its runs, each of which must be accepted unless it
ends with a minus.
"""

import sys
from pathlib import Path

import numpy as np
import tensorrt as trt

sys.path.insert(0, str(Path(__file__).parents[1]))

import device_memory
from list_logger import ListLogger

V = trt.ProfilingVerbosity


def main(built, *runs):
    logger = ListLogger()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (2, 3))
    softmax = network.add_softmax(x)
    softmax.name = "soft"
    loop = network.add_loop()
    count = network.add_constant((), np.array(2, np.int32))
    limit = loop.add_trip_limit(count.get_output(0), trt.TripLimit.COUNT)
    state = loop.add_recurrence(softmax.get_output(0))
    again = network.add_softmax(state.get_output(0))
    again.name = "again"
    state.set_input(1, again.get_output(0))
    result = loop.add_loop_output(state.get_output(0), trt.LoopOutput.LAST_VALUE)
    for layer, name in ((count, "count"), (limit, "limit"), (state, "state"), (result, "result")):
        layer.name = name
    network.mark_output(result.get_output(0))
    config = builder.create_builder_config()
    config.profiling_verbosity = getattr(V, built)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    assert context.nvtx_verbosity == getattr(V, built)
    memory = device_memory.for_target()
    arrays = [memory.DeviceArray(np.ones((2, 3), np.float32)) for _ in range(2)]
    stream = memory.Stream()
    for i, array in enumerate(arrays):
        context.set_tensor_address(engine.get_tensor_name(i), array.ptr)
    for run in runs:
        wanted = getattr(V, run.rstrip("-"))
        context.nvtx_verbosity = wanted
        assert (context.nvtx_verbosity == wanted) != run.endswith("-")
        assert run.endswith("-") == ("NVTX verbosity: expected at most" in logger.errors())
        logger.messages.clear()
        assert context.execute_async_v3(stream.handle), logger.errors()
        stream.synchronize()


main(*sys.argv[1:])
