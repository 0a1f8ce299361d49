# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors that are largest where no corner of the profile is: x[start:] at the largest x and the
smallest start."""

import numpy as np
import pytest
import tensorrt as trt

from onnx import TensorProto, helper

LENGTHS = (8, 32, 64)
STARTS = (0, 4, 8)
RUNS = [(64, 0), (64, 8), (8, 0), (8, 8), (33, 5), (64, 1)]


def engine_of(builder, network, logger, starts=STARTS):
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", *[(n, 3) for n in LENGTHS])
    profile.set_shape_input("start", *[[start] for start in starts])
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


def run(engine, x, start):
    """The output "y" of one run."""
    context = engine.create_execution_context()
    start = np.array([start], trt.nptype(engine.get_tensor_dtype("start")))
    assert context.set_input_shape("x", x.shape)
    assert context.set_tensor_address("x", x.ctypes.data)
    assert context.set_tensor_address("start", start.ctypes.data)
    assert context.infer_shapes() == []
    y = np.full(tuple(context.get_tensor_shape("y")), -1, np.float32)
    assert y.nbytes == context.get_max_output_size("y")
    assert context.set_tensor_address("y", y.ctypes.data)
    return y if context.execute_async_v3(0) else None


def sliced_network(logger):
    """y = exp(-x[start:]): both the slice and its negation are internal tensors."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (-1, 3))
    start = network.add_input("start", trt.int64, (1,))
    zero = network.add_constant((1,), np.array([0], np.int64)).get_output(0)
    begin = network.add_concatenation([start, zero]).get_output(0)
    extents = network.add_shape(x).get_output(0)
    size = network.add_elementwise(extents, begin, trt.ElementWiseOperation.SUB).get_output(0)
    layer = network.add_slice(x, (0, 0), (0, 0), (1, 1))
    layer.set_input(1, begin)
    layer.set_input(2, size)
    negated = network.add_unary(layer.get_output(0), trt.UnaryOperation.NEG).get_output(0)
    y = network.add_unary(negated, trt.UnaryOperation.EXP).get_output(0)
    y.name = "y"
    network.mark_output(y)
    return builder, network


def test_a_slice_from_a_computed_start(logger):
    builder, network = sliced_network(logger)
    engine = engine_of(builder, network, logger)
    for length, start in RUNS:
        x = np.random.default_rng(length).random((length, 3), np.float32)
        np.testing.assert_allclose(run(engine, x, start), np.exp(-x[start:]), rtol=1e-5)
    assert logger.errors() == ""


def test_a_profile_in_which_every_shape_is_negative(logger):
    builder, network = sliced_network(logger)
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", *[(n, 3) for n in LENGTHS])
    profile.set_shape_input("start", [65], [70], [80])
    config.add_optimization_profile(profile)
    assert builder.build_serialized_network(network, config) is None
    assert "the profile gives it the negative shape" in logger.errors()


@pytest.mark.parametrize("starts", [STARTS, (-8, 0, 8)])
def test_an_onnx_slice_from_a_computed_start(logger, starts):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    start = helper.make_tensor_value_info("start", TensorProto.INT64, [1])
    ends = helper.make_tensor("ends", TensorProto.INT64, [1], [2**63 - 1])
    axes = helper.make_tensor("axes", TensorProto.INT64, [1], [0])
    nodes = [
        helper.make_node("Slice", ["x", "start", "ends", "axes"], ["s"]),
        helper.make_node("Neg", ["s"], ["n"]),
        helper.make_node("Exp", ["n"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "g", [x, start], [y], [ends, axes])
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    assert parser.parse(model), logger.errors()
    engine = engine_of(builder, network, logger, starts)
    bound = 64 * 3 * np.dtype(np.float32).itemsize
    assert engine.device_memory_size_v2 <= 4 * (bound + 64)
    for length, first in [*RUNS, *[(length, -start) for length, start in RUNS if starts[0] < 0]]:
        data = np.random.default_rng(length).random((length, 3), np.float32)
        np.testing.assert_allclose(run(engine, data, first), np.exp(-data[first:]), rtol=1e-5)
    assert logger.errors() == ""
