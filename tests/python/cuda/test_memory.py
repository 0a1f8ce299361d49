# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of plugins and programs on a GPU: frameworks, allocators, wrong pointers."""

import ctypes

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from cudalab import class_based, decorated, like
from device_memory import DeviceArray, call
from numba_for_cuda import numba_cuda
from oplab import Net, define, op_of

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TYPES = ["float32", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool"]


def test_device_array():
    x = kiln.DeviceArray(X)
    assert (x.shape, x.dtype, x.nbytes) == ((2, 3), np.float32, 24)
    np.testing.assert_array_equal(x.numpy(), X)
    np.testing.assert_array_equal(x.set(7).numpy(), np.full((2, 3), 7))
    assert kiln.DeviceArray.empty((0, 3)).numpy().shape == (0, 3)
    assert kiln.DeviceArray.empty((2,), np.int64).dtype == np.int64


def test_protocols_of_a_device_array():
    x = kiln.DeviceArray(X)
    assert (x.device, x.__dlpack_device__()) == ("cuda", (2, 0))
    interface = x.__cuda_array_interface__
    assert (interface["shape"], interface["typestr"]) == ((2, 3), "<f4")
    assert interface["data"] == (x.ptr, False)
    assert not hasattr(x, "__array_interface__")
    with pytest.raises(TypeError, match=r"got memory of a GPU. Use .numpy\(\), which copies"):
        np.asarray(x)


def test_device_arrays_are_bound():
    """DeviceArrays can be bound like addresses; their type is checked."""
    builder = trt.Builder(trt.Logger())
    network = builder.create_network()
    tensor = network.add_input("x", trt.float32, (2, 3))
    network.mark_output(network.add_activation(tensor, trt.ActivationType.RELU).get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    context = trt.Runtime(trt.Logger()).deserialize_cuda_engine(plan).create_execution_context()
    x, y = kiln.DeviceArray(-X), kiln.DeviceArray.empty((2, 3))
    assert context.execute_v2([x, y])
    np.testing.assert_array_equal(y.numpy(), np.maximum(-X, 0))
    with pytest.raises(TypeError, match="expected a DeviceArray of FLOAT, got one of INT64"):
        context.set_tensor_address("x", kiln.DeviceArray([[1, 2, 3], [4, 5, 6]]))


@pytest.mark.parametrize("name", TYPES)
def test_torch_takes_tensors(logger, torch, name):
    """Torch uses the memory without a copy, by as_tensor and by DLPack."""
    dtype = getattr(trt, name)
    expected = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, name)).cuda()

    def impl(x, outputs, stream):
        assert (x.device, x.is_cuda) == ("cuda", True)
        source, target = torch.as_tensor(x, device="cuda"), torch.from_dlpack(outputs[0])
        assert source.data_ptr() == x.data_ptr and source.is_cuda
        assert source.dtype == target.dtype == getattr(torch, name)
        target.copy_(source)

    if name in ("uint8", "int8"):
        pytest.skip("engines have no inputs of this type without quantization")
    runner = decorated(logger, impl, dtype=dtype)
    y = torch.zeros_like(expected)
    runner.context.set_tensor_address("x", expected.data_ptr())
    runner.context.set_tensor_address("y", y.data_ptr())
    assert runner.context.execute_async_v3(torch.cuda.current_stream().cuda_stream)
    assert torch.equal(y, expected)


@pytest.mark.parametrize("name", TYPES)
def test_torch_takes_buffers(torch, name):
    memory = torch.zeros(6, dtype=getattr(torch, name), device="cuda")
    desc = trt.PluginTensorDesc()
    desc.dims, desc.type = (2, 3), getattr(trt, name)
    view = torch.as_tensor(kiln.buffer(memory.data_ptr(), desc), device="cuda")
    assert (view.shape, view.dtype, view.is_cuda) == ((2, 3), memory.dtype, True)
    view.fill_(1)
    assert bool((memory == 1).all())


