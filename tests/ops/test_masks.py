# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Masks made of ranges: small ones are constants of the engine. Either target."""

import json

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from case import Logger


def range_along(network, shape, axis):
    layer = network.add_fill(shape, trt.FillOperation.LINSPACE, trt.int32)
    steps = np.zeros(len(shape), np.int32)
    steps[axis] = 1
    for i, values in [(1, np.zeros((), np.int32)), (2, steps)]:
        layer.set_input(i, network.add_constant(values.shape, trt.Weights(values)).get_output(0))
    return layer.get_output(0)


def triangle(logger, extent, reads_ranges=False):
    """An engine that keeps the lower triangle of x, and its layers."""
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", trt.float32, (2, extent, extent))
    rows, columns = (range_along(network, (1, extent, extent), axis) for axis in (1, 2))
    above = network.add_elementwise(rows, columns, trt.ElementWiseOperation.LESS).get_output(0)
    zero = network.add_constant((1, 1, 1), trt.Weights(np.zeros((1, 1, 1), np.float32)))
    outputs = [network.add_select(above, zero.get_output(0), x).get_output(0)]
    if reads_ranges:
        outputs.append(network.add_identity(rows).get_output(0))
    for i, output in enumerate(outputs):
        output.name = f"y{i}"
        network.mark_output(output)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    told = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    return engine, json.loads(told)["Layers"]


def run(engine, extent):
    memory = device_memory.for_target()
    context, stream = engine.create_execution_context(), memory.Stream()
    x = np.random.default_rng(5).uniform(-1, 1, (2, extent, extent)).astype(np.float32)
    arrays = {"x": memory.DeviceArray(x)}
    for i in range(1, engine.num_io_tensors):
        name = engine.get_tensor_name(i)
        shape, dtype = engine.get_tensor_shape(name), trt.nptype(engine.get_tensor_dtype(name))
        arrays[name] = memory.DeviceArray(np.zeros(tuple(shape), dtype))
    for name, array in arrays.items():
        assert context.set_tensor_address(name, array.ptr)
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    return x, {name: array.numpy() for name, array in arrays.items()}


def types_of(layers):
    return {layer["LayerType"] for layer in layers}


@pytest.mark.parametrize("extent", [300, 37])
def test_mask_is_a_constant(extent):
    engine, layers = triangle(Logger(), extent)
    assert len(layers) == 1, [layer["Name"] for layer in layers]
    x, results = run(engine, extent)
    np.testing.assert_array_equal(results["y0"], np.tril(x))


def test_plan_holds_the_mask_and_no_ranges():
    engine, _ = triangle(Logger(), 1000)
    mask = 1000 * 1000
    assert mask < engine.serialize().nbytes < 1.1 * mask


def test_range_with_another_reader():
    engine, layers = triangle(Logger(), 300, reads_ranges=True)
    assert "ElementWise" not in types_of(layers)
    x, results = run(engine, 300)
    np.testing.assert_array_equal(results["y0"], np.tril(x))
    np.testing.assert_array_equal(results["y1"][0, :, 0], np.arange(300))


def test_large_mask_is_computed():
    """A mask of more than 4 MiB."""
    engine, layers = triangle(Logger(), 2100)
    assert len(layers) > 1
    x, results = run(engine, 2100)
    np.testing.assert_array_equal(results["y0"], np.tril(x))
