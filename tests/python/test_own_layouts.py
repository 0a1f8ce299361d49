# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Layouts of the target's own between layers: an image of 3 channels in front of a convolution."""

import json

import numpy as np
import pytest
import tensorrt as trt

torch = pytest.importorskip("torch")


def build(logger, debug=False):
    """A convolution of an image in bfloat16, whose source the CPU may pad."""
    kernel = torch.rand(96, 3, 4, 4, generator=torch.Generator().manual_seed(1)) - 0.5
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (2, 3, 64, 64))
    scaled = network.add_elementwise(x, x, trt.ElementWiseOperation.SUM).get_output(0)
    if debug:
        network.mark_debug(scaled)
    layer = network.add_convolution_nd(scaled, 96, (4, 4), kernel.numpy())
    layer.stride_nd = (4, 4)
    y = network.add_activation(layer.get_output(0), trt.ActivationType.RELU).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.BF16)
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return plan, kernel


@pytest.mark.parametrize("debug", [False, True])
def test_result_and_inspector(logger, debug):
    plan, kernel = build(logger, debug)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    operands = [
        operand
        for layer in json.loads(text)["Layers"]
        for operand in layer["Inputs"] + layer["Outputs"]
        if operand is not None
    ]
    for operand in operands:  # neither users nor listeners see a padded tensor
        if operand["Name"] in ("x", "y"):
            assert operand["Format"] == "linear"
    x = np.random.default_rng(0).uniform(-1, 1, (2, 3, 64, 64)).astype(np.float32)
    y = np.empty((2, 96, 16, 16), np.float32)
    context = engine.create_execution_context()
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    assert context.execute_async_v3(0)
    wanted = torch.nn.functional.conv2d(torch.from_numpy(2 * x), kernel, stride=4).relu()
    np.testing.assert_allclose(y, wanted.numpy(), atol=0.1, rtol=0.05)
