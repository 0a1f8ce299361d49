# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Slices, splits and concatenations that move nothing, against NumPy, also with dynamic shapes.

tests/compiler/make_views_test.cpp checks which ones these are.
"""

import json

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from case import Logger


@pytest.fixture
def logger():
    return Logger()


def sliced(network, x, start, stop):
    """x[start:stop] of the first axis; numbers from the front, or from the end."""
    shape = network.add_shape(x).get_output(0)
    rank = len(x.shape)

    def numbers(values):
        return network.add_constant((rank,), np.array(values, np.int64)).get_output(0)

    def added(number):
        inputs = (shape, numbers([number] + [0] * (rank - 1)))
        return network.add_elementwise(*inputs, trt.ElementWiseOperation.SUM).get_output(0)

    zeros, ones = (0,) * rank, (1,) * rank
    layer = network.add_slice(x, (start, *zeros[1:]), zeros, ones)
    if stop > 0:
        inputs = (shape, numbers([stop - start] + [2**30] * (rank - 1)))
        minimum = network.add_elementwise(*inputs, trt.ElementWiseOperation.MIN)
        layer.set_input(2, minimum.get_output(0))
    else:
        layer.set_input(2, added(stop - start))
    return layer.get_output(0)


def joined(network, *parts):
    layer = network.add_concatenation(parts)
    layer.axis = 0
    return layer.get_output(0)


def exponent(network, x):
    return network.add_unary(x, trt.UnaryOperation.EXP).get_output(0)


def softmax(network, x):
    layer = network.add_softmax(x)
    layer.axes = 1 << (len(x.shape) - 1)
    return layer.get_output(0)


def np_softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def part(network, x):
    return exponent(network, sliced(network, x, 1, 3)), lambda v: np.exp(v[1:3])


def rest(network, x):
    return softmax(network, sliced(network, x, 2, 0)), lambda v: np_softmax(v[2:])


def halves(network, x):
    first = softmax(network, sliced(network, x, 0, 2))
    last = softmax(network, sliced(network, x, 2, 0))
    return joined(network, last, first), lambda v: np_softmax(np.concatenate([v[2:], v[:2]]))


def parts_of_parts(network, x):
    inner = sliced(network, sliced(network, x, 1, 0), 1, -1)
    return exponent(network, inner), lambda v: np.exp(v[2:-1])


def chain(network, x):
    y = softmax(network, x)
    z = softmax(network, y)
    both = joined(network, y, z)
    return softmax(network, sliced(network, both, 1, -1)), lambda v: np_softmax(
        np.concatenate([np_softmax(v), np_softmax(np_softmax(v))])[1:-1]
    )


def joined_twice(network, x):
    y, z = softmax(network, x), exponent(network, x)
    both = joined(network, y, z)
    again = joined(network, both, y)
    return exponent(network, again), lambda v: np.exp(
        np.concatenate([np_softmax(v), np.exp(v), np_softmax(v)])
    )


@pytest.mark.parametrize("layers", [part, rest, halves, parts_of_parts, chain, joined_twice])
@pytest.mark.parametrize("inner", [(16,), (2, 24), (7,)], ids=str)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_numbers(logger, layers, inner, dynamic):
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    config = builder.create_builder_config()
    x = network.add_input("x", trt.float32, (-1 if dynamic else 5, *inner))
    if dynamic:
        profile = builder.create_optimization_profile()
        profile.set_shape("x", (4, *inner), (5, *inner), (40, *inner))
        config.add_optimization_profile(profile)
    y, expected = layers(network, x)
    y.name = "y"
    network.mark_output(y)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors
    context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
    memory = device_memory.for_target()
    stream = memory.Stream()
    for rows in (5, 40, 4) if dynamic else (5,):
        values = np.random.default_rng(rows).standard_normal((rows, *inner)).astype(np.float32)
        want = expected(values)
        source = memory.DeviceArray(values)
        target = memory.DeviceArray(np.full(want.shape, np.nan, np.float32))
        assert context.set_input_shape("x", values.shape)
        assert context.set_tensor_address("x", source.ptr)
        assert context.set_tensor_address("y", target.ptr)
        assert context.execute_async_v3(stream.handle), logger.errors
        stream.synchronize()
        np.testing.assert_allclose(target.numpy(), want, rtol=2e-6, atol=2e-6)


def test_truth_values_as_bytes(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", trt.float32, (4, 16))
    equal = network.add_elementwise(x, x, trt.ElementWiseOperation.EQUAL).get_output(0)
    turned = network.add_shuffle(equal)
    turned.first_transpose = (1, 0)
    y = network.add_cast(turned.get_output(0), trt.int8).get_output(0)
    shuffle = network.add_shuffle(y)
    shuffle.first_transpose = (1, 0)
    y = shuffle.get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    inspector = engine.create_engine_inspector()
    text = inspector.get_engine_information(trt.LayerInformationFormat.JSON)
    names = [layer["TacticName"] for layer in json.loads(text)["Layers"]]
    assert not any("/cast" in name for name in names), names
    values = np.ones((4, 16), np.float32)
    values[1, 3] = np.nan
    memory = device_memory.for_target()
    stream = memory.Stream()
    source, target = memory.DeviceArray(values), memory.DeviceArray(np.full((4, 16), 7, np.int8))
    context = engine.create_execution_context()
    assert context.set_tensor_address("x", source.ptr)
    assert context.set_tensor_address("y", target.ptr)
    assert context.execute_async_v3(stream.handle), logger.errors
    stream.synchronize()
    np.testing.assert_array_equal(target.numpy(), (values == values).astype(np.int8))


@pytest.mark.parametrize("viewed", [True, False], ids=["view", "layer"])
@pytest.mark.parametrize("extent", [2, 9], ids=["too few", "too many"])
def test_reshape_of_another_number_of_elements(logger, viewed, extent):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    x = network.add_input("x", trt.float32, (-1, 8))
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 8), (3, 8), (9, 8))
    config.add_optimization_profile(profile)
    shuffle = network.add_shuffle(x)
    shuffle.reshape_dims = (6, 4)
    y = shuffle.get_output(0)
    y = softmax(network, y) if viewed else y
    network.mark_output(y)
    plan = builder.build_serialized_network(network, config)
    context = trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
    memory = device_memory.for_target()
    stream = memory.Stream()
    for rows, works in ((3, True), (extent, False), (3, True)):
        source, target = (
            memory.DeviceArray(np.ones(shape, np.float32)) for shape in ((rows, 8), (6, 4))
        )
        assert context.set_input_shape("x", (rows, 8))
        context.set_tensor_address("x", source.ptr)
        context.set_tensor_address(y.name, target.ptr)
        assert context.execute_async_v3(stream.handle) == works
        stream.synchronize()
    elements = f"elements of [{extent},8]"
    expected = f"the {8 * extent} elements of 'x' of shape [{extent},8], got [6,4]"
    assert len(logger.errors) == 1
    assert (expected if viewed else elements) in logger.errors[0]
