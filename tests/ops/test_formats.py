# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every change of memory format between an engine's inputs and outputs, against NumPy."""

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from case import Logger

F = trt.TensorFormat
# Format: dimension of the channels from the end, whether they are innermost, channels per vector.
TRAITS = {
    F.LINEAR: (0, False, 1), F.CHW2: (3, False, 2), F.HWC8: (3, True, 8), F.CHW4: (3, False, 4),
    F.CHW16: (3, False, 16), F.CHW32: (3, False, 32), F.DHWC8: (4, True, 8),
    F.CDHW32: (4, False, 32), F.HWC: (3, True, 1), F.HWC16: (3, True, 16), F.DHWC: (4, True, 1),
}  # fmt: skip
TYPES = {np.float32: trt.float32, np.float16: trt.float16, np.int8: trt.int8}
SHAPES = [(2, 3, 20, 30), (2, 32, 9, 7), (1, 40, 16, 8), (3, 1, 5, 1), (2, 6, 3, 4, 5)]


def packed(x, tensor_format):
    """The elements of x in memory order, with zeros as padding."""
    from_end, channels_last, vector = TRAITS[tensor_format]
    if from_end == 0:
        return x.ravel()
    axis = x.ndim - from_end
    channels = x.shape[axis]
    padded = -(-channels // vector) * vector
    outer, inner = int(np.prod(x.shape[:axis])), int(np.prod(x.shape[axis + 1 :]))
    y = np.zeros((outer, padded, inner), x.dtype)
    y[:, :channels] = x.reshape(outer, channels, inner)
    if channels_last:
        return y.transpose(0, 2, 1).ravel()
    return y.reshape(outer, padded // vector, vector, inner).transpose(0, 1, 3, 2).ravel()


def engine_of(source, target, shape, dtype, logger):
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", TYPES[dtype], shape)
    x.allowed_formats = 1 << int(source)
    y = network.add_identity(x).get_output(0)
    y.name = "y"
    network.mark_output(y)
    y.allowed_formats = 1 << int(target)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


def check_change(source, target, shape, dtype):
    logger = Logger()
    context = engine_of(source, target, shape, dtype, logger).create_execution_context()
    memory = device_memory.for_target()
    stream = memory.Stream()
    values = np.random.default_rng(1).integers(1, 100, shape).astype(dtype)
    want = packed(values, target)
    # Values in the source's padding must not matter.
    given = np.where(packed(np.ones(shape, dtype), source) != 0, packed(values, source), dtype(77))
    x, y = memory.DeviceArray(given), memory.DeviceArray(np.full(want.size, 99, dtype))
    context.set_tensor_address("x", x.ptr)
    context.set_tensor_address("y", y.ptr)
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    np.testing.assert_array_equal(y.numpy(), want)
    assert logger.errors == []


def fits(tensor_format, shape):
    return len(shape) >= TRAITS[tensor_format][0]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_to_and_from_linear(shape, dtype):
    for tensor_format in TRAITS:
        if fits(tensor_format, shape):
            check_change(F.LINEAR, tensor_format, shape, dtype)
            check_change(tensor_format, F.LINEAR, shape, dtype)


PAIRS = [(F.CHW2, F.CHW32), (F.CHW32, F.HWC8), (F.HWC, F.HWC16), (F.HWC16, F.CHW4), (F.CHW4, F.HWC)]


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=str)
def test_between_others(source, target):
    for shape in SHAPES:
        check_change(source, target, shape, np.float16)
