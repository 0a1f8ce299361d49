# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Contexts on a device that has its own memory and works asynchronously."""

import contextlib
import threading

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from cudalab import Runner, class_based, like
from device_memory import (
    DeviceArray,
    DeviceError,
    HostArray,
    Stream,
    call,
    emulated,
    emulated_calls,
    emulation,
)
from oplab import Net, define, op_of

X = np.arange(8, dtype=np.float32) - 3


def relu(net, tensor):
    return net.network.add_activation(tensor, trt.ActivationType.RELU).get_output(0)


def chain(logger, layers=3):
    """A Runner of a few layers without plugins."""
    net = Net(logger)
    tensor = net.input("x", (8,))
    for _ in range(layers):
        tensor = relu(net, tensor)
    net.output(tensor, "y")
    opened = net.engine()
    runner = Runner(opened.engine, opened.context)
    runner.kept = opened
    return runner.bind(x=X)


def shape_input_engine(logger):
    """y = the first n of x, t = n on the device, s = the shape of y on the host."""
    net = Net(logger, flags=0)
    x, n = net.input("x", (8,)), net.input("n", (1,), trt.int64)
    layer = net.network.add_slice(x, (0,), (1,), (1,))
    layer.set_input(2, n)
    y = layer.get_output(0)
    net.output(relu(net, y), "y")
    net.output(net.network.add_cast(n, trt.int32).get_output(0), "t")
    shape = net.network.add_shape(y).get_output(0)
    shape.name = "s"
    assert net.network.mark_output_for_shapes(shape)
    profile = net.builder.create_optimization_profile()
    profile.set_shape_input("n", [1], [4], [8])
    net.config.add_optimization_profile(profile)
    return net.engine()


def test_shape_tensors_are_on_the_host(logger):
    opened = shape_input_engine(logger)
    engine, context = opened.engine, opened.context
    locations = {name: engine.get_tensor_location(name) for name in ("x", "n", "y", "t", "s")}
    host, device = trt.TensorLocation.HOST, trt.TensorLocation.DEVICE
    assert locations == {"x": device, "n": host, "y": device, "t": device, "s": host}
    x, y, t = DeviceArray(X), DeviceArray(np.zeros_like(X)), DeviceArray(np.zeros(1, np.int32))
    n, s = np.array([3], np.int64), np.zeros(1, np.int64)
    for name, address in (("x", x.ptr), ("y", y.ptr), ("t", t.ptr)):
        assert context.set_tensor_address(name, address)
    assert context.set_tensor_address("n", n.ctypes.data)
    assert context.set_tensor_address("s", s.ctypes.data)
    stream = Stream()
    for count in (3, 8, 1):
        n[0] = count
        assert context.execute_async_v3(stream.handle), logger.errors()
        n[0] = 0  # safe: the run has copied the value
        assert s.tolist() == [count]
        stream.synchronize()
        np.testing.assert_array_equal(y.numpy()[:count], np.maximum(X, 0)[:count])
        assert t.numpy().tolist() == [count]


def test_device_address_for_a_shape_input_is_named(logger):
    context = shape_input_engine(logger).context
    assert not context.set_tensor_address("n", DeviceArray(np.zeros(1, np.int64)).ptr)
    assert "tensor 'n'" in logger.errors() and "got memory of the GPU" in logger.errors()


def test_capture_of_shape_inputs_needs_a_run_before(logger):
    opened = shape_input_engine(logger)
    x, y, t = DeviceArray(X), DeviceArray(np.zeros_like(X)), DeviceArray(np.zeros(1, np.int32))
    n, s = np.array([3], np.int64), np.zeros(1, np.int64)
    for name, address in (("x", x.ptr), ("y", y.ptr), ("t", t.ptr)):
        assert opened.context.set_tensor_address(name, address)
    assert opened.context.set_tensor_address("n", n.ctypes.data)
    assert opened.context.set_tensor_address("s", s.ctypes.data)
    stream, results = Stream(), []

    def record():
        results.append(opened.context.execute_async_v3(stream.handle))

    with contextlib.suppress(DeviceError):
        stream.capture(record)
    assert results == [False]
    assert "Run once with these shapes before the stream is captured" in logger.errors()
    assert opened.context.execute_async_v3(stream.handle), logger.errors()
    stream.synchronize()
    graph = stream.capture(record)
    assert results == [False, True], logger.errors()
    x.set(X + 10)
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(y.numpy()[:3], X[:3] + 10)


