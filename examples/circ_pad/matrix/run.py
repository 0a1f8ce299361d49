# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a plan over all images."""

import statistics
import time
from typing import Any

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt

from . import data

TIMED_RUNS = 20


def open_plan(plan: bytes, logger: trt.ILogger) -> trt.ICudaEngine:
    """Returns the engine of a plan, which may contain machine code."""
    runtime = trt.Runtime(logger)
    runtime.engine_host_code_allowed = True
    engine = runtime.deserialize_cuda_engine(plan)
    if engine is None:
        raise RuntimeError("the plan was not opened; the log says why")
    return engine


def bind_batch(
    context: trt.IExecutionContext, images: npt.NDArray[Any], dtype: type[np.generic]
) -> tuple[kiln.DeviceArray, kiln.DeviceArray]:
    """Sets the input's shape and both addresses; returns x and y, which must outlive the run.

    Their memory is on the engine's target: the GPU, or the host for cpu.
    """
    x = kiln.DeviceArray(images, engine=context.engine)
    y = kiln.DeviceArray.empty((len(images), 10), dtype, engine=context.engine)
    if not context.set_input_shape("x", x.shape):
        raise RuntimeError(f"input shape {x.shape} was refused; the log says why")
    context.set_tensor_address("x", x)
    context.set_tensor_address("y", y)
    return x, y


def execute(context: trt.IExecutionContext, y: kiln.DeviceArray) -> None:
    """Runs once and waits for the result."""
    if not context.execute_async_v3(0):
        raise RuntimeError("the run failed; the log says why")
    y.synchronize()


def run_all(engine: trt.ICudaEngine) -> tuple[npt.NDArray[np.float32], float]:
    """Returns y [1797, 10] as float32, and the median time of a full batch in microseconds."""
    context = engine.create_execution_context()
    dtype = trt.nptype(engine.get_tensor_dtype("y"))
    batches = data.batches(data.load_images("half" if dtype == np.float16 else "float"))
    results = []
    for batch in batches:
        arrays = bind_batch(context, batch, dtype)
        execute(context, arrays[1])
        results.append(arrays[1].numpy())
    arrays = bind_batch(context, batches[0], dtype)
    run_us = median_us(context, arrays[1])
    return np.concatenate(results).astype(np.float32), run_us


def median_us(context: trt.IExecutionContext, y: kiln.DeviceArray) -> float:
    """Times runs of the bound batch, in microseconds."""
    seconds = []
    for _ in range(TIMED_RUNS):
        start = time.perf_counter()
        execute(context, y)
        seconds.append(time.perf_counter() - start)
    return 1e6 * statistics.median(seconds)
