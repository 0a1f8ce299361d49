# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""kiln.buffer gives array libraries the memory of a tensor, without a copy."""

import types

import kiln
import numpy as np
import pytest
import tensorrt as trt


def describe(shape, dtype=trt.float32, format=trt.TensorFormat.LINEAR):
    desc = trt.PluginTensorDesc()
    desc.dims, desc.type, desc.format = shape, dtype, format
    return desc


NUMPY_TYPES = [
    (trt.float32, np.float32), (trt.float16, np.float16), (trt.int8, np.int8),
    (trt.uint8, np.uint8), (trt.int32, np.int32), (trt.int64, np.int64), (trt.bool, np.bool_),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "expected"), NUMPY_TYPES)
@pytest.mark.parametrize("take", [np.asarray, np.from_dlpack])
def test_numpy_shares_the_memory(dtype, expected, take):
    memory = np.arange(6).astype(expected)
    array = take(kiln.buffer(memory.ctypes.data, describe((2, 3), dtype)))
    assert (array.shape, array.dtype) == ((2, 3), expected)
    np.testing.assert_array_equal(array, memory.reshape(2, 3))
    array[0, 0] = 1
    assert memory[0] == 1
    assert array.ctypes.data == memory.ctypes.data


@pytest.mark.parametrize(
    ("dtype", "name"),
    [(trt.bfloat16, "bfloat16"), (trt.fp8, "float8_e4m3fn"), (trt.e8m0, "float8_e8m0fnu")],
)
def test_types_of_ml_dtypes(dtype, name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    memory = np.array([1, 2, 4, 0.5], getattr(ml_dtypes, name))
    buffer = kiln.buffer(memory.ctypes.data, describe((2, 2), dtype))
    array = np.asarray(buffer)
    assert array.dtype == memory.dtype
    assert array.ctypes.data == memory.ctypes.data
    np.testing.assert_array_equal(
        np.asarray(buffer, np.float32), memory.reshape(2, 2).astype(np.float32)
    )
    assert buffer.__array__(copy=True).ctypes.data != memory.ctypes.data
    assert not hasattr(buffer, "__array_interface__")


def test_type_that_numpy_lacks_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    memory = np.zeros(1, np.uint16)
    buffer = kiln.buffer(memory.ctypes.data, describe((1,), trt.bfloat16))
    with pytest.raises(TypeError, match=r"got DataType.BF16. Install ml_dtypes, or use torch"):
        np.asarray(buffer)


@pytest.mark.parametrize("take", ["as_tensor", "from_dlpack"])
def test_torch_shares_the_memory(take):
    torch = pytest.importorskip("torch")
    memory = np.arange(6, dtype=np.float32)
    tensor = getattr(torch, take)(kiln.buffer(memory.ctypes.data, describe((2, 3))))
    assert tensor.data_ptr() == memory.ctypes.data
    tensor[0, 0] = 7
    assert memory[0] == 7
    half = np.zeros(4, np.uint16)
    brain = getattr(torch, take)(kiln.buffer(half.ctypes.data, describe((4,), trt.bfloat16)))
    brain.fill_(1)
    assert brain.dtype == torch.bfloat16
    assert half.tolist() == [0x3F80] * 4


def test_what_is_on_the_cpu():
    memory = np.zeros(2, np.float32)
    buffer = kiln.buffer(ptr=memory.ctypes.data, desc=describe((2,)), readonly=False)
    assert buffer.__dlpack_device__() == (1, 0)
    assert not hasattr(buffer, "__cuda_array_interface__")
    assert (buffer.ptr, buffer.shape, buffer.dtype) == (memory.ctypes.data, (2,), trt.float32)
    assert (buffer.device, buffer.readonly) == ("cpu", False)


def test_what_is_on_a_gpu():
    """A buffer only describes memory, so any address works."""
    buffer = kiln.buffer(64, describe((2,)), device="cuda")
    assert (buffer.device, buffer.is_cuda, buffer.__dlpack_device__()[0]) == ("cuda", True, 2)
    interface = buffer.__cuda_array_interface__
    assert interface["data"] == (64, False) and interface["shape"] == (2,)
    assert "stream" not in interface
    assert not hasattr(buffer, "__array_interface__")
    with pytest.raises(AttributeError, match=r"memory of a GPU: use torch\.as_tensor or cupy"):
        buffer.__array_interface__  # noqa: B018
    with pytest.raises(TypeError, match=r"got DataType\.FLOAT in memory of a GPU\. Use torch\.as"):
        np.asarray(buffer)
    brain = kiln.buffer(64, describe((2,), trt.bfloat16), device="cuda")
    assert not hasattr(brain, "__cuda_array_interface__")  # so that torch uses DLPack
    assert "dltensor" in repr(brain.__dlpack__())
    # CuPy falls back on this where there is no interface, so its own function is no way out.
    with pytest.raises(
        TypeError, match=r"got DataType\.BF16 in memory of a GPU\. Use torch\.from_"
    ):
        brain.__array__()


def test_device():
    memory = np.zeros(2, np.float32)
    buffer = kiln.buffer(memory.ctypes.data, describe((2,)), device="cpu")
    assert (buffer.device, buffer.is_cuda) == ("cpu", False)
    with pytest.raises(AttributeError, match=r"host memory: use np\.asarray, or torch\.as_tensor"):
        buffer.__cuda_array_interface__  # noqa: B018
    with pytest.raises(ValueError, match="expected 'cpu', 'cuda' or None, got 'tpu'"):
        kiln.buffer(memory.ctypes.data, describe((2,)), device="tpu")


def test_read_only():
    memory = np.ones(2, np.float32)
    buffer = kiln.buffer(memory.ctypes.data, describe((2,)), readonly=True)
    for array in (np.asarray(buffer), np.from_dlpack(buffer)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2
    with pytest.raises(BufferError, match=r"expected a reader of DLPack 1\.0 or later"):
        buffer.__dlpack__()


def test_the_array_of_a_type_that_numpy_has():
    memory = np.arange(4, dtype=np.float32)
    buffer = kiln.buffer(memory.ctypes.data, describe((4,)))
    assert buffer.__array__().ctypes.data == memory.ctypes.data
    assert buffer.__array__(np.int32).tolist() == [0, 1, 2, 3]
    assert buffer.__array__(copy=True).ctypes.data != memory.ctypes.data


def test_what_an_old_ml_dtypes_lacks(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", types.ModuleType("ml_dtypes"))
    memory = np.zeros(1, np.uint8)
    buffer = kiln.buffer(memory.ctypes.data, describe((1,), trt.e8m0))
    with pytest.raises(TypeError, match=r"got DataType\.E8M0\. Install a newer ml_dtypes, or use"):
        np.asarray(buffer)


def test_what_dlpack_refuses():
    buffer = kiln.buffer(0, describe((0, 3)))
    with pytest.raises(BufferError, match="expected the buffer's own device"):
        buffer.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="expected copy=None or False"):
        buffer.__dlpack__(copy=True)
    assert "dltensor_versioned" in repr(buffer.__dlpack__(max_version=(1, 0), dl_device=(1, 0)))
    assert "dltensor_versioned" not in repr(buffer.__dlpack__(stream=None, copy=False))


def test_other_descriptors():
    memory = np.arange(2, dtype=np.int32)
    dynamic = trt.DynamicPluginTensorDesc()
    dynamic.desc = describe((2,), trt.int32)
    named = types.SimpleNamespace(dims=(2,), type=trt.int32)
    array_like = types.SimpleNamespace(shape=(2,), dtype=trt.int32)
    for desc in (dynamic, named, array_like, kiln.buffer(memory.ctypes.data, named)):
        np.testing.assert_array_equal(np.asarray(kiln.buffer(memory.ctypes.data, desc)), [0, 1])


def test_scalars_and_empty_tensors():
    memory = np.full(1, 5.0, np.float32)
    assert np.asarray(kiln.buffer(memory.ctypes.data, describe(()))).item() == 5
    assert np.asarray(kiln.buffer(0, describe((0, 3)))).shape == (0, 3)
    assert np.from_dlpack(kiln.buffer(0, describe((2, 0)))).shape == (2, 0)


FORMATS = trt.TensorFormat


@pytest.mark.parametrize(("format", "group"), [
    (FORMATS.HWC, 1), (FORMATS.HWC8, 8), (FORMATS.HWC16, 16),
])  # fmt: skip
def test_channels_last(format, group):
    shape, stored = (2, 3, 4, 5), -(-3 // group) * group
    memory = np.zeros((2, 4, 5, stored), np.float32)
    memory[..., :3] = np.arange(120).reshape(2, 4, 5, 3)
    view = np.asarray(kiln.buffer(memory.ctypes.data, describe(shape, format=format)))
    np.testing.assert_array_equal(view, memory[..., :3].transpose(0, 3, 1, 2))


@pytest.mark.parametrize(("format", "group"), [(FORMATS.DHWC, 1), (FORMATS.DHWC8, 8)])
def test_channels_last_in_three_dimensions(format, group):
    shape, stored = (3, 2, 4, 5), -(-3 // group) * group
    memory = np.zeros((2, 4, 5, stored), np.float32)
    memory[..., :3] = np.arange(120).reshape(2, 4, 5, 3)
    view = np.asarray(kiln.buffer(memory.ctypes.data, describe(shape, format=format)))
    np.testing.assert_array_equal(view, memory[..., :3].transpose(3, 0, 1, 2))


@pytest.mark.parametrize(("format", "group"), [
    (FORMATS.CHW2, 2), (FORMATS.CHW4, 4), (FORMATS.CHW16, 16), (FORMATS.CHW32, 32),
])  # fmt: skip
def test_channels_in_groups(format, group):
    """Element [n, c, h, w] is at [n, c // group, h, w, c % group]."""
    groups = -(-5 // group)
    memory = np.arange(2 * groups * 12 * group, dtype=np.float32)
    view = np.asarray(kiln.buffer(memory.ctypes.data, describe((2, 5, 3, 4), format=format)))
    assert view.shape == (2, groups, 3, 4, group)
    np.testing.assert_array_equal(view.ravel(), memory)
    deep = describe((5, 1, 3, 4), format=FORMATS.CDHW32)
    assert kiln.buffer(memory.ctypes.data, deep).shape == (1, 1, 3, 4, 32)


BAD = [
    (0, describe((2,)), ValueError, r"expected the address of 2 elements, got 0, .* Pass an"),
    (
        64,
        describe((2, -1)),
        ValueError,
        r"dimension 1: expected an extent of 0 or more, got -1\. Extents",
    ),
    (64, describe((2,), trt.int4), TypeError, "expected a type of whole bytes, got DataType.INT4"),
    (64, describe((2, 2), format=FORMATS.CHW4), ValueError, "expected 3 or more dimensions"),
    (64, describe((2, 2, 2), format=FORMATS.DLA_LINEAR), ValueError, "expected a format of the"),
    (64, object(), TypeError, "or an object with dims and type, got object"),
    (64, np.zeros(2), TypeError, "type is dtype"),
]


@pytest.mark.parametrize(("pointer", "desc", "error", "message"), BAD)
def test_bad_arguments(pointer, desc, error, message):
    with pytest.raises(error, match=message):
        kiln.buffer(pointer, desc)
