# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""check_kiln.py FILE FOLDER: parses, builds and runs a model on the CPU; its memory and results.

A process without torch, so that its memory is that of Kiln. Prints a line of JSON.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

os.environ["KILN_TARGET"] = "cpu"
import kiln as trt


class Errors(trt.ILogger):
    def __init__(self):
        super().__init__()
        self.texts = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.texts.append(message)


class Late(trt.IOutputAllocator):
    """Memory for an output whose extents are known after the run."""

    def __init__(self):
        super().__init__()
        self.memory = np.empty(64, np.uint8)

    def reallocate_output_async(self, name, memory, size, alignment, stream):
        if self.memory.nbytes < size:
            self.memory = np.empty(size, np.uint8)
        return self.memory.ctypes.data

    def notify_shape(self, name, shape):
        self.shape = tuple(shape)

    def array(self, dtype):
        size = int(np.prod(self.shape)) * np.dtype(dtype).itemsize
        return self.memory[:size].view(dtype).reshape(self.shape)


def resident(field):
    """Bytes of this process: VmRSS now, VmHWM at most."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) << 10


def build(logger, file):
    """The plan, with the memory after parsing and after building, and the seconds of both."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    before = resident("VmRSS")
    start = time.perf_counter()
    parsed = trt.OnnxParser(network, logger).parse_from_file(file)
    after_parsing = resident("VmHWM") - before
    parse_ms = (time.perf_counter() - start) * 1e3
    plan = builder.build_serialized_network(network, config) if parsed else None
    if plan is None:
        return None, {"reason": "; ".join(logger.texts[:3])}
    return plan, {
        "parse_bytes": after_parsing,
        "build_bytes": resident("VmHWM") - before,
        "parse_ms": parse_ms,
        "build_ms": (time.perf_counter() - start) * 1e3,
    }


def run(logger, plan, folder, outputs):
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    held, late = {}, {}
    for name, (dtype, shape) in json.loads((folder / "inputs.json").read_text()).items():
        if engine.get_tensor_mode(name) != trt.TensorIOMode.INPUT:
            continue  # a model need not read all of its inputs
        held[name] = np.fromfile(folder / f"{name}.bin", dtype).reshape(shape)
        assert context.set_input_shape(name, shape)
    for name in outputs:
        shape = tuple(context.get_tensor_shape(name))
        dtype = trt.nptype(engine.get_tensor_dtype(name))
        if -1 in shape:
            late[name] = Late(), dtype
            context.set_output_allocator(name, late[name][0])
        else:
            held[name] = np.empty(shape, dtype)
    for name, array in held.items():
        assert context.set_tensor_address(name, array.ctypes.data)
    if not context.execute_async_v3(0):
        return None
    return [late[n][0].array(late[n][1]) if n in late else held[n] for n in outputs]


def main():
    file, folder = sys.argv[1], Path(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    logger = Errors()
    plan, facts = build(logger, file)
    if plan is not None:
        results = run(logger, plan, folder, json.loads((folder / "outputs.json").read_text()))
        if results is None:
            facts["reason"] = "; ".join(logger.texts[:3])
        else:
            np.savez(folder / "kiln.npz", *results)
    print(json.dumps(facts), file=answers)


if __name__ == "__main__":
    main()
