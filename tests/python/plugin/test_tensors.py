# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors as an impl gets them."""

import gc

import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")


def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


def engine_of(logger, impl, dtype=trt.float32, shape=(2, 3)):
    net = Net(logger)
    y = net.add(op_of(define(desc, impl))(net.input("x", shape, dtype)))[0]
    net.output(y, "y")
    if -1 in shape:
        net.profile(x=((1, 3), (2, 3), (8, 3)))
    return net.engine()


def run(engine, x):
    y = np.zeros_like(x)
    assert engine.run({"x": x}, {"y": y}), engine.logger.errors()
    return y


def sample(dtype=np.float32, rows=2):
    return np.arange(rows * 3).reshape(rows, 3).astype(dtype)


DTYPES = {
    trt.float32: np.float32,
    trt.float16: np.float16,
    trt.int32: np.int32,
    trt.int64: np.int64,
    trt.int8: np.int8,
    trt.bool: np.bool_,
}


@pytest.mark.parametrize("dtype", list(DTYPES), ids=str)
def test_numpy(logger, dtype):
    def impl(x, outputs, stream):
        assert np.asarray(x).dtype == DTYPES[dtype]
        np.asarray(outputs[0])[...] = np.from_dlpack(x)

    x = sample(DTYPES[dtype])
    np.testing.assert_array_equal(run(engine_of(logger, impl, dtype), x), x)


@pytest.mark.parametrize("dtype", [trt.float32, trt.bfloat16], ids=str)
def test_torch(logger, dtype):
    torch = pytest.importorskip("torch")

    def impl(x, outputs, stream):
        source = torch.as_tensor(x, device=x.device)
        target = torch.as_tensor(outputs[0], device=outputs[0].device)
        assert source.data_ptr() == x.data_ptr and target.dtype == source.dtype
        target.copy_(source * 2)

    x = sample(np.float32 if dtype == trt.float32 else np.uint16)
    if dtype == trt.bfloat16:
        x = (sample() * 1).view(np.uint32) >> 16
        x = x.astype(np.uint16)
    y = run(engine_of(logger, impl, dtype), x)
    if dtype == trt.bfloat16:
        x, y = ((a.astype(np.uint32) << 16).view(np.float32) for a in (x, y))
    np.testing.assert_array_equal(y, 2 * x)


def test_interfaces_of_the_cpu_target():
    tensor = trtp.Tensor()
    x = sample()
    tensor.data_ptr, tensor.dtype, tensor.shape = x.ctypes.data, trt.float32, (2, 3)
    assert not hasattr(tensor, "__cuda_array_interface__")
    assert tensor.__array_interface__["shape"] == (2, 3)
    assert tensor.__dlpack_device__() == (1, 0)
    assert tensor.device == "cpu"
    np.testing.assert_array_equal(np.asarray(tensor), x)


def test_properties():
    tensor = trtp.Tensor()
    tensor.data_ptr, tensor.scale = 4096, 0.5
    tensor.dtype, tensor.format = trt.int8, trt.TensorFormat.HWC
    tensor.shape = (1, 2, 3, 4)
    assert (tensor.data_ptr, tensor.scale, tensor.dtype) == (4096, 0.5, trt.int8)
    assert (tensor.format, tensor.ndim, tensor.numel()) == (trt.TensorFormat.HWC, 4, 24)
    assert (tensor.shape, tensor.strides) == ((1, 2, 3, 4), (24, 12, 4, 1))
    tensor.strides = (24, 1, 8, 2)
    assert tensor.strides == (24, 1, 8, 2)
    assert not tensor.is_data_dependent and not tensor.is_aliased and tensor.get_aliased() is None
    with pytest.raises(AttributeError, match="expected one of data_ptr, dtype, format, scale"):
        tensor.name = "x"
    with pytest.raises(AttributeError, match="got that of a tensor"):
        tensor.shape[0] = 2


