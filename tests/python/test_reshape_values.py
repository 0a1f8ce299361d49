# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Reshape dimensions from values of an input: 0 and -1 mean the same as in a constant."""

import numpy as np
import pytest
import tensorrt as trt

from onnx import TensorProto, helper

STRONG = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)


def expected(x, dims, zero_copies=True):
    """NumPy's reshape, with zeros copied as ONNX and shuffle layers do."""
    copied = [x.shape[i] if d == 0 and zero_copies else d for i, d in enumerate(dims)]
    return x.reshape(copied)


def engine_of(builder, network, logger, ranges, shapes=()):
    """An engine whose input "dims" has values in a range; `shapes` are ranges of other inputs."""
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape_input("dims", *ranges)
    for name, *corners in shapes:
        profile.set_shape(name, *corners)
    assert profile.get_shape_input("dims") == [list(values) for values in ranges]
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


def run(engine, x, dims):
    """The output of one run, with the shape from the context; None if the run is refused."""
    context = engine.create_execution_context()
    x = np.ascontiguousarray(x)
    assert context.set_input_shape("x", x.shape)
    dims = np.array(dims, trt.nptype(engine.get_tensor_dtype("dims")))
    assert context.set_tensor_address("x", x.ctypes.data)
    assert context.set_tensor_address("dims", dims.ctypes.data)
    if context.infer_shapes():
        return None  # names of what is missing, or the values do not fit
    shape = tuple(context.get_tensor_shape("y"))
    y = np.full(shape, -1, np.float32)
    assert context.set_tensor_address("y", y.ctypes.data)
    return y if context.execute_async_v3(0) else None


def shuffle_network(logger, x_shape, count, dtype=trt.int64, zero_copies=True, first=None):
    builder = trt.Builder(logger)
    network = builder.create_network(STRONG)
    x = network.add_input("x", trt.float32, x_shape)
    layer = network.add_shuffle(x)
    layer.zero_is_placeholder = zero_copies
    if first is not None:
        layer.first_transpose = first
    layer.set_input(1, network.add_input("dims", dtype, (count,)))
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    return builder, network


@pytest.mark.parametrize("dtype", [trt.int32, trt.int64])
def test_values_of_a_shape_input(logger, dtype):
    builder, network = shuffle_network(logger, (4, 3, 2), 2, dtype)
    engine = engine_of(builder, network, logger, ([-1, -1], [4, 6], [24, 24]))
    x = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    for dims in ([4, 6], [0, -1], [-1, 6], [-1, 0], [24, 1], [2, -1]):
        np.testing.assert_array_equal(run(engine, x, dims), expected(x, dims))


def test_all_corners_with_a_minus_one(logger):
    builder, network = shuffle_network(logger, (-1, 6), 2)
    engine = engine_of(
        builder, network, logger, ([1, -1], [2, -1], [3, -1]), [("x", (1, 6), (2, 6), (4, 6))]
    )
    for rows, first in ((1, 1), (1, 3), (2, 2), (4, 3), (4, 1)):
        x = np.random.default_rng(rows).random((rows, 6), np.float32)
        np.testing.assert_array_equal(run(engine, x, [first, -1]), x.reshape(first, -1))


def test_zero_is_an_extent_where_it_is_no_placeholder(logger):
    builder, network = shuffle_network(logger, (0, 3), 2, zero_copies=False)
    engine = engine_of(builder, network, logger, ([0, 0], [5, 0], [5, 9]))
    x = np.empty((0, 3), np.float32)
    assert run(engine, x, [5, 0]).shape == (5, 0)
    assert run(engine, x, [0, 9]).shape == (0, 9)


def test_transposed_first(logger):
    builder, network = shuffle_network(logger, (2, 3, 4), 2, first=(2, 0, 1))
    engine = engine_of(builder, network, logger, ([-1, -1], [4, 6], [24, 24]))
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for dims in ([0, -1], [-1, 3]):
        moved = x.transpose(2, 0, 1)
        np.testing.assert_array_equal(run(engine, x, dims), expected(moved, dims))


@pytest.mark.parametrize("dims", [[5, -1], [7, 7], [-1, -1]])
def test_values_that_do_not_fit_are_refused(logger, dims):
    builder, network = shuffle_network(logger, (4, 3, 2), 2)
    engine = engine_of(builder, network, logger, ([-1, -1], [4, 6], [24, 24]))
    assert run(engine, np.zeros((4, 3, 2), np.float32), dims) is None
    assert logger.errors()


def onnx_engine(logger, allowzero, x_shape, ranges, shapes=()):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, x_shape)
    dims = helper.make_tensor_value_info("dims", TensorProto.INT64, [len(ranges[0])])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    node = helper.make_node("Reshape", ["x", "dims"], ["y"], "reshape", allowzero=allowzero)
    graph = helper.make_graph([node], "g", [x, dims], [y])
    opsets = [helper.make_opsetid("", 14)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    builder = trt.Builder(logger)
    network = builder.create_network(STRONG)
    parser = trt.OnnxParser(network, logger)
    assert parser.parse(model.SerializeToString()), logger.errors()
    return engine_of(builder, network, logger, ranges, shapes)


def test_onnx_reshape(logger):
    engine = onnx_engine(
        logger,
        0,
        ["rows", 3, 2],
        ([-1, -1, 1], [2, 6, 1], [24, 24, 6]),
        [("x", (1, 3, 2), (2, 3, 2), (4, 3, 2))],
    )
    for rows, dims in ((4, [0, -1, 2]), (2, [-1, 0, 1]), (1, [1, 6, 1]), (4, [2, -1, 3])):
        x = np.random.default_rng(rows).random((rows, 3, 2), np.float32)
        np.testing.assert_array_equal(run(engine, x, dims), expected(x, dims))


def test_onnx_reshape_that_allows_zeros(logger):
    engine = onnx_engine(logger, 1, [0, 3], ([0, 0], [5, 0], [5, 9]))
    assert run(engine, np.empty((0, 3), np.float32), [5, 0]).shape == (5, 0)