def test_capture_without_a_run_before(logger):
    """No values must be copied to the device, so the first run may be captured."""
    runner = chain(logger)
    stream = Stream()
    graph = stream.capture(lambda: runner.context.execute_async_v3(stream.handle))
    for factor in (1, 2):
        runner.arrays["x"].set(X * factor)
        graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(runner(), np.maximum(X * factor, 0))


class Times(trt.IProfiler):
    def __init__(self):
        super().__init__()
        self.times = []

    def report_layer_time(self, layer_name, ms):
        self.times.append((layer_name, ms))


def test_profilers(logger):
    runner, times, stream = chain(logger), Times(), Stream()
    runner.context.profiler = times
    runner.context.enqueue_emits_profile = False
    assert runner.context.execute_async_v3(stream.handle)
    assert times.times == []
    assert runner.context.report_to_profiler(), logger.errors()
    layers = runner.engine.num_layers
    assert len(times.times) == layers and all(ms >= 0 for _, ms in times.times)
    runner.context.enqueue_emits_profile = True
    assert runner.run(stream)
    assert len(times.times) == 2 * layers
    results = []
    with contextlib.suppress(DeviceError):
        stream.capture(lambda: results.append(runner.context.execute_async_v3(stream.handle)))
    assert results == [False]
    assert "the profiler measures when layers are done" in logger.errors()


def test_execute_v2_waits(logger):
    runner = chain(logger)
    addresses = [runner.arrays[name].ptr for name in ("x", "y")]
    assert runner.context.execute_v2(addresses), logger.errors()
    np.testing.assert_array_equal(runner(), np.maximum(X, 0))


def slice_at(logger):
    """y = two numbers of x from `start` on; start is on the device, so a kernel checks it."""
    net = Net(logger, flags=0)
    x, start = net.input("x", (8,)), net.input("start", (1,), trt.int32)
    layer = net.network.add_slice(x, (0,), (2,), (1,))
    layer.name = "cut"
    layer.set_input(1, start)
    net.output(layer.get_output(0), "y")
    return net.engine()


@pytest.mark.parametrize("name", [0, 1], ids=["0", "cudaStreamLegacy"])
def test_python_plugins_on_the_default_stream(logger, name):
    """They get another stream, ordered with the layers around: Torch takes 0 for no stream."""
    seen = []

    def impl(x, outputs, stream):
        seen.append(stream)
        call("cuMemcpyDtoDAsync_v2", outputs[0].data_ptr, x.data_ptr, X.nbytes, stream)

    net = Net(logger)
    x = net.input("x", X.shape)
    before = net.network.add_unary(x, trt.UnaryOperation.NEG).get_output(0)
    y = net.add(op_of(define(like, impl))(before))[0]
    net.output(net.network.add_unary(y, trt.UnaryOperation.NEG).get_output(0), "y")
    opened = net.engine()
    runner = Runner(opened.engine, opened.context).bind(x=X)
    seen.clear()  # calls of the build
    for value in (1, 2, 3):
        runner.arrays["x"].set(X * value)
        assert runner.context.execute_async_v3(name), logger.errors()
        np.testing.assert_array_equal(runner(), X * value)
    assert len(set(seen)) == 1 and seen[0] > 2
    assert runner.run()
    assert seen[-1] not in (0, seen[0])


