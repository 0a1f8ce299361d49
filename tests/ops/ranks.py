# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Several GPUs of one process, each with a thread, a plan's engine and a communicator of NCCL."""

import ctypes
import functools
import os
import threading

import device_memory
import kiln
import numpy as np
import pytest
import tensorrt as trt
from device_memory import call

on_gpu = pytest.mark.skipif(not device_memory.on_cuda(), reason="KILN_TARGET is not cuda")


@functools.cache
def communicators(ranks):
    """Those of the first GPUs, as capsules. Skips the test if there are not as many."""
    count = ctypes.c_int()
    if device_memory.available():
        pytest.skip(device_memory.available())
    call("cuDeviceGetCount", ctypes.byref(count))
    if count.value < ranks:
        pytest.skip(f"expected {ranks} GPUs, got {count.value}")
    try:
        nccl = ctypes.CDLL(os.environ.get("KILN_NCCL") or "libnccl.so.2")
    except OSError as problem:
        pytest.skip(str(problem))
    handles = (ctypes.c_void_p * ranks)()
    assert nccl.ncclCommInitAll(handles, ranks, (ctypes.c_int * ranks)(*range(ranks))) == 0
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    return [new(handle, None, None) for handle in handles]


def _run_one(rank, logger, plan, inputs, shape, communicator, barrier):
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(rank))
    call("cuCtxSetCurrent", context)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    own = engine.create_execution_context()
    assert own.set_communicator(communicator)
    arrays = {name: kiln.DeviceArray(value, engine=engine) for name, value in inputs.items()}
    for name, array in arrays.items():
        own.set_input_shape(name, inputs[name].shape)
        assert own.set_tensor_address(name, array.ptr)
    y = kiln.DeviceArray(np.zeros(shape, trt.nptype(engine.get_tensor_dtype("y"))), engine=engine)
    assert own.set_tensor_address("y", y.ptr)
    stream = device_memory.for_target().Stream()
    barrier.wait(30)
    assert own.execute_async_v3(stream.handle)
    stream.synchronize()
    return y.numpy()


def run(logger, plan, inputs, shape):
    """The output "y" of each rank, of this shape; inputs: for each rank, arrays by name."""
    ranks = len(inputs)
    results, problems = [None] * ranks, []
    barrier = threading.Barrier(ranks)
    capsules = communicators(ranks)

    def work(rank):
        try:
            results[rank] = _run_one(
                rank, logger, plan, inputs[rank], shape, capsules[rank], barrier
            )
        except Exception as problem:
            problems.append(problem)
            barrier.abort()

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not problems, (problems, logger.errors)
    return results
