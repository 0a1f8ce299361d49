# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A deprecated name works, and warns at its first use in a process, naming its replacement."""

import subprocess
import sys
import textwrap

PROGRAM = """
    import warnings
    import numpy as np
    import tensorrt as trt

    logger = trt.Logger(trt.Logger.INTERNAL_ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    config = builder.create_builder_config()
    x = network.add_input("x", trt.float32, (2, 3))
    layer = network.add_activation(x, trt.ActivationType.RELU)
    network.mark_output(layer.get_output(0))
    plan = builder.build_serialized_network(network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)

    class Allocator(trt.IGpuAllocator):
        def allocate(self, size, alignment, flags):
            return 0

        def deallocate(self, memory):
            return True

    class AsyncAllocator(trt.IGpuAsyncAllocator):
        def allocate_async(self, size, alignment, stream, flags):
            return 0

        def deallocate_async(self, memory, stream):
            return True

    def set_workspace():
        config.max_workspace_size = 1 << 20
        assert config.get_memory_pool_limit(trt.MemoryPoolType.WORKSPACE) == 1 << 20

    def keep(name, kind):
        value = kind()
        setattr(config, name, value)
        assert getattr(config, name) is value

    CALLS = {
        "IBuilderConfig.max_workspace_size": set_workspace,
        "IBuilderConfig.int8_calibrator": lambda: keep(
            "int8_calibrator", trt.IInt8MinMaxCalibrator),
        "IBuilderConfig.algorithm_selector": lambda: keep(
            "algorithm_selector", trt.IAlgorithmSelector),
        "IBuilderConfig.set_calibration_profile": lambda: config.set_calibration_profile(
            profile=builder.create_optimization_profile()),
        "IBuilderConfig.get_calibration_profile": lambda: config.get_calibration_profile(),
        "ICudaEngine.create_execution_context_without_device_memory":
            lambda: engine.create_execution_context_without_device_memory(),
        "ICudaEngine.get_device_memory_size_for_profile":
            lambda: engine.get_device_memory_size_for_profile(profile_index=0),
        "ICudaEngine.device_memory_size": lambda: engine.device_memory_size,
        "ICudaEngine.has_implicit_batch_dimension": lambda: engine.has_implicit_batch_dimension,
        "ICudaEngine.minimum_weight_streaming_budget":
            lambda: engine.minimum_weight_streaming_budget,
        "ICudaEngine.weight_streaming_budget": lambda: engine.weight_streaming_budget,
        "IGpuAllocator.allocate": lambda: trt.IGpuAllocator.allocate(
            Allocator(), size=1, alignment=1, flags=0),
        "IGpuAllocator.deallocate": lambda: trt.IGpuAllocator.deallocate(Allocator(), memory=None),
        "IGpuAsyncAllocator.allocate": lambda: AsyncAllocator().allocate(
            size=1, alignment=1, flags=0),
        "IGpuAsyncAllocator.deallocate": lambda: AsyncAllocator().deallocate(memory=None),
        "ILayer.set_output_type": lambda: layer.set_output_type(index=0, dtype=trt.float32),
        "ILayer.output_type_is_set": lambda: layer.output_type_is_set(index=0),
        "ILayer.reset_output_type": lambda: layer.reset_output_type(index=0),
        "ILayer.reset_precision": lambda: layer.reset_precision(),
        "ILayer.precision_is_set": lambda: layer.precision_is_set,
        "INetworkDefinition.has_implicit_batch_dimension":
            lambda: network.has_implicit_batch_dimension,
        "ITensor.set_dynamic_range": lambda: x.set_dynamic_range(min=-1, max=1),
        "ITensor.reset_dynamic_range": lambda: x.reset_dynamic_range(),
        "ITensor.broadcast_across_batch": lambda: x.broadcast_across_batch,
        "ITensor.dynamic_range": lambda: x.dynamic_range,
    }
    for name, call in CALLS.items():
        for expected in (1, 0):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
            texts = [str(item.message) for item in caught]
            assert len(texts) == expected, (name, texts)
            for item in caught:
                assert item.category is DeprecationWarning
                assert str(item.message).startswith(f"{name} is deprecated. Use "), texts
                assert item.filename == "<string>"
    print(len(CALLS))
"""


def run(program, *options):
    return subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(program)], capture_output=True, text=True
    )


def test_each_name_warns_once():
    result = run(PROGRAM)
    assert (result.returncode, result.stdout) == (0, "25\n"), result.stderr


def test_a_warning_can_be_an_error():
    program = """
        import tensorrt as trt
        network = trt.Builder(trt.Logger()).create_network(0)
        network.has_implicit_batch_dimension
    """
    result = run(program, "-W", "error")
    assert result.returncode == 1
    assert "DeprecationWarning: INetworkDefinition.has_implicit_batch_dimension" in result.stderr


def test_nothing_warns_by_itself():
    program = """
        import tensorrt as trt
        logger = trt.Logger()
        builder = trt.Builder(logger)
        network = builder.create_network(0)
        x = network.add_input("x", trt.float32, (2, 3))
        layer = network.add_activation(x, trt.ActivationType.RELU)
        network.mark_output(layer.get_output(0))
        plan = builder.build_serialized_network(network, builder.create_builder_config())
        trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()
    """
    assert run(program, "-W", "error").returncode == 0
