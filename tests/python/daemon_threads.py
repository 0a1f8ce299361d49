# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A program whose daemon threads use Kiln while it ends. Argument: what they do.

Prints "leaving" as its last line. Each thread loops forever; the main thread ends in between.
"""

import random
import sys
import threading
import time

import numpy as np
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array

STARTED = threading.Semaphore(0)


class Quiet(trt.ILogger):
    """A logger in Python that gets messages from all threads."""

    def __init__(self):
        trt.ILogger.__init__(self)
        self.lines = 0

    def log(self, severity, text):
        self.lines += sum(1 for _ in text)


class Allocator(trt.IGpuAllocator):
    """Allocates memory with NumPy."""

    def __init__(self):
        trt.IGpuAllocator.__init__(self)
        self.blocks = {}

    def allocate(self, size, alignment, flags):
        block = np.zeros(size + alignment, np.uint8)
        address = -(-block.ctypes.data // alignment) * alignment
        self.blocks[address] = block
        return address

    def deallocate(self, address):
        return self.blocks.pop(address, None) is not None


class Output(trt.IOutputAllocator):
    """Memory for one output."""

    def __init__(self):
        trt.IOutputAllocator.__init__(self)
        self.memory = np.zeros(1 << 16, np.uint8)

    def reallocate_output_async(self, name, memory, size, alignment, stream):
        return self.memory.ctypes.data

    def notify_shape(self, name, shape):
        self.shape = tuple(shape)


class Monitor(trt.IProgressMonitor):
    """Callbacks that take some time."""

    def phase_start(self, phase_name, parent_phase, num_steps):
        time.sleep(0)

    def step_complete(self, phase_name, step):
        return sum(range(200)) > 0

    def phase_finish(self, phase_name):
        time.sleep(0)


def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
    time.sleep(0.0005)  # releases the GIL
    array(outputs[0], output_desc[0])[...] = array(inputs[0], input_desc[0]) + sum(range(50))


def network(logger, plugin=None):
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (64,))
    if plugin is None:
        layer = definition.network.add_unary(x, trt.UnaryOperation.EXP)
        definition.output(layer.get_output(0), "y")
    else:
        definition.output(definition.plugin(plugin, [x])[0], "y")
    return definition


def run_plugin(logger):
    plugin = Lab(enqueue=enqueue)
    engine = Engine(logger, network(logger, plugin).build(), plugin)
    x, y = np.ones(64, np.float32), np.ones(64, np.float32)
    while True:
        STARTED.release()
        engine.run({"x": x}, {"y": y})


def run_layers(logger):
    runtime = trt.Runtime(logger)
    engine = runtime.deserialize_cuda_engine(network(logger).build())
    context = engine.create_execution_context()
    x, y = np.ones(64, np.float32), np.ones(64, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    while True:
        STARTED.release()
        context.execute_async_v3(0)


def build(logger):
    while True:
        STARTED.release()
        definition = network(logger, Lab(enqueue=enqueue))
        definition.config.progress_monitor = Monitor()
        definition.build()


def allocate(logger):
    runtime = trt.Runtime(logger)
    runtime.gpu_allocator = Allocator()
    engine = runtime.deserialize_cuda_engine(network(logger).build())
    output, x = Output(), np.ones(64, np.float32)
    while True:
        STARTED.release()
        context = engine.create_execution_context()
        context.set_tensor_address("x", x.ctypes.data)
        context.set_output_allocator("y", output)
        context.execute_async_v3(0)


def fail(logger):
    """Makes calls that fail, so that the logger is called."""
    runtime = trt.Runtime(logger)
    while True:
        STARTED.release()
        runtime.deserialize_cuda_engine(b"no plan")


if __name__ == "__main__":
    for _ in range(3):
        work = globals()[sys.argv[1]]
        threading.Thread(target=work, args=[Quiet()], daemon=True).start()
    for _ in range(9):
        STARTED.acquire()
    time.sleep(random.random() * 0.02)
    print("leaving", flush=True)
