# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""kiln.DeviceArray: what programs bind on either target."""

import ctypes
import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import kiln
import numpy as np
import pytest
import tensorrt as trt


@pytest.fixture(autouse=True)
def cpu():
    kiln.set_default_target("cpu")
    yield
    kiln.set_default_target(None)


def test_values():
    x = kiln.DeviceArray([[1, 2], [3, 4]], np.int32)
    assert (x.shape, x.dtype, x.nbytes, x.size, x.ndim) == ((2, 2), np.int32, 16, 4, 2)
    assert (x.type, x.device, len(x)) == (trt.int32, "cpu", 2)
    assert x.ptr % 64 == 0
    assert (ctypes.c_int32 * 4).from_address(x.ptr)[3] == 4
    np.testing.assert_array_equal(x.set([5, 6]).numpy(), [[5, 6], [5, 6]])
    copy = x.numpy()
    copy[:] = 0
    assert x.numpy().max() == 6
    x.synchronize()
    assert repr(x) == "DeviceArray(shape=(2, 2), dtype=int32, device='cpu')"


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([-1.0, 2], None, "float32"),
        (np.array([0.5]), None, "float32"),
        ([1, 2], None, "int64"),
        ([True], None, "bool"),
        (2.5, None, "float32"),
        (np.float16([1]), None, "float16"),
        (np.array([1, 2], ">i4"), None, "int32"),
        ([1, 2], "float32", "float32"),
        ([1, 2], trt.int8, "int8"),
        ([1.0, 2.0], np.int32, "int32"),
        ([1, 0], trt.bool, "bool"),
        ([1, 0.1], np.float16, "float16"),
        (np.arange(6).reshape(2, 3).T, np.uint8, "uint8"),
        ([[]], None, "float32"),
    ],
)
def test_types_of_values(values, dtype, expected):
    array = kiln.DeviceArray(values, dtype)
    assert array.dtype.name == expected
    assert array.type == getattr(trt, expected)
    np.testing.assert_array_equal(array.numpy(), np.asarray(values).astype(expected))


def test_types_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in ("bfloat16", trt.bfloat16, ml_dtypes.bfloat16):
        array = kiln.DeviceArray([1.5, -2], dtype)
        assert array.type == trt.bfloat16
        assert np.asarray(array).astype(np.float32).tolist() == [1.5, -2]
    assert kiln.DeviceArray.empty(3, trt.fp8).nbytes == 3


@pytest.mark.parametrize(
    ("values", "dtype", "error", "message"),
    [
        ([1.0], np.float64, TypeError, r"dtype: expected one that engines have \(float32.*float64"),
        ([1.0], "complex64", TypeError, "got complex64"),
        (np.uint16([1]), None, TypeError, "got uint16. Give one of these"),
        (["a"], None, TypeError, "got str32"),
        (["a"], "int32", TypeError, "expected numbers, got an array of <U1"),
        ([1], trt.int4, TypeError, "got INT4"),
        ([1.5], np.int32, ValueError, "expected what int32 can hold, got 1.5"),
        ([300], np.uint8, ValueError, "expected what uint8 can hold, got 300"),
        ([float("nan")], np.int32, ValueError, "expected what int32 can hold, got nan"),
        ([1e300], None, ValueError, r"expected what float32 can hold, got 1e\+300"),
        ([1e6], "float16", ValueError, "expected what float16 can hold"),
        (
            (4,),
            None,
            TypeError,
            r"DeviceArray.empty\(\(4,\)\) for .*DeviceArray\(\[4\]\) for these",
        ),
    ],
)
def test_what_no_engine_has(values, dtype, error, message):
    with pytest.raises(error, match=message):
        kiln.DeviceArray(values, dtype)


def test_shapes():
    assert kiln.DeviceArray.empty((2, 3)).numpy().shape == (2, 3)
    assert kiln.DeviceArray.empty((2, 3)).dtype == np.float32
    assert kiln.DeviceArray.empty((), np.float16).nbytes == 2
    assert kiln.DeviceArray.empty(5, trt.int8).shape == (5,)
    assert kiln.DeviceArray.empty(np.array([2, 3])).shape == (2, 3)
    assert kiln.DeviceArray.empty(np.int64(4)).shape == (4,)
    assert kiln.DeviceArray.empty(trt.Dims((2, 3))).shape == (2, 3)
    assert kiln.DeviceArray.zeros([2, 2], np.int32).numpy().tolist() == [[0, 0], [0, 0]]
    empty = kiln.DeviceArray.empty((0, 3), np.int64)
    assert empty.ptr != 0 and empty.numpy().shape == (0, 3)
    strided = np.arange(6).reshape(2, 3).T
    np.testing.assert_array_equal(kiln.DeviceArray(strided).numpy(), strided)
    with pytest.raises(ValueError, match=r"shape: expected extents of 0 or more, got \(-1, 3\)"):
        kiln.DeviceArray.empty((-1, 3))


