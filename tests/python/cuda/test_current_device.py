# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of Kiln do not change the caller's current GPU."""

import ctypes
import gc
import threading

import kiln
import numpy as np
import pytest
import tensorrt as trt
from cudalab import class_based
from device_memory import call
from oplab import Net

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def current():
    context = ctypes.c_void_p()
    call("cuCtxGetCurrent", ctypes.byref(context))
    return context.value


@pytest.fixture
def elsewhere():
    """Returns a function that makes a context current that no engine has: of the second GPU, or a
    second one. It returns the context."""
    kiln.DeviceArray(X)  # makes the first GPU current
    count, before, other = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuDeviceGetCount", ctypes.byref(count))
    call("cuCtxGetCurrent", ctypes.byref(before))
    if count.value > 1:
        call("cuDevicePrimaryCtxRetain", ctypes.byref(other), ctypes.c_int(1))
    else:
        call("cuCtxCreate_v2", ctypes.byref(other), ctypes.c_uint(0), ctypes.c_int(0))
        call("cuCtxSetCurrent", before)  # a new context is current

    def leave():
        call("cuCtxSetCurrent", other)
        return other.value

    yield leave
    call("cuCtxSetCurrent", before)


def test_every_entry_puts_it_back(logger, elsewhere):
    seen = []
    here = current()

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        seen.append(current())  # the context of the engine's GPU

    def step(what):
        assert current() == other, what

    net = Net(logger)
    x = net.input("x", X.shape, trt.float32)
    layer = net.network.add_unary(x, trt.UnaryOperation.EXP)
    net.output(layer.get_output(0), "y")
    opened = net.engine()
    runner = class_based(logger, enqueue)
    assert current() == here
    seen.clear()
    other = elsewhere()
    context = opened.engine.create_execution_context()
    step("create_execution_context")
    memory = kiln.DeviceArray(X, engine=opened.engine)
    result = kiln.DeviceArray.empty(X.shape, np.float32, engine=opened.engine)
    step("DeviceArray")
    assert context.set_tensor_address("x", memory.ptr)
    assert context.set_tensor_address("y", result.ptr)
    step("set_tensor_address")
    assert context.execute_async_v3(0)
    step("execute_async_v3")
    assert context.execute_v2([memory.ptr, result.ptr])
    step("execute_v2")
    np.testing.assert_allclose(result.numpy(), np.exp(X), rtol=1e-5)
    step("numpy")
    assert runner.context.set_tensor_address("x", memory.ptr)
    assert runner.context.set_tensor_address("y", result.ptr)
    assert runner.context.execute_async_v3(0)
    step("plugin run")
    assert seen == [here]
    again = Net(logger)
    again.output(
        again.network.add_identity(again.input("x", X.shape, trt.float32)).get_output(0), "y"
    )
    assert again.engine().engine is not None
    step("built and opened")
    del context, opened, net, memory, result, runner
    gc.collect()
    step("destruction")


def test_a_thread_without_a_context_gets_one(logger):
    """The context is that of GPU 0, as with CUDA's runtime."""
    seen = []

    def work():
        seen.append(current())
        kiln.DeviceArray(X)
        seen.append(current())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[0] is None
    assert seen[1] is not None
