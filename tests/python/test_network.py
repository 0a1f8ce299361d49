# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The network API from Python: layers, their settings, and an engine of all of them."""

import io
import os

import numpy as np
import pytest
import tensorrt as trt


@pytest.fixture
def network(logger):
    return trt.Builder(logger).create_network(0)


def test_layers_have_their_class_and_settings(network):
    x = network.add_input("x", trt.float32, (1, 3, 8, 8))
    kernel = np.ones((4, 3, 3, 3), np.float32)
    convolution = network.add_convolution_nd(x, 4, (3, 3), kernel)
    convolution.stride_nd = (2, 2)
    convolution.padding_nd = trt.DimsHW(1, 1)
    assert (convolution.stride_nd, convolution.padding_nd) == ((2, 2), (1, 1))
    assert (convolution.num_output_maps, convolution.num_groups) == (4, 1)
    assert convolution.kernel.size == 108
    assert convolution.bias.size == 0
    convolution.bias = np.zeros(4, np.float32)
    assert convolution.bias.size == 4
    y = convolution.get_output(0)
    assert y.shape == (1, 4, 4, 4)

    relu = network.add_activation(y, trt.ActivationType.LEAKY_RELU)
    relu.alpha = 0.5
    pooling = network.add_pooling_nd(relu.get_output(0), trt.PoolingType.AVERAGE, (2, 2))
    pooling.stride_nd = (2, 2)
    shuffle = network.add_shuffle(pooling.get_output(0))
    shuffle.reshape_dims = (1, -1)
    softmax = network.add_softmax(shuffle.get_output(0))
    softmax.axes = 1 << 1
    constant = network.add_constant((16, 2), np.ones((16, 2), np.float32))
    product = network.add_matrix_multiply(
        softmax.get_output(0), trt.MatrixOperation.NONE, constant.get_output(0),
        trt.MatrixOperation.NONE,
    )  # fmt: skip
    total = network.add_elementwise(
        product.get_output(0), product.get_output(0), trt.ElementWiseOperation.SUM
    )
    cast = network.add_cast(total.get_output(0), trt.float16)
    identity = network.add_identity(cast.get_output(0))

    classes = [type(network[i]) for i in range(len(network))]
    assert classes == [
        trt.IConvolutionLayer, trt.ILayer, trt.ILayer, trt.IShuffleLayer,
        trt.ISoftMaxLayer, trt.IConstantLayer, trt.IMatrixMultiplyLayer, trt.IElementWiseLayer,
        trt.ICastLayer, trt.IIdentityLayer,
    ]  # fmt: skip
    assert network[-1] is identity
    assert network.get_layer(0) is convolution
    assert (relu.alpha, relu.type) == (0.5, trt.ActivationType.LEAKY_RELU)
    assert (product.op0, cast.to_type) == (trt.MatrixOperation.NONE, trt.float16)
    assert identity.get_output(0).shape == (1, 2)
    assert identity.type == trt.LayerType.IDENTITY
    assert identity.get_input(0) is cast.get_output(0)
    with pytest.raises(IndexError, match="index 10 is out of range for 10 layers"):
        network[10]


def test_refused_calls_return_none(network, logger):
    x = network.add_input("x", trt.float32, (2, 3))
    assert network.add_input("x", trt.float32, (2, 3)) is None
    assert "x" in logger.errors()
    assert network.get_input(0) is x
    assert network.get_input(5) is None


def test_wrong_python_types(network):
    with pytest.raises(TypeError):
        network.add_input("x", "float32", (2,))
    with pytest.raises(TypeError):
        network.add_activation(None, trt.ActivationType.RELU)
    with pytest.raises(TypeError, match="expected a NumPy array or Weights, got list"):
        network.add_constant((2,), [1.0, 2.0])


def test_no_outputs(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    network.add_input("x", trt.float32, (2,))
    assert builder.build_serialized_network(network, builder.create_builder_config()) is None
    assert "output" in logger.errors()


def test_profile(logger):
    builder = trt.Builder(logger)
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 2), (3, 2), (5, 2))
    assert profile.get_shape("x") == [(1, 2), (3, 2), (5, 2)]
    assert profile.get_shape("y") == []
    assert profile
    with pytest.raises(
        ValueError, match=r"'y': expected min <= opt <= max .*, got max \(1,\) after opt \(2,\)"
    ):
        profile.set_shape("y", (1,), (2,), (1,))
    assert profile.get_shape_input("s") == []
    profile.set_shape_input("s", [1], [2], [3])
    assert profile.get_shape_input("s") == [[1], [2], [3]]


def test_config(logger):
    builder = trt.Builder(logger)
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.FP16)
    assert config.get_flag(trt.BuilderFlag.FP16)
    assert config.flags & 1 << int(trt.BuilderFlag.FP16)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert config.get_memory_pool_limit(trt.MemoryPoolType.WORKSPACE) == memory
    config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, 1 << 20)
    assert config.get_memory_pool_limit(trt.MemoryPoolType.WORKSPACE) == 1 << 20
    with builder, config:
        pass
    config.clear_flag(trt.BuilderFlag.FP16)
    assert not config.get_flag(trt.BuilderFlag.FP16)


def test_plan_is_a_buffer_and_runs(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (-1, 3))
    layer = network.add_activation(x, trt.ActivationType.RELU)
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 3), (2, 3), (4, 3))
    assert config.add_optimization_profile(profile) == 0
    plan = builder.build_serialized_network(network, config)
    assert plan.nbytes == len(plan) == len(bytes(plan)) == memoryview(plan).nbytes
    file = io.BytesIO()
    file.write(plan)
    assert file.getvalue() == bytes(plan)

    runtime = trt.Runtime(logger)
    for source in (plan, bytes(plan), bytearray(plan), memoryview(plan), np.frombuffer(plan, "u1")):
        engine = runtime.deserialize_cuda_engine(source)
        assert [engine[i] for i in range(engine.num_io_tensors)] == ["x", "y"]
    assert engine.get_tensor_mode("x") == trt.TensorIOMode.INPUT
    assert engine.get_tensor_shape("x") == (-1, 3)
    assert engine.get_tensor_dtype("y") == trt.float32
    assert engine.get_tensor_profile_shape("x", 0) == [(1, 3), (2, 3), (4, 3)]
    context = engine.create_execution_context()
    assert context.engine is engine
    values = np.array([[1, -2, 3]], np.float32)
    result = np.empty_like(values)
    assert context.set_input_shape("x", (1, 3))
    assert context.infer_shapes() == []
    assert context.get_tensor_shape("y") == (1, 3)
    assert context.execute_v2([values.ctypes.data, result.ctypes.data])
    np.testing.assert_array_equal(result, [[1, 0, 3]])
    assert context.set_tensor_address("x", values.ctypes.data)
    assert context.get_tensor_address("x") == values.ctypes.data
    with pytest.raises(ValueError, match="expected 2 addresses"):
        context.execute_v2([0])
    assert not context.set_input_shape("x", (9, 3))
    assert runtime.deserialize_cuda_engine(b"not a plan") is None
    assert "plan" in logger.errors()
