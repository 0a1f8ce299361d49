# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The nonzero layer, which finds the number of its results when it runs, against NumPy.

The tests use the default target; test_emulated.py runs them on the emulated GPU.
"""

import device_memory
import kiln
import numpy as np
import pytest
import tensorrt as trt

from onnx import TensorProto, helper

MOST = 70
ROW = 130
TYPES = [trt.float32, trt.float16, trt.int32, trt.int64, trt.int8, trt.bool]


def numbers(shape, dtype, share):
    """Random numbers of which a share is not zero; NaN and -0 among floats."""
    rng = np.random.default_rng(len(shape) + shape[-1])
    values = np.where(rng.random(shape) < share, rng.integers(1, 100, shape), 0)
    values = np.ascontiguousarray(values.astype(trt.nptype(dtype)))
    if np.issubdtype(values.dtype, np.floating) and values.size > 2:
        values.flat[1], values.flat[2] = np.nan, -0.0
    return values


def build(logger, add_layers, x_type, shape, profile_shapes=None):
    """An engine of the layers that add_layers(network, x) adds; it returns the output."""
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", x_type, shape)
    y = add_layers(network, x)
    y.name = "y"
    network.mark_output(y)
    return open_engine(logger, builder, network, profile_shapes)


def open_engine(logger, builder, network, profile_shapes):
    config = builder.create_builder_config()
    if profile_shapes is not None:
        profile = builder.create_optimization_profile()
        profile.set_shape("x", *profile_shapes)
        config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


def run(context, x, y_type):
    """The output of one run, in a buffer of the bound; checks that nothing is written behind it."""
    memory = device_memory.for_target()
    assert context.set_input_shape("x", x.shape)
    dtype = trt.nptype(y_type)
    room = context.get_max_output_size("y") // np.dtype(dtype).itemsize
    source, target = memory.DeviceArray(x), memory.DeviceArray(np.full(room + 1, -7, dtype))
    stream = memory.Stream()
    assert context.set_tensor_address("x", source.ptr)
    assert context.set_tensor_address("y", target.ptr)
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    shape = tuple(kiln.found_shape(context, "y"))
    found = target.numpy()
    count = int(np.prod(shape))
    assert (found[count:] == -7).all()
    return found[:count].reshape(shape)


@pytest.mark.parametrize("x_type", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(1,), (7,), (5, 9), (3, 1, 4, 2), (0, 4), (MOST, ROW)], ids=str)
def test_indices(logger, x_type, shape):
    def layers(network, x):
        layer = network.add_non_zero(x)
        assert layer.type == trt.LayerType.NON_ZERO
        assert layer.indices_type == trt.int32
        assert tuple(layer.get_output(0).shape) == (len(shape), -1)
        return layer.get_output(0)

    context = build(logger, layers, x_type, shape).create_execution_context()
    for share in (0.0, 0.1, 0.9):
        x = numbers(shape, x_type, share)
        got = run(context, x, trt.int32)
        np.testing.assert_array_equal(got, np.array(np.nonzero(x), np.int32))


def test_dynamic_shapes_and_int64(logger):
    engine = build(
        logger,
        lambda network, x: network.add_non_zero(x, trt.int64).get_output(0),
        trt.float32,
        (-1, ROW),
        [(0, ROW), (8, ROW), (MOST, ROW)],
    )
    assert engine.get_tensor_dtype("y") == trt.int64
    context = engine.create_execution_context()
    for rows in (MOST, 0, 1, 33):
        x = numbers((rows, ROW), trt.float32, 0.5)
        np.testing.assert_array_equal(run(context, x, trt.int64), np.array(np.nonzero(x)))


def test_later_layers_have_the_number(logger):
    """A later layer runs on the found extent, also if it finds an extent itself."""

    def layers(network, x):
        found = network.add_non_zero(x).get_output(0)
        shuffle = network.add_shuffle(found)
        shuffle.first_transpose = (1, 0)
        return network.add_non_zero(shuffle.get_output(0)).get_output(0)

    context = build(
        logger, layers, trt.int32, (-1, 9), [(1, 9), (8, 9), (MOST, 9)]
    ).create_execution_context()
    for rows in (5, MOST, 2):
        x = numbers((rows, 9), trt.int32, 0.4)
        expected = np.array(np.nonzero(np.transpose(np.nonzero(x))))
        np.testing.assert_array_equal(run(context, x, trt.int32), expected)


def test_the_number_with_a_kernel_after_it(logger):
    def layers(network, x):
        found = network.add_non_zero(x).get_output(0)
        return network.add_elementwise(found, found, trt.ElementWiseOperation.SUM).get_output(0)

    context = build(logger, layers, trt.float32, (6, 7)).create_execution_context()
    for share in (0.3, 0.0, 1.0):
        x = numbers((6, 7), trt.float32, share)
        expected = 2 * np.array(np.nonzero(x), np.int32)
        np.testing.assert_array_equal(run(context, x, trt.int32), expected)


def test_onnx(logger):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 5])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, None)
    nodes = [
        helper.make_node("NonZero", ["x"], ["n"]),
        helper.make_node("Transpose", ["n"], ["t"]),
        helper.make_node("Identity", ["t"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "g", [x], [y])
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    assert parser.parse(model), [parser.get_error(i) for i in range(parser.num_errors)]
    context = open_engine(logger, builder, network, None).create_execution_context()
    data = numbers((4, 5), trt.float32, 0.5)
    np.testing.assert_array_equal(run(context, data, trt.int64), np.transpose(np.nonzero(data)))


def test_refusals(logger):
    network = trt.Builder(logger).create_network(0)
    x = network.add_input("x", trt.float32, (2, 3))
    assert network.add_non_zero(x, trt.float32) is None
    assert "expected indices of int32 or int64, got float32" in "".join(logger.errors)
    logger.errors.clear()


@pytest.mark.parametrize("index_type", [trt.int32, trt.int64], ids=str)
def test_scalar(logger, index_type):
    """A scalar has no axes, but an element that may not be zero."""
    context = build(
        logger,
        lambda network, x: network.add_non_zero(x, index_type).get_output(0),
        trt.float32,
        (),
    ).create_execution_context()
    for value in (3.0, 0.0):
        found = run(context, np.array(value, np.float32), index_type)
        assert found.shape == (0, int(value != 0))
