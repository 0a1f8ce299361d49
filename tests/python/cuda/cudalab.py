# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Engines with one plugin on the target cuda, and programs in their own processes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import tensorrt as trt
import tensorrt.plugin as trtp
from device_memory import DeviceArray, Stream
from oplab import Net, define, op_of
from plugin_lab import Definition, Lab
from plugin_lab import Engine as LabEngine

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"


def like(x: trtp.TensorDesc) -> trtp.TensorDesc:
    """Describes one output that is like the input."""
    return x.like()


class Runner:
    """A context with device memory for its inputs and outputs."""

    def __init__(self, engine, context):
        self.engine, self.context = engine, context
        self.arrays = {}

    def bind(self, **arrays):
        """Binds copies of the inputs, which are NumPy arrays, and memory for all outputs."""
        for name, array in arrays.items():
            assert self.context.set_input_shape(name, array.shape)
            self.arrays[name] = DeviceArray(array)
        for index in range(self.engine.num_io_tensors):
            name = self.engine.get_tensor_name(index)
            if self.engine.get_tensor_mode(name) == trt.TensorIOMode.OUTPUT:
                dtype = np.dtype(trt.nptype(self.engine.get_tensor_dtype(name)))
                self.arrays[name] = DeviceArray(tuple(self.context.get_tensor_shape(name)), dtype)
        for name, array in self.arrays.items():
            assert self.context.set_tensor_address(name, array.ptr)
        return self

    def run(self, stream=None):
        """Runs once and waits. Returns whether the run was accepted."""
        stream = stream or Stream()
        well = self.context.execute_async_v3(stream.handle)
        if well:
            stream.synchronize()
        return well

    def __call__(self, name="y"):
        """A copy of an output."""
        return self.arrays[name].numpy()


def decorated(logger, impl, *, shape=(2, 3), dtype=trt.float32, describe=None, **functions):
    """A Runner of one decorated op y = op(x); impl(x, outputs, stream)."""
    net = Net(logger)
    x = net.input("x", shape, dtype)
    outputs = net.add(op_of(define(describe or like, impl, **functions))(x))
    net.output(outputs[0], "y")
    opened = net.engine()
    runner = Runner(opened.engine, opened.context)
    runner.kept = opened
    return runner


def class_based(logger, enqueue, *, shape=(2, 3), dtype=trt.float32, name="lab", **parts):
    """A Runner of one V3 plugin; enqueue(plugin, input_desc, output_desc, inputs, outputs, ...)."""
    plugin = Lab(enqueue=enqueue, **parts)
    definition = Definition(logger)
    y, *_ = definition.plugin(plugin, [definition.input("x", dtype, shape)], name=name)
    definition.output(y, "y")
    opened = LabEngine(logger, definition.build(), plugin)
    assert opened.context is not None, logger.errors()
    runner = Runner(opened.engine, opened.context)
    runner.kept = opened
    return runner


def run_program(name, *arguments, **environment):
    """Runs a file of this folder in its own process; returns its exit code and its output.

    The process finds the helpers of these tests, and the examples of circular padding.
    """
    folders = [HERE, HERE.parent, HERE.parent / "plugin", HERE.parents[1], EXAMPLES / "circ_pad"]
    path = [environment.get("PYTHONPATH"), *map(str, folders), os.environ.get("PYTHONPATH")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    done = subprocess.run(
        [sys.executable, HERE / name, *map(str, arguments)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=200,
    )
    return done.returncode, done.stdout