def test_what_goes_wrong():
    with pytest.raises(RuntimeError, match=r"cannot allocate \d+ bytes"):
        kiln.DeviceArray.empty((1 << 50,), np.float32)
    with pytest.raises(ValueError, match="broadcast"):
        kiln.DeviceArray.empty((2,)).set([1, 2, 3])
    with pytest.raises(ValueError, match="int32 can hold, got 0"):
        kiln.DeviceArray.empty((2,), np.int32).set([1, 0.5])
    with pytest.raises(TypeError, match="an array with a dimension"):
        len(kiln.DeviceArray(1.0))
    with pytest.raises(TypeError, match=r"Loop over .numpy\(\)"):
        list(kiln.DeviceArray([1.0]))


def test_array_protocols():
    """Views, not copies; they keep the memory alive."""
    x = kiln.DeviceArray([[1.0, 2], [3, 4]])
    for view in (np.asarray(x), np.from_dlpack(x)):
        assert view.dtype == np.float32 and view.ctypes.data == x.ptr
        np.testing.assert_array_equal(view, [[1, 2], [3, 4]])
    np.asarray(x)[0, 0] = 9
    assert x.numpy()[0, 0] == 9
    assert np.array(x, np.float64).dtype == np.float64
    assert x.__array__().ctypes.data == x.ptr and x.__array__(copy=True).ctypes.data != x.ptr
    assert x.__array__(np.float64).dtype == np.float64
    assert x.__dlpack_device__() == (1, 0)
    assert not hasattr(x, "__cuda_array_interface__")
    flags = kiln.DeviceArray([True, False])
    assert np.asarray(flags).tolist() == [True, False]


@pytest.mark.parametrize("view", [np.asarray, np.from_dlpack], ids=["interface", "dlpack"])
def test_views_keep_the_memory(view):
    x = kiln.DeviceArray([1.0, 2])
    seen = weakref.ref(x)
    kept = view(x)
    del x
    gc.collect()
    assert seen() is not None and kept.tolist() == [1, 2]
    del kept
    gc.collect()
    assert seen() is None


def test_torch_takes_it():
    torch = pytest.importorskip("torch")
    x = kiln.DeviceArray([1.0, 2])
    for tensor in (torch.as_tensor(x, device=x.device), torch.from_dlpack(x)):
        assert tensor.data_ptr() == x.ptr and tensor.tolist() == [1, 2]
    capsule = x.__dlpack__()
    del x
    gc.collect()
    assert torch.from_dlpack(capsule).tolist() == [1, 2]
    zeros = kiln.DeviceArray.zeros(3, trt.int64)
    torch.as_tensor(zeros, device="cpu").fill_(7)
    assert zeros.numpy().tolist() == [7, 7, 7]


def make_context():
    """y = x + x. x: [-1, 2], float."""
    logger = trt.Logger()
    builder = trt.Builder(logger)
    network = builder.create_network()
    x = network.add_input("x", trt.float32, (-1, 2))
    y = network.add_elementwise(x, x, trt.ElementWiseOperation.SUM).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config, profile = builder.create_builder_config(), builder.create_optimization_profile()
    profile.set_shape("x", (1, 2), (2, 2), (4, 2))
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
    assert context.set_input_shape("x", (2, 2))
    return context


@pytest.fixture
def context():
    return make_context()


def test_arrays_are_bound_as_they_are(context):
    x, y = kiln.DeviceArray([[1.0, 2], [3, 4]]), kiln.DeviceArray.empty((2, 2))
    assert context.execute_v2([x, y])
    assert y.numpy().tolist() == [[2, 4], [6, 8]]
    assert context.execute_v2(bindings=(x.ptr, y.set(0))), "ints and arrays"
    assert y.numpy()[1, 1] == 8
    assert context.set_tensor_address("x", x) and context.set_tensor_address("y", memory=y.set(0))
    assert context.get_tensor_address("x") == x.ptr
    assert context.execute_async_v3(0)
    assert y.numpy()[1, 1] == 8


