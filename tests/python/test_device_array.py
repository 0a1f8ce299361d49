# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""kiln.DeviceArray: what programs bind on either target."""

import ctypes
import os
import subprocess
import sys
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
    assert (x.shape, x.dtype, x.nbytes) == ((2, 2), np.int32, 16)
    assert x.ptr % 64 == 0
    assert (ctypes.c_int32 * 4).from_address(x.ptr)[3] == 4
    np.testing.assert_array_equal(x.set([5, 6]).numpy(), [[5, 6], [5, 6]])
    copy = x.numpy()
    copy[:] = 0
    assert x.numpy().max() == 6
    x.synchronize()


def test_shapes():
    assert kiln.DeviceArray((2, 3)).numpy().shape == (2, 3)
    assert kiln.DeviceArray((2, 3)).dtype == np.float32
    assert kiln.DeviceArray((), np.float16).nbytes == 2
    empty = kiln.DeviceArray((0, 3), np.int64)
    assert empty.ptr != 0 and empty.numpy().shape == (0, 3)
    strided = np.arange(6).reshape(2, 3).T
    np.testing.assert_array_equal(kiln.DeviceArray(strided).numpy(), strided)


def test_what_goes_wrong():
    with pytest.raises(RuntimeError, match=r"cannot allocate \d+ bytes"):
        kiln.DeviceArray((1 << 50,), np.float32)
    with pytest.raises(ValueError, match="broadcast"):
        kiln.DeviceArray((2,)).set([1, 2, 3])


def test_of_an_engine():
    """A plan runs where it was built for, whatever the default target is by then."""
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
    """Such as those of a GPU, in an engine for the cpu. Where no driver is, none is asked about."""
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
    """Plans for a GPU are built anywhere, but there is no memory of one."""
    kiln.set_default_target("cuda:sm_37")
    with pytest.raises(ValueError, match="cuda:sm_37"):
        kiln.DeviceArray((2,))
