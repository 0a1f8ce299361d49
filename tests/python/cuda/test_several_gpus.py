# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Engines on two GPUs of one process. An engine uses the GPU that is current when it is opened."""

import ctypes
import gc
import threading
from contextlib import contextmanager

import kiln
import numpy as np
import pytest
import tensorrt as trt
from device_memory import call
from oplab import Net
from plugin_lab import Creator, Definition, Engine, Lab

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def current():
    context = ctypes.c_void_p()
    call("cuCtxGetCurrent", ctypes.byref(context))
    return context.value


@pytest.fixture
def gpus():
    """The contexts of two GPUs; none is current."""
    before = ctypes.c_void_p(current())
    count = ctypes.c_int()
    call("cuDeviceGetCount", ctypes.byref(count))
    if count.value < 2:
        pytest.skip("the machine has one GPU")
    contexts = [ctypes.c_void_p(), ctypes.c_void_p()]
    for number, context in enumerate(contexts):
        call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(number))
    call("cuCtxSetCurrent", None)
    yield [context.value for context in contexts]
    gc.collect()  # engines in cycles with plugins: freeing them later could end a capture
    call("cuCtxSetCurrent", before)


@contextmanager
def on(context):
    """Makes a context current, as cudaSetDevice() does."""
    before = ctypes.c_void_p(current())
    call("cuCtxSetCurrent", ctypes.c_void_p(context))
    try:
        yield
        assert current() == context
    finally:
        call("cuCtxSetCurrent", before)


def in_thread(work):
    """Runs work() in a thread that never chose a GPU, and returns its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


class Exponential:
    """An engine of y = exp(x) with a context and memory on the engine's GPU."""

    def __init__(self, logger):
        net = Net(logger)
        layer = net.network.add_unary(net.input("x", X.shape, trt.float32), trt.UnaryOperation.EXP)
        net.output(layer.get_output(0), "y")
        self.opened = net.engine()
        engine = self.opened.engine
        self.x = kiln.DeviceArray(X, engine=engine)
        self.y = kiln.DeviceArray.empty(X.shape, np.float32, engine=engine)
        self.context = engine.create_execution_context()
        assert self.context.set_tensor_address("x", self.x.ptr)
        assert self.context.set_tensor_address("y", self.y.ptr)

    def run(self):
        self.y.set(np.zeros_like(X))
        assert self.context.execute_v2([self.x.ptr, self.y.ptr])
        return self.y.numpy()


class Noting:
    """A plan of one plugin that notes the context in which it runs."""

    def __init__(self, logger):
        self.seen = []
        self.logger = logger
        self.plugin = Lab(enqueue=lambda *_: self.seen.append(current()))
        definition = Definition(logger)
        y, *_ = definition.plugin(self.plugin, [definition.input("x", trt.float32, X.shape)])
        definition.output(y, "y")
        self.plan = definition.build()
        self.seen.clear()

    def open(self, runtime):
        registry, creator = trt.get_plugin_registry(), Creator(self.plugin)
        assert registry.register_creator(creator, "")
        try:
            return runtime.deserialize_cuda_engine(self.plan)
        finally:
            assert registry.deregister_creator(creator)

    def where(self, engine):
        """The context in which the plugin of an engine runs."""
        context = engine.create_execution_context()
        x = kiln.DeviceArray(X, engine=engine)
        y = kiln.DeviceArray.empty(X.shape, np.float32, engine=engine)
        assert context.execute_v2([x.ptr, y.ptr]), self.logger.errors()
        return self.seen.pop()


def test_each_engine_runs_on_its_own(logger, gpus):
    engines = []
    for gpu in gpus:
        with on(gpu):
            engines.append(Exponential(logger))
    for gpu in gpus:
        with on(gpu):
            for engine in [*engines, *reversed(engines)]:
                np.testing.assert_allclose(engine.run(), np.exp(X), rtol=1e-5)
    for engine in engines:
        np.testing.assert_allclose(in_thread(engine.run), np.exp(X), rtol=1e-5)


def test_one_runtime_opens_engines_on_both(logger, gpus):
    with on(gpus[0]):
        noting = Noting(logger)
        runtime = trt.Runtime(logger)
        first = noting.open(runtime)
    with on(gpus[1]):
        second = noting.open(runtime)
    assert noting.where(first) == gpus[0]
    assert noting.where(second) == gpus[1]
    with on(gpus[0]):
        assert noting.where(second) == gpus[1]


def test_a_thread_without_a_gpu_uses_that_of_the_runtime(logger, gpus):
    with on(gpus[1]):
        noting = Noting(logger)
        runtime = trt.Runtime(logger)
    engine = in_thread(lambda: noting.open(runtime))
    assert noting.where(engine) == gpus[1]


def test_the_builder_uses_the_current_one_too(logger, gpus):
    for gpu in gpus:
        seen = []
        with on(gpu):
            plugin = Lab(
                enqueue=lambda *_, seen=seen: seen.append(current()),
                get_valid_tactics=lambda *_: [1, 2],
            )
            definition = Definition(logger)
            y, *_ = definition.plugin(plugin, [definition.input("x", trt.float32, X.shape)])
            definition.output(y, "y")
            assert Engine(logger, definition.build(), plugin).engine is not None
        assert set(seen) == {gpu}