def test_torch_takes_empty_tensors(torch):
    desc = trt.PluginTensorDesc()
    desc.dims = (0, 3)
    assert torch.from_dlpack(kiln.buffer(0, desc)).shape == (0, 3)


def test_torch_takes_channels_last(torch):
    memory = torch.arange(120, dtype=torch.float32, device="cuda")
    desc = trt.PluginTensorDesc()
    desc.dims, desc.format = (2, 3, 4, 5), trt.TensorFormat.HWC
    view = torch.as_tensor(kiln.buffer(memory.data_ptr(), desc), device="cuda")
    assert torch.equal(view, memory.view(2, 4, 5, 3).permute(0, 3, 1, 2))


def test_cupy_takes_tensors(logger, cupy):
    def impl(x, outputs, stream):
        cupy.multiply(cupy.asarray(x), 2, out=cupy.from_dlpack(outputs[0]))

    runner = decorated(logger, impl).bind(x=X)
    assert runner.run(), logger.errors()
    np.testing.assert_array_equal(runner(), 2 * X)


def test_numba_takes_tensors(logger, gpu):
    cuda = numba_cuda()

    @cuda.jit
    def twice(x, y):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[i, j] = 2 * x[i, j]

    def impl(x, outputs, stream):
        x, y = cuda.as_cuda_array(x), cuda.as_cuda_array(outputs[0])
        twice[(1, 1), (8, 8), cuda.external_stream(stream)](x, y)

    runner = decorated(logger, impl).bind(x=X)
    assert runner.run(), logger.errors()
    np.testing.assert_array_equal(runner(), 2 * X)


def test_numpy_is_told(logger):
    def impl(x, outputs, stream):
        np.asarray(x)

    runner = decorated(logger, impl).bind(x=X)
    assert not runner.run()
    assert (
        "expected host memory for NumPy, got DataType.FLOAT in memory of a GPU" in logger.errors()
    )


