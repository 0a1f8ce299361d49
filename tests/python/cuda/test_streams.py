# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The current stream of frameworks while a plugin runs."""

from pathlib import Path

import emulated_gpu
import numpy as np
import pytest
from cudalab import class_based, decorated, run_program
from device_memory import Stream

X = np.arange(6, dtype=np.float32).reshape(2, 3)


LIBRARY = str(emulated_gpu.LIBRARY.parent / "stand_in" / "libtorch_cuda.so")


@pytest.mark.parametrize(
    "ways",
    [[], ["exported"], [LIBRARY], [LIBRARY, "failing"]],
    ids=["Python", "C of CuPy", "C of Torch", "C of Torch fails"],
)
def test_stand_ins(ways):
    """Both frameworks give their current stream to Python, and faster to C: CuPy by a function of
    its module, Torch by functions of its library. If those fail, the Python functions are used."""
    assert LIBRARY not in ways or Path(LIBRARY).exists(), "build the target kiln_tests"
    code, output = run_program("stand_in_frameworks.py", *ways)
    assert (code, output.splitlines()[-1:]) == (0, ["right"]), output


def runners(logger, look):
    """One decorated plugin and one class-based, each of which calls look(stream)."""

    def impl(x, outputs, stream):
        look(stream)

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        look(stream)

    return [decorated(logger, impl).bind(x=X), class_based(logger, enqueue).bind(x=X)]


def test_torch(logger, torch):
    seen = []
    for runner in runners(logger, lambda s: seen.append((s, torch.cuda.current_stream()))):
        outer = torch.cuda.Stream()
        for stream in (Stream(), Stream(non_blocking=False), torch.cuda.Stream()):
            handle = stream.handle if isinstance(stream, Stream) else stream.cuda_stream
            with torch.cuda.stream(outer):
                assert runner.context.execute_async_v3(handle)
                assert torch.cuda.current_stream() == outer
            assert seen[-1][0] == seen[-1][1].cuda_stream == handle
        assert runner.context.execute_async_v3(0)
        assert seen[-1][0] == seen[-1][1].cuda_stream != 0
        assert torch.cuda.current_stream() == torch.cuda.default_stream()


def test_cupy(logger, cupy):
    seen = []
    for runner in runners(logger, lambda s: seen.append((s, cupy.cuda.get_current_stream().ptr))):
        used = cupy.cuda.Stream(non_blocking=True)
        before = cupy.cuda.get_current_stream()
        used.use()
        try:
            for stream in (Stream(), Stream(non_blocking=False)):
                assert runner.context.execute_async_v3(stream.handle)
                assert seen[-1] == (stream.handle, stream.handle)
                assert cupy.cuda.get_current_stream() == used
            assert runner.context.execute_async_v3(0)
            assert seen[-1][0] == seen[-1][1] != 0
        finally:
            before.use()


def test_restored_after_an_exception(logger, torch):
    def fail(stream):
        raise ValueError("on purpose")

    def works(stream):
        pass

    turn = [works]
    for runner in runners(logger, lambda stream: turn[0](stream)):
        turn[0] = fail
        outer = torch.cuda.Stream()
        with torch.cuda.stream(outer):
            assert not runner.context.execute_async_v3(Stream().handle)
            assert torch.cuda.current_stream() == outer
        turn[0] = works
    assert "ValueError: on purpose" in logger.errors()


def test_order_without_a_word_about_streams(logger, torch):
    """The input is written late, on the engine's stream only; the plugin must wait for it."""

    def impl(x, outputs, stream):
        x = torch.as_tensor(x, device="cuda")
        torch.add(x, 1, out=torch.as_tensor(outputs[0], device="cuda"))

    shape = (1 << 20,)
    runner = decorated(logger, impl, shape=shape)
    x, y = torch.zeros(shape, device="cuda"), torch.zeros(shape, device="cuda")
    runner.context.set_tensor_address("x", x.data_ptr())
    runner.context.set_tensor_address("y", y.data_ptr())
    stream = torch.cuda.Stream()  # non-blocking: the default stream does not wait for it
    for value in range(1, 4):
        with torch.cuda.stream(stream):
            torch.cuda._sleep(20_000_000)  # some 10 ms
            x.fill_(value)
        assert runner.context.execute_async_v3(stream.cuda_stream)
        stream.synchronize()
        assert bool((y == value + 1).all())


def test_order_on_the_default_stream(logger, torch):
    """A plugin that wraps the stream that it is given; the input is late on the default stream."""

    def impl(x, outputs, stream):
        x, y = torch.as_tensor(x, device="cuda"), torch.as_tensor(outputs[0], device="cuda")
        with torch.cuda.stream(torch.cuda.ExternalStream(stream)):
            torch.cuda._sleep(20_000_000)  # some 10 ms
            torch.add(x, 1, out=y)

    shape = (1 << 20,)
    runner = decorated(logger, impl, shape=shape)
    x, y = torch.zeros(shape, device="cuda"), torch.zeros(shape, device="cuda")
    runner.context.set_tensor_address("x", x.data_ptr())
    runner.context.set_tensor_address("y", y.data_ptr())
    for value in range(1, 4):
        torch.cuda._sleep(20_000_000)
        x.fill_(value)
        assert runner.context.execute_async_v3(0)
        x.fill_(-1)  # after the plugin has read it
        torch.cuda.default_stream().synchronize()
        assert bool((y == value + 1).all())
    x.fill_(5)
    assert runner.context.execute_v2([x.data_ptr(), y.data_ptr()])
    assert bool((y == 6).all())


@pytest.mark.parametrize("kind", ["kernel", "elementwise"])
def test_order_with_cupy(logger, cupy, kind):
    double = cupy.RawKernel(
        'extern "C" __global__ void twice(const float* x, float* y, int n) {'
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }",
        "twice",
    )
    count = 1 << 20

    def impl(x, outputs, stream):
        x, y = cupy.asarray(x), cupy.asarray(outputs[0])
        if kind == "kernel":
            double((count // 256,), (256,), (x, y, np.int32(count)))
        else:
            cupy.multiply(x, 2, out=y)

    runner = decorated(logger, impl, shape=(count,))
    x, y = cupy.zeros(count, cupy.float32), cupy.zeros(count, cupy.float32)
    runner.context.set_tensor_address("x", x.data.ptr)
    runner.context.set_tensor_address("y", y.data.ptr)
    busy = cupy.RawKernel(
        'extern "C" __global__ void busy(long long ticks) {'
        "  long long end = clock64() + ticks; while (clock64() < end) {} }",
        "busy",
    )
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        busy((1,), (1,), (np.int64(20_000_000),))
        x.fill(5)
    assert runner.context.execute_async_v3(stream.ptr)
    stream.synchronize()
    assert bool((y == 10).all())


def test_triton_launches_there(logger, torch):
    triton = pytest.importorskip("triton")
    from triton_kernels import scale

    def impl(x, outputs, stream):
        x, y = torch.as_tensor(x, device="cuda"), torch.as_tensor(outputs[0], device="cuda")
        scale[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), 3, BLOCK=256)

    shape = (1 << 16,)
    runner = decorated(logger, impl, shape=shape)
    x, y = torch.zeros(shape, device="cuda"), torch.zeros(shape, device="cuda")
    runner.context.set_tensor_address("x", x.data_ptr())
    runner.context.set_tensor_address("y", y.data_ptr())
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        x.fill_(4)
    assert runner.context.execute_async_v3(stream.cuda_stream)
    stream.synchronize()
    assert bool((y == 12).all())
