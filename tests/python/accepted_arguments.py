# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every argument of the bindings, by kind: a call that passes a value and returns what arrived.

The arguments of layers are in layer_arguments/, a file for each layer.
"""

import runpy
from pathlib import Path

import numpy as np
import tensorrt as trt
from accepted_bench import Bench, attribute, shape_of


def layer(bench):
    return bench.network.add_identity(bench.x)


def added(name):
    """Adds an input with the given shape or name."""
    return lambda bench, **given: bench.network.add_input(
        **{"name": "new", "dtype": trt.float32, "shape": (1,), **given}
    )


def profile_bound(index):
    def call(bench, value):
        profile = bench.profile()
        shapes = [(1, 1), (2, 3), (8, 8)]
        shapes[index] = value
        if index != 1:  # equal shapes, so that min <= opt <= max
            shapes = [value] * 3
        profile.set_shape("x", *shapes)
        return tuple(profile.get_shape("x")[index])

    return call


def profile_value(index):
    def call(bench, value):
        profile = bench.profile()
        profile.set_shape_input("y", value, value, value)
        return profile.get_shape_input("y")[index]

    return call


def input_shape(bench, value):
    context = bench.context()
    assert context.set_input_shape("x", value)
    return tuple(context.get_tensor_shape("x"))


def slice_of_dims(bench, value):
    dims = trt.Dims((0, 0, 9))
    dims[0:2] = value
    return tuple(dims)[:2]


def real_plan(bench, value):
    """Opens a real plan, passed as the same type as the value."""
    plan = bytes(bench.engine().serialize())
    kinds = {
        bytes: lambda: plan,
        bytearray: lambda: bytearray(plan),
        memoryview: lambda: memoryview(bytes(np.repeat(np.frombuffer(plan, np.uint8), 2)))[::2],
        np.ndarray: lambda: np.repeat(np.frombuffer(plan, np.uint8), 2)[::2],
    }
    runtime = trt.Runtime(bench.logger)
    given = kinds.get(type(value), lambda: value)()
    engine = runtime.deserialize_cuda_engine(given)
    if type(value) in kinds:
        assert engine is not None, bench.logger.errors()
    return b"some bytes"


def parsed(method):
    def call(bench, value):
        parser = trt.OnnxParser(trt.Builder(bench.logger).create_network(0), bench.logger)
        getattr(parser, method)(value)
        return b"some bytes"

    return call


def timing_cache(bench, value):
    bench.config.create_timing_cache(value)
    return b"some bytes"


def parsed_file(bench, value):
    parser = trt.OnnxParser(trt.Builder(bench.logger).create_network(0), bench.logger)
    assert not parser.parse_from_file(value)
    assert "a-folder/a-file" in parser.get_error(0).desc()
    return "a-folder/a-file"


def library(bench, value):
    assert bench.builder.get_plugin_registry().load_library(value) is None
    assert "a-folder/a-file" in bench.logger.errors()
    return "a-folder/a-file"


def plugin_to_serialize(bench, value):
    bench.config.plugins_to_serialize = [value]
    return bench.config.plugins_to_serialize[0]


def field(bench, value):
    return trt.PluginField("field", value, trt.PluginFieldType.INT32).data.tolist()


def field_set_later(bench, value):
    late = trt.PluginField("field")
    late.type = trt.PluginFieldType.INT32
    late.data = value
    return late.data.tolist()


def pool_limit(bench, value):
    pool = trt.MemoryPoolType.WORKSPACE
    bench.config.set_memory_pool_limit(pool, value)
    return bench.config.get_memory_pool_limit(pool)


def dims_item(bench, value):
    dims = trt.Dims((1, 1))
    dims[1] = value
    return dims[1]


def tensor_address(bench, value):
    context = bench.context()
    assert context.set_tensor_address("x", value)
    return context.get_tensor_address("x")


def address_of_weights(bench, value):
    trt.Weights(trt.float32, value, 0)
    return int(value)


def stream_of_run(bench, value):
    context = bench.context()
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    assert context.set_input_shape("x", x.shape)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address(context.engine.get_tensor_name(1), y.ctypes.data)
    assert context.execute_async_v3(value)
    assert y.all()
    return int(value)


ARGUMENTS = {
    "shape": {
        "Dims.__init__.shape": lambda bench, value: tuple(trt.Dims(value)),
        "Dims2.__init__.shape": lambda bench, value: tuple(trt.Dims2(value)),
        "DimsHW.__init__.shape": lambda bench, value: tuple(trt.DimsHW(value)),
        "Dims.__setitem__": slice_of_dims,
        "INetworkDefinition.add_input.shape": lambda bench, value: tuple(
            added("shape")(bench, shape=value).shape
        ),
        "ITensor.shape": shape_of(lambda bench: bench.x, "shape"),
        "IOptimizationProfile.set_shape.min": profile_bound(0),
        "IOptimizationProfile.set_shape.opt": profile_bound(1),
        "IOptimizationProfile.set_shape.max": profile_bound(2),
        "IExecutionContext.set_input_shape.shape": input_shape,
        "PluginTensorDesc.dims": shape_of(lambda bench: trt.PluginTensorDesc(), "dims"),
        "DynamicPluginTensorDesc.min": shape_of(lambda bench: trt.DynamicPluginTensorDesc(), "min"),
        "DynamicPluginTensorDesc.opt": shape_of(lambda bench: trt.DynamicPluginTensorDesc(), "opt"),
        "DynamicPluginTensorDesc.max": shape_of(lambda bench: trt.DynamicPluginTensorDesc(), "max"),
    },
    "permutation": {
        "Permutation.__init__": lambda bench, value: tuple(trt.Permutation(value))[:2],
    },
    "integers": {
        "IOptimizationProfile.set_shape_input.min": profile_value(0),
        "IOptimizationProfile.set_shape_input.opt": profile_value(1),
        "IOptimizationProfile.set_shape_input.max": profile_value(2),
    },
    "integer": {
        "IBuilderConfig.set_memory_pool_limit.pool_size": pool_limit,
        "IBuilderConfig.avg_timing_iterations": attribute(
            lambda bench: bench.config, "avg_timing_iterations"
        ),
        "Builder.max_threads": attribute(lambda bench: bench.builder, "max_threads"),
        "Dims.__setitem__": dims_item,
    },
    "mask": {
        "ITensor.allowed_formats": attribute(lambda bench: bench.x, "allowed_formats"),
        "OnnxParser.flags": attribute(
            lambda bench: trt.OnnxParser(bench.builder.create_network(0), bench.logger), "flags"
        ),
    },
    "address": {
        "IExecutionContext.set_tensor_address.memory": tensor_address,
        "IExecutionContext.execute_async_v3.stream_handle": stream_of_run,
        "Weights.__init__.ptr": address_of_weights,
        "IBuilderConfig.profile_stream": attribute(lambda bench: bench.config, "profile_stream"),
    },
    "real": {
        "PluginTensorDesc.scale": attribute(lambda bench: trt.PluginTensorDesc(), "scale"),
    },
    "truth": {
        "IExecutionContext.enqueue_emits_profile": attribute(
            Bench.context, "enqueue_emits_profile"
        ),
    },
    "member": {
        "INetworkDefinition.add_input.dtype": lambda bench, value: (
            added("dtype")(bench, dtype=value).dtype
        ),
        "PluginTensorDesc.type": attribute(lambda bench: trt.PluginTensorDesc(), "type"),
    },
    "path": {
        "OnnxParser.parse_from_file.model": parsed_file,
        "IPluginRegistry.load_library.plugin_path": library,
        "Runtime.temporary_directory": attribute(
            lambda bench: trt.Runtime(bench.logger), "temporary_directory"
        ),
        "IBuilderConfig.plugins_to_serialize": plugin_to_serialize,
    },
    "text": {
        "INetworkDefinition.add_input.name": lambda bench, value: (
            added("name")(bench, name=value).name
        ),
        "INetworkDefinition.name": attribute(lambda bench: bench.network, "name"),
        "ITensor.name": attribute(lambda bench: bench.x, "name"),
        "ILayer.name": attribute(layer, "name"),
        "ILayer.metadata": attribute(layer, "metadata"),
        "PluginField.name": lambda bench, value: trt.PluginField(value).name,
    },
    "bytes": {
        "Runtime.deserialize_cuda_engine.serialized_engine": real_plan,
        "OnnxParser.parse.model": parsed("parse"),
        "OnnxParser.supports_model_v2.model": parsed("supports_model_v2"),
        "OnnxParser.load_model_proto.model": parsed("load_model_proto"),
        "IBuilderConfig.create_timing_cache.serialized_timing_cache": timing_cache,
    },
    "weights": {},
    "field": {
        "PluginField.__init__.data": field,
        "PluginField.data": field_set_later,
    },
}


for path in sorted((Path(__file__).parent / "layer_arguments").glob("*.py")):
    for kind, calls in runpy.run_path(str(path))["ARGUMENTS"].items():
        ARGUMENTS[kind] |= calls


def names():
    """The names of the arguments of each kind."""
    return {kind: list(calls) for kind, calls in ARGUMENTS.items()}