@pytest.mark.parametrize("waits", [False, True])
def test_faults_of_kernels(logger, waits):
    opened = slice_at(logger)
    runner = Runner(opened.engine, opened.context).bind(x=X, start=np.array([7], np.int32))
    addresses = [runner.arrays[n].ptr for n in ("x", "start", "y")]
    if waits:
        assert not runner.context.execute_v2(addresses)
    else:
        assert runner.run()
        runner.arrays["start"].set(np.array([2], np.int32))
        assert not runner.run()
    assert "[run] layer 'cut' (kernel cuda/slice" in logger.errors(), logger.errors()
    runner.arrays["start"].set(np.array([4], np.int32))
    assert runner.run(), logger.errors()
    np.testing.assert_array_equal(runner(), X[4:6])


@pytest.fixture
def fault():
    """Makes the next kernel access an illegal address; the emulated device can be repaired."""
    if not emulated():
        pytest.skip("a GPU that faulted is lost to the process: test_faults.py has them")
    yield emulation().kilnEmulatedFaultNextKernel
    emulation().kilnEmulatedReset()


def test_fault_of_the_device(logger, fault):
    runner = chain(logger)
    addresses = [runner.arrays[name].ptr for name in ("x", "y")]
    fault()
    assert not runner.context.execute_v2(addresses)
    errors = logger.errors()
    assert "[run] work of this engine or of the program failed." in errors, errors
    assert "There are no plugins in this engine. Set KILN_SYNC=1" in errors, errors


def test_fault_of_the_device_with_sync(logger, fault, monkeypatch):
    monkeypatch.setenv("KILN_SYNC", "1")
    runner = chain(logger)
    fault()
    assert not runner.context.execute_async_v3(Stream().handle)
    errors = logger.errors()
    assert "(kernel cuda/" in errors, errors
    assert "): its work failed on the device. [cuda] wait for a stream: " in errors, errors


class Block(trt.IGpuAsyncAllocator):
    """Keeps the blocks that it allocates from the driver."""

    def __init__(self):
        super().__init__()
        self.blocks, self.refuses = {}, False

    def allocate_async(self, size, alignment, flags, stream):
        if self.refuses:
            return None
        block = DeviceArray((size,), np.uint8)
        self.blocks[block.ptr] = block
        return block.ptr

    def deallocate_async(self, memory, stream):
        return self.blocks.pop(memory, None) is not None


def test_async_allocator(logger):
    net = Net(logger)
    x = net.input("x", (8,))
    c = net.network.add_constant((8,), np.ones(8, np.float32)).get_output(0)
    total = net.network.add_elementwise(x, c, trt.ElementWiseOperation.SUM).get_output(0)
    softmax = net.network.add_softmax(total)  # a kernel of its own: its operand needs the arena
    net.output(relu(net, softmax.get_output(0)), "y")
    plan, allocator = net.plan(), Block()
    runtime = trt.Runtime(logger)
    runtime.gpu_allocator = allocator
    engine = runtime.deserialize_cuda_engine(plan)
    assert len(allocator.blocks) == 1  # the constant
    context = engine.create_execution_context()
    assert len(allocator.blocks) == 2  # the arena
    context.temporary_allocator = allocator
    runner = Runner(engine, context).bind(x=X)
    assert runner.run(), logger.errors()
    powers = np.exp(X + 1)
    np.testing.assert_allclose(runner(), powers / powers.sum(), rtol=1e-5)
    allocator.refuses = True
    assert engine.create_execution_context() is None
    assert "the user's allocator gave no memory for the arena" in logger.errors()
    del runner, context, engine
    assert not allocator.blocks