def test_aliased():
    tensor = trtp.Tensor()
    x = sample()
    tensor.data_ptr, tensor.dtype, tensor.shape = x.ctypes.data, trt.float32, (2, 3)
    for shape in ((3, 2), trtp.Shape((6,)), None):
        alias = tensor.aliased(shape=shape)
        assert alias.shape == (tensor.shape if shape is None else shape)
        assert alias.is_aliased and alias.get_aliased() is tensor
        assert (alias.data_ptr, alias.dtype) == (tensor.data_ptr, trt.float32)
    np.asarray(tensor.aliased((6,)))[5] = 70
    assert x[1, 2] == 70
    assert tensor.aliased((3, 2)).strides == (2, 1)
    for wrong, message in (
        ((7,), "expected 6 elements as in Shape"),
        ((-1, 2), "expected fixed extents"),
        ("ab", "expected a tuple of int"),
    ):
        with pytest.raises(ValueError, match=message):
            tensor.aliased(wrong)


def test_kept_tensors_are_replaced(logger):
    """Tensors that an impl keeps do not change; the next call gets new ones."""
    kept = []

    def impl(x, outputs, stream):
        kept.append((x, outputs, x.shape, x.data_ptr))
        np.asarray(outputs[0])[...] = x

    engine = engine_of(logger, impl, shape=(-1, 3))
    inputs = [sample(rows=rows) for rows in (2, 4, 4)]
    for x in inputs:
        np.testing.assert_array_equal(run(engine, x), x)
    for x, (tensor, outputs, shape, address) in zip(inputs, kept, strict=True):
        assert tensor.shape == shape == x.shape
        assert tensor.data_ptr == address == x.ctypes.data
        assert outputs[0].shape == x.shape
    assert len({id(tensor) for tensor, *_ in kept}) == 3


def test_altered_tensors_are_mended(logger):
    addresses = []

    def impl(x, outputs, stream):
        addresses.append((x.data_ptr, x.dtype, tuple(x.shape), x.strides))
        np.asarray(outputs[0])[...] = x
        x.data_ptr, x.dtype, x.shape = 64, trt.int8, (1,)
        x.strides, x.scale = (5,), 3.0

    engine, x = engine_of(logger, impl), sample()
    for _ in range(3):
        np.testing.assert_array_equal(run(engine, x), x)
    assert addresses == [(x.ctypes.data, trt.float32, (2, 3), (3, 1))] * 3


def test_tensors_are_the_same_objects_while_nobody_keeps_them(logger):
    seen = set()

    def impl(x, outputs, stream):
        seen.add((id(x), id(outputs), id(outputs[0])))
        np.asarray(outputs[0])[...] = x

    engine = engine_of(logger, impl, shape=(-1, 3))
    for rows in (2, 3, 2):
        x = sample(rows=rows)
        np.testing.assert_array_equal(run(engine, x), x)
    assert len(seen) == 1


def test_a_call_inside_a_call_has_its_own(logger):
    """An impl that runs its op in another context, as an impl that releases the GIL may."""
    seen = []

    def impl(x, outputs, stream):
        seen.append(id(x))
        if len(seen) == 1:
            assert other.execute_async_v3(0)
        np.asarray(outputs[0])[...] = x

    engine = engine_of(logger, impl)
    other, arrays = engine.engine.create_execution_context(), []
    for context, value in ((engine.context, 1), (other, 2)):
        x, y = np.full((2, 3), value, np.float32), np.zeros((2, 3), np.float32)
        context.set_tensor_address("x", x.ctypes.data)
        context.set_tensor_address("y", y.ctypes.data)
        arrays.append((x, y))
    assert engine.context.execute_async_v3(0), logger.errors()
    for x, y in arrays:
        np.testing.assert_array_equal(y, x)
    assert len(set(seen)) == 2


def test_tensors_go_with_the_engine(logger):
    def impl(x, outputs, stream):
        np.asarray(outputs[0])[...] = x

    def count():
        gc.collect()
        return sum(type(item) is trtp.Tensor for item in gc.get_objects())

    before = count()
    engine = engine_of(logger, impl)
    run(engine, sample())
    del engine
    assert count() == before