def test_shape_inputs_are_on_the_host(logger):
    """Shape inputs are on the host even if the other tensors are on the GPU."""
    seen = []

    def describe(x: trtp.TensorDesc, n: trtp.TensorDesc) -> trtp.TensorDesc:
        return trtp.from_shape_expr((kiln.shape_values(n)[0],), dtype=x.dtype)

    def impl(x: trtp.Tensor, n: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
        seen.append((x.device, n.device, int(np.asarray(n)[0]), outputs[0].shape[0]))

    net = Net(logger)
    x = net.input("x", (2,))
    n = net.network.add_constant((1,), np.array([5], np.int64)).get_output(0)
    inputs, _, plugin = op_of(define(describe, impl))(x, n)
    layer = net.network.add_plugin(([inputs[0]], [inputs[1]], plugin))
    net.output(layer.get_output(0), "y")
    opened = net.engine()
    x, y = DeviceArray(np.zeros(2, np.float32)), DeviceArray((5,), np.float32)
    seen.clear()
    opened.context.set_tensor_address("x", x.ptr)
    opened.context.set_tensor_address("y", y.ptr)
    assert opened.context.execute_async_v3(0), logger.errors()
    assert seen == [("cuda", "cpu", 5, 5)]


def test_engines_of_the_other_target(logger):
    """Plugins see the target of their engine, not the default target."""
    seen = []

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        seen.append(kiln.buffer(inputs[0], input_desc[0]).device)

    on_gpu = class_based(logger, enqueue).bind(x=X)
    kiln.set_default_target("cpu")
    on_cpu = class_based(logger, enqueue)
    y = np.empty_like(X)
    on_cpu.context.set_tensor_address("x", X.ctypes.data)
    on_cpu.context.set_tensor_address("y", y.ctypes.data)
    seen.clear()
    assert on_cpu.context.execute_async_v3(0) and on_gpu.run()
    kiln.set_default_target("cuda")
    assert on_cpu.context.execute_async_v3(0) and on_gpu.run()
    assert seen == ["cpu", "cuda"] * 2


@pytest.mark.faults
def test_host_pointer_is_named(logger):
    runner = decorated(logger, lambda x, outputs, stream: None)
    assert not runner.context.set_tensor_address("x", X.ctypes.data)
    assert "tensor 'x'" in logger.errors() and "got host memory" in logger.errors()


class TorchAllocator(trt.IGpuAllocator):
    """Allocates from Torch's cache."""

    def __init__(self, torch):
        super().__init__()
        self.torch, self.blocks = torch, {}

    def allocate(self, size, alignment, flags):
        block = self.torch.empty(size, dtype=self.torch.uint8, device="cuda")
        self.blocks[block.data_ptr()] = block
        return block.data_ptr()

    def deallocate(self, memory):
        return self.blocks.pop(memory, None) is not None


class AsyncTorchAllocator(trt.IGpuAsyncAllocator):
    """The same, in the order of a stream."""

    def __init__(self, torch):
        super().__init__()
        self.torch, self.blocks, self.streams = torch, {}, set()

    def allocate_async(self, size, alignment, stream, flags):
        block = self.torch.empty(size, dtype=self.torch.uint8, device="cuda")
        self.blocks[block.data_ptr()] = block
        self.streams.add(stream)
        return block.data_ptr()

    def deallocate_async(self, memory, stream):
        return self.blocks.pop(memory, None) is not None


@pytest.mark.parametrize("kind", [TorchAllocator, AsyncTorchAllocator])
def test_gpu_allocator(logger, torch, kind):
    """Allocates the arena of a context, which holds the tensor between two plugins."""

    def impl(x, outputs, stream):
        torch.add(
            torch.as_tensor(x, device="cuda"), 1, out=torch.as_tensor(outputs[0], device="cuda")
        )

    net = Net(logger)
    op = op_of(define(like, impl))
    y = net.add(op(net.add(op(net.input("x", (2, 3))))[0]))[0]
    net.output(y, "y")
    plan, allocator = net.plan(), kind(torch)
    runtime = trt.Runtime(logger)
    runtime.gpu_allocator = allocator
    engine = runtime.deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    assert allocator.blocks
    x, y = DeviceArray(X), DeviceArray((2, 3), np.float32)
    context.set_tensor_address("x", x.ptr)
    context.set_tensor_address("y", y.ptr)
    assert context.execute_async_v3(0), logger.errors()
    np.testing.assert_array_equal(y.numpy(), X + 2)
    del context, engine
    assert not allocator.blocks


def test_allocator_without_memory(logger):
    class Empty(trt.IGpuAllocator):
        def allocate(self, size, alignment, flags):
            return None

        def deallocate(self, memory):
            return False

    net = Net(logger)
    op = op_of(define(like, lambda x, outputs, stream: None))
    net.output(net.add(op(net.add(op(net.input("x", (2, 3))))[0]))[0], "y")
    plan = net.plan()
    runtime = trt.Runtime(logger)
    runtime.gpu_allocator = Empty()
    engine = runtime.deserialize_cuda_engine(plan)
    assert engine is None or engine.create_execution_context() is None
    assert "gave no memory for" in logger.errors(), logger.errors()


@pytest.mark.faults
def test_out_of_memory(logger):
    """The error says how much was requested, for what, and how much is free."""
    net = Net(logger)
    op = op_of(define(like, lambda x, outputs, stream: None))
    huge = (1 << 20, 1 << 18)  # 1 TiB between the two
    x = net.input("x", (-1, 1 << 18))
    net.output(net.add(op(net.add(op(x))[0]))[0], "y")
    net.profile(x=((1, 1 << 18), (1, 1 << 18), huge))
    engine = trt.Runtime(logger).deserialize_cuda_engine(net.plan())
    assert engine is not None, logger.errors()
    assert engine.create_execution_context() is None
    errors = logger.errors()
    assert "cannot allocate" in errors and "the arena of an execution context" in errors
    assert "bytes are free on" in errors


class Positions(trt.IOutputAllocator):
    """An output in Torch's memory, allocated when its size is known."""

    def __init__(self, torch):
        super().__init__()
        self.torch, self.memory, self.shape = torch, None, None

    def reallocate_output_async(self, tensor_name, memory, size, alignment, stream):
        self.memory = self.torch.empty(max(size, 1), dtype=self.torch.uint8, device="cuda")
        return self.memory.data_ptr()

    def notify_shape(self, tensor_name, shape):
        self.shape = tuple(shape)


def test_output_allocator(logger, torch):
    """A shape that depends on data."""

    def describe(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc, trtp.TensorDesc]:
        bound = x.shape_expr.numel()
        count = trtp.size_tensor(bound // 2, bound)
        return trtp.from_shape_expr((count.expr(), 2), dtype=trt.int64), count

    def impl(x, outputs, stream):
        found = torch.nonzero(torch.as_tensor(x, device="cuda"))
        target = outputs[0].aliased(tuple(found.shape))
        torch.as_tensor(target, device="cuda").copy_(found)
        torch.as_tensor(outputs[1], device="cuda").fill_(len(found))

    runner = decorated(logger, impl, describe=describe)
    allocator = Positions(torch)
    runner.context.set_output_allocator("y", allocator)
    for values in ([[0, 1, 0], [2, 0, 3]], [[0, 0, 0], [0, 0, 0]], [[1, 1, 1], [1, 1, 1]]):
        x = torch.tensor(values, dtype=torch.float32, device="cuda")
        runner.context.set_tensor_address("x", x.data_ptr())
        assert runner.context.execute_async_v3(0), logger.errors()
        torch.cuda.synchronize()
        expected = torch.nonzero(x)
        assert allocator.shape == tuple(expected.shape)
        count = 16 * len(expected)
        assert torch.equal(allocator.memory[:count].view(torch.int64).view(-1, 2), expected)


def test_aliasing(logger, torch):
    """The plugin works in place; the user's input changes only if the output is bound to it."""

    def impl(x, outputs, stream):
        assert outputs[0].data_ptr == x.data_ptr
        torch.as_tensor(outputs[0], device="cuda").add_(1)

    def in_place(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return x.aliased()

    net = Net(logger)
    net.config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, True)
    net.output(net.add(op_of(define(in_place, impl))(net.input("x", (2, 3))))[0], "y")
    opened = net.engine()
    x, y = DeviceArray(X), DeviceArray(np.zeros_like(X))
    for target, expected in ((y, X), (x, X + 1)):
        opened.context.set_tensor_address("x", x.ptr)
        opened.context.set_tensor_address("y", target.ptr)
        assert opened.context.execute_async_v3(0), logger.errors()
        np.testing.assert_array_equal(target.numpy(), X + 1)
        np.testing.assert_array_equal(x.numpy(), expected)


def test_workspace(logger):
    """The workspace is GPU memory."""
    seen = []

    def get_workspace_size(plugin, input_desc, output_desc):
        return 1000

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        seen.append(workspace)

    runner = class_based(logger, enqueue, get_workspace_size=get_workspace_size).bind(x=X)
    seen.clear()
    assert runner.run(), logger.errors()
    assert seen[0] and seen[0] % 64 == 0
    kind = ctypes.c_uint()
    call("cuPointerGetAttribute", ctypes.byref(kind), ctypes.c_int(2), seen[0])
    assert kind.value == 2  # device memory


def test_tactics(logger):
    """Each is timed on the GPU, and one is kept."""
    seen = []

    def autotune(
        x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
    ) -> list[trtp.AutoTuneCombination]:
        return [trtp.AutoTuneCombination("FP32, FP32", "LINEAR", [1, 2, 3])]

    def impl(x, outputs, stream, tactic):
        seen.append(tactic)

    runner = decorated(logger, impl, autotune=autotune).bind(x=X)
    assert {1, 2, 3} <= set(seen)
    seen.clear()
    assert runner.run() and len(seen) == 1 and seen[0] in (1, 2, 3)