def test_contexts_share_device_memory(logger):
    runner = chain(logger)
    engine = runner.engine
    memory = DeviceArray((engine.device_memory_size_v2,), np.uint8)
    host = HostArray((engine.device_memory_size_v2,), np.uint8)
    managed = trt.ExecutionContextAllocationStrategy.USER_MANAGED
    contexts = [engine.create_execution_context(managed) for _ in range(2)]
    contexts[0].set_device_memory(host.ptr, host.nbytes)
    assert "[run] device memory" in logger.errors() and "got host memory" in logger.errors()
    stream = Stream()
    for context in contexts:
        context.set_device_memory(memory.ptr, memory.nbytes)
        shared = Runner(engine, context).bind(x=X)
        assert shared.run(stream)
        np.testing.assert_array_equal(shared(), np.maximum(X, 0))


def test_threads_with_contexts_of_one_engine(logger):
    runner = chain(logger)
    failures = []

    def work(number):
        own = Runner(runner.engine, runner.engine.create_execution_context()).bind(x=X * number)
        stream = Stream()
        for _ in range(20):
            own.arrays["y"].fill(0xFF)
            if not own.run(stream) or not np.array_equal(own(), np.maximum(X * number, 0)):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [], logger.errors()


def kept(logger, numbers):
    """A Runner whose plugin copies x to y; numbers[0] is the number of elements that count."""

    def shapes(plugin, inputs, shape_inputs, expr_builder):
        size = expr_builder.declare_size_tensor(1, inputs[0][0], inputs[0][0])
        return [trt.DimsExprs([size]), trt.DimsExprs()]

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        call("cuMemcpyDtoDAsync_v2", outputs[0], inputs[0], 32, stream)
        call("cuMemcpyDtoDAsync_v2", outputs[1], numbers.ptr, 4, stream)

    runner = class_based(
        logger,
        enqueue,
        shape=(8,),
        outputs=2,
        get_output_shapes=shapes,
        get_output_data_types=lambda plugin, types: [types[0], trt.int32],
        supports_format_combination=lambda plugin, pos, io, inputs: True,
    )
    context = runner.context
    assert context.get_max_output_size("y") == 32
    runner.arrays = {"x": DeviceArray(X), "y": DeviceArray((8,), np.float32).fill(0)}
    for name, array in runner.arrays.items():
        assert context.set_tensor_address(name, array.ptr)
    return runner


def test_outputs_of_unknown_size(logger):
    numbers = DeviceArray(np.array([3], np.int32))
    runner, stream = kept(logger, numbers), Stream()
    assert runner.context.execute_async_v3(stream.handle), logger.errors()
    assert tuple(runner.context.get_tensor_shape("y")) == (-1,)
    assert tuple(kiln.found_shape(runner.context, "y")) == (3,)
    stream.synchronize()
    np.testing.assert_array_equal(runner(), [*X[:3], 0, 0, 0, 0, 0])
    numbers.set(np.array([9], np.int32))  # above the bound
    assert runner.context.execute_async_v3(stream.handle), logger.errors()
    kiln.found_shape(runner.context, "y")
    assert "expected enqueue to write a size from 0 to 8" in logger.errors()
    stream.synchronize()


def test_outputs_of_unknown_size_in_a_graph(logger):
    numbers = DeviceArray(np.array([3], np.int32))
    runner, stream = kept(logger, numbers), Stream()
    results = []
    graph = stream.capture(lambda: results.append(runner.context.execute_async_v3(stream.handle)))
    assert results == [True], logger.errors()
    for count in (5, 0, 8):
        numbers.set(np.array([count], np.int32))
        runner.arrays["y"].fill(0)
        graph.launch(stream)
        stream.synchronize()
        assert tuple(kiln.found_shape(runner.context, "y")) == (count,)
        np.testing.assert_array_equal(runner(), [*X[:count], *[0] * (8 - count)])


def test_timing_cache_names_the_driver(logger):
    net = Net(logger)
    net.output(relu(net, net.input("x", (8,))), "y")
    cache = net.config.create_timing_cache(b"")
    assert net.config.set_timing_cache(cache, False), logger.errors()
    assert net.plan() is not None
    assert b", driver " in bytes(memoryview(cache.serialize()))


