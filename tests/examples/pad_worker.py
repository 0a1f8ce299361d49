# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Pads random tensors with one plugin form in its own process, and compares with np.pad.

python pad_worker.py PLUGIN MODEL RESULT.json

Each case is an engine of one plugin layer. RESULT maps "DTYPE/DIMENSIONS" to the number of
elements that differ. Padding only moves values, so that number must be 0.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorrt as trt
from matrix.forms import load_plugin
from matrix.network import add_padding
from matrix.run import open_plan

SHAPE = (2, 3, 4, 5, 6)
PADS = [1, 2, 0, 3, 4, 1, 7, 0]  # last dimension first; 4 and 7 wrap more than once
DTYPES = {"float": (trt.float32, np.float32), "half": (trt.float16, np.float16)}


def build(model, pads, dtype, logger):
    builder = trt.Builder(logger)
    strong = trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED
    network = builder.create_network(1 << int(strong))
    x = network.add_input("x", dtype, SHAPE)
    network.mark_output(add_padding(network, x, model, pads))
    return builder.build_serialized_network(network, builder.create_builder_config())


def count_differences(model, dimensions, dtype_name, logger):
    dtype, numpy_dtype = DTYPES[dtype_name]
    pads = PADS[: 2 * dimensions]
    x = np.random.default_rng(dimensions).normal(size=SHAPE).astype(numpy_dtype)
    pairs = [(pads[2 * i], pads[2 * i + 1]) for i in reversed(range(dimensions))]
    expected = np.pad(x, [(0, 0)] * (x.ndim - dimensions) + pairs, mode="wrap")

    engine = open_plan(build(model, pads, dtype, logger), logger)
    y = np.full_like(expected, np.nan)
    if not engine.create_execution_context().execute_v2([x.ctypes.data, y.ctypes.data]):
        raise RuntimeError("the run failed")
    return int((y != expected).sum())


def main(plugin, model, result):
    logger = trt.Logger(trt.Logger.WARNING)
    load_plugin(plugin)
    counts = {
        f"{dtype}/{dimensions}": count_differences(model, dimensions, dtype, logger)
        for dtype in DTYPES
        for dimensions in range(1, 5)
    }
    Path(result).write_text(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