@pytest.mark.parametrize("how", ["address", "v2"])
def test_wrong_arrays_are_refused(context, how):
    good = kiln.DeviceArray.zeros((2, 2))

    def bind(array):
        return context.set_tensor_address("x", array) if how == "address" else (
            context.execute_v2([array, good]))  # fmt: skip

    with pytest.raises(TypeError, match=r"tensor 'x': expected a DeviceArray of FLOAT, got one of "
                       r"INT64. Make it with dtype=trt.DataType.FLOAT"):  # fmt: skip
        bind(kiln.DeviceArray([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match=r"tensor 'x': expected a DeviceArray of 16 bytes or more "
                       r"for the shape \(2, 2\), got 8 bytes, shape \(1, 2\)"):  # fmt: skip
        bind(kiln.DeviceArray.zeros((1, 2)))
    with pytest.raises(TypeError, match=r"tensor 'x': expected an address \(int\) or a "
                       r"kiln.DeviceArray, got numpy.ndarray. Pass the address"):  # fmt: skip
        bind(np.zeros((2, 2), np.float32))
    with pytest.raises(ValueError, match="bindings: expected 2 addresses"):
        context.execute_v2([good])


def test_a_bound_array_lives():
    context = make_context()
    assert context.set_tensor_address("x", kiln.DeviceArray([[1.0, 2], [3, 4]]))
    y = kiln.DeviceArray.zeros((2, 2))
    seen = weakref.ref(y)
    assert context.set_tensor_address("y", y)
    assert context.execute_async_v3(0) and y.numpy()[1, 1] == 8
    del y
    gc.collect()
    assert seen() is not None
    other = kiln.DeviceArray.zeros((2, 2))
    assert context.set_tensor_address("y", other.ptr)
    assert seen() is None, "no longer bound"
    assert context.set_tensor_address("y", other)
    seen = weakref.ref(other)
    del other, context
    gc.collect()
    assert seen() is None, "the context is gone"


def test_of_an_engine():
    """A plan runs on the target that it was built for, whatever the default target is."""
    builder = trt.Builder(trt.Logger())
    network = builder.create_network()
    x = network.add_input("x", trt.float32, (2,))
    network.mark_output(network.add_identity(x).get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    engine = trt.Runtime(trt.Logger()).deserialize_cuda_engine(plan)
    kiln.set_default_target("cuda:sm_37")
    x = kiln.DeviceArray([1, 2], np.float32, engine=engine)
    assert x._device.target == "cpu"
    assert (ctypes.c_float * 2).from_address(x.ptr)[1] == 2


ADDRESSES = """
import ctypes, sys
import tensorrt as trt
from list_logger import ListLogger

builder = trt.Builder(logger := ListLogger())
network = builder.create_network()
x = network.add_input("x", trt.float32, (2,))
network.mark_output(network.add_identity(x).get_output(0))
plan = builder.build_serialized_network(network, builder.create_builder_config())
context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
driver = ctypes.CDLL(sys.argv[1])
array = (ctypes.c_float * 2)()
assert context.set_tensor_address("x", ctypes.addressof(array))
assert not context.set_tensor_address("x", 64)
print(logger.errors())
"""


def test_addresses_that_the_host_cannot_read(tmp_path):
    """For example GPU addresses in an engine for the cpu; checked only if a driver is loaded."""
    driver = tmp_path / "driver.so"
    compiler = ["cc", "-shared", "-Wl,-soname,libcuda.so.1", "-x", "c", "/dev/null", "-o", driver]
    subprocess.run(compiler, check=True)
    done = subprocess.run(
        [sys.executable, "-c", ADDRESSES, driver],
        cwd=Path(__file__).parent,
        env={**os.environ, "KILN_TARGET": "cpu"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "[run] tensor 'x', address 0x40: expected memory that the host can read" in done.stdout
    assert "build the engine for the target cuda" in done.stdout


def test_target_without_a_device():
    """Plans for a GPU can be built without one, but memory cannot be allocated."""
    kiln.set_default_target("cuda:sm_37")
    with pytest.raises(ValueError, match="cuda:sm_37"):
        kiln.DeviceArray.empty((2,))