def product_net(logger, size=64):
    """relu(x @ w + b) and its softmax, in float32 or float16 as the build decides."""
    net = Net(logger, flags=0)
    net.config.set_flag(trt.BuilderFlag.FP16)
    rng = np.random.default_rng(3)
    weights = rng.standard_normal((size, size)).astype(np.float32)
    bias = rng.standard_normal((1, size)).astype(np.float32)
    w = net.network.add_constant((size, size), weights).get_output(0)
    b = net.network.add_constant((1, size), bias).get_output(0)
    none = trt.MatrixOperation.NONE
    y = net.network.add_matrix_multiply(net.input("x", (8, size)), none, w, none).get_output(0)
    y = net.network.add_elementwise(y, b, trt.ElementWiseOperation.SUM).get_output(0)
    net.output(net.network.add_softmax(relu(net, y)).get_output(0), "y")
    return net


def test_the_timing_cache_keeps_code(logger):
    """With a cache, no kernel and no algorithm of a library runs while the engine is built."""
    if emulated_calls("cuLaunchKernel") is None:
        pytest.skip("no GPU but the emulated one counts its calls")
    ran = ("cuLaunchKernel", "cuGraphLaunch", "cuEventRecord", "cublasLtMatmul")

    def built(cache):
        net = product_net(logger)
        timings = net.config.create_timing_cache(cache)
        assert net.config.set_timing_cache(timings, False), logger.errors()
        before = [emulated_calls(name) for name in ran]
        assert net.plan() is not None, logger.errors()
        return bytes(timings.serialize()), [
            emulated_calls(name) - count for name, count in zip(ran, before, strict=True)
        ]

    cache, calls = built(b"")
    assert all(calls[:-1]), calls  # the library may be missing
    same, calls = built(cache)
    assert calls == [0] * len(ran)
    assert same == cache


@pytest.mark.filterwarnings("ignore:.*aot")
def test_code_that_the_driver_does_not_take(logger):
    """The error says for each image why it does not run here."""
    ptx = (
        ".version 9.9\n.target sm_70\n.address_size 64\n"
        ".visible .entry same(.param .u64 x, .param .u64 y) { ret; }\n"
    )

    def aot(
        x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
    ) -> tuple[str, str, trtp.KernelLaunchParams, trtp.SymExprs]:
        return "same", ptx, trtp.KernelLaunchParams(), trtp.SymIntExprs(0)

    net = Net(logger)
    op = op_of(define(like, aot_impl=aot))
    net.output(net.add(op(net.input("x", (8,))), aot=True)[0], "y")
    plan = net.plan()
    assert plan is not None, logger.errors()
    assert trt.Runtime(logger).deserialize_cuda_engine(plan) is None
    errors = logger.errors()
    assert "expected code that runs on cuda (sm_" in errors, errors
    assert "\n  kernel 'same', PTX for sm_70: it is PTX 9.9, the driver here is for CUDA" in errors


def test_many_constants_arrive_while_kernels_are_loaded(logger):
    """Their copy runs on a thread of its own, in pieces; the verbose message has the times."""
    net = Net(logger)
    weights = np.arange(3 << 20, dtype=np.float32) % 8191
    constant = net.network.add_constant(weights.shape, weights).get_output(0)
    x = net.input("x", weights.shape)
    net.output(
        relu(
            net,
            net.network.add_elementwise(x, constant, trt.ElementWiseOperation.SUM).get_output(0),
        ),
        "y",
    )
    opened = net.engine()
    runner = Runner(opened.engine, opened.context).bind(x=np.ones_like(weights))
    assert runner.run(), logger.errors()
    np.testing.assert_array_equal(runner(), weights + 1)
    (opening,) = [text for text in logger.messages_text().splitlines() if "opened in" in text]
    assert "rest of the upload" in opening
    (first,) = [text for text in logger.messages_text().splitlines() if "first run" in text]
    assert "prepare " in first and "start " in first
