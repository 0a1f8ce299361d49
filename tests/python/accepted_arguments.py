# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every argument of the bindings, by kind: a call that passes a value and returns what arrived."""

import numpy as np
import tensorrt as trt
from list_logger import ListLogger


class Bench:
    """Creates the objects that the calls need."""

    def __init__(self):
        self.logger = ListLogger()
        self.builder = trt.Builder(self.logger)
        self.network = self.builder.create_network(0)
        self.config = self.builder.create_builder_config()
        self.x = self.network.add_input("x", trt.float32, (4, 4, 8, 8))
        self.y = self.network.add_input("y", trt.int32, (2,))

    def shuffle(self):
        return self.network.add_shuffle(self.x)

    def slice(self):
        return self.network.add_slice(self.x, (0,) * 4, (1,) * 4, (1,) * 4)

    def pooling(self):
        return self.network.add_pooling_nd(self.x, trt.PoolingType.MAX, (1, 1))

    def convolution(self):
        kernel = np.zeros((1, 4, 1, 1), np.float32)
        return self.network.add_convolution_nd(self.x, 1, (1, 1), kernel)

    def fill(self):
        return self.network.add_fill((2,), trt.FillOperation.LINSPACE)

    def activation(self):
        return self.network.add_activation(self.x, trt.ActivationType.RELU)

    def reduce(self):
        return self.network.add_reduce(self.x, trt.ReduceOperation.SUM, 1, False)

    def softmax(self):
        return self.network.add_softmax(self.x)

    def gather(self):
        return self.network.add_gather(self.x, self.y, 0)

    def constant(self):
        return self.network.add_constant((2, 2), np.zeros((2, 2), np.float32))

    def concatenation(self):
        return self.network.add_concatenation([self.x, self.x])

    def cast(self):
        return self.network.add_cast(self.x, trt.float32)

    def profile(self):
        return self.builder.create_optimization_profile()

    def engine(self):
        builder = trt.Builder(self.logger)
        network = builder.create_network(0)
        config = builder.create_builder_config()
        x = network.add_input("x", trt.float32, (-1, -1))
        network.mark_output(network.add_activation(x, trt.ActivationType.RELU).get_output(0))
        profile = builder.create_optimization_profile()
        profile.set_shape("x", (1, 1), (2, 3), (4, 4))
        config.add_optimization_profile(profile)
        return builder.build_engine_with_config(network, config)

    def context(self):
        return self.engine().create_execution_context()


def attribute(make, name, read=lambda value: value):
    """Sets an attribute of make(bench), and reads it back."""

    def call(bench, value):
        target = make(bench)
        setattr(target, name, value)
        return read(getattr(target, name))

    return call


def shape_of(make, name):
    return attribute(make, name, tuple)


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


def sliced(position):
    def call(bench, value):
        x = bench.network.add_input("two", trt.float32, (8, 8))
        given = [(0, 0), (1, 1), (1, 1)]
        given[position] = value
        layer = bench.network.add_slice(x, *given)
        return tuple((layer.start, layer.shape, layer.stride)[position])

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


def weights_of_layer(bench, value):
    return bench.network.add_constant((2, 2), value).weights.tolist()


def kernel_of_layer(bench, value):
    x = bench.network.add_input("image", trt.float32, (1, 4, 2, 2))
    layer = bench.network.add_convolution_nd(x, 1, (1, 1), value)
    return layer.kernel.tolist()


def field(bench, value):
    return trt.PluginField("field", value, trt.PluginFieldType.INT32).data.tolist()


def field_set_later(bench, value):
    late = trt.PluginField("field")
    late.type = trt.PluginFieldType.INT32
    late.data = value
    return late.data.tolist()


def order(make, name):
    return attribute(make, name, lambda value: (value[0], value[1]))


def gather_axis(bench, value):
    return bench.network.add_gather(bench.x, bench.y, value).axis


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


def reduced_axes(bench, value):
    return bench.network.add_reduce(bench.x, trt.ReduceOperation.SUM, value, True).axes


def kept_dims(bench, value):
    return bench.network.add_reduce(bench.x, trt.ReduceOperation.SUM, 1, value).keep_dims


def blend(bench, value):
    layer = bench.pooling()
    layer.blend_factor = value
    return layer.blend_factor


ARGUMENTS = {
    "shape": {
        "Dims.__init__.shape": lambda bench, value: tuple(trt.Dims(value)),
        "Dims2.__init__.shape": lambda bench, value: tuple(trt.Dims2(value)),
        "DimsHW.__init__.shape": lambda bench, value: tuple(trt.DimsHW(value)),
        "Dims.__setitem__": slice_of_dims,
        "INetworkDefinition.add_input.shape": lambda bench, value: tuple(
            added("shape")(bench, shape=value).shape
        ),
        "INetworkDefinition.add_constant.shape": lambda bench, value: tuple(
            bench.network.add_constant(value, np.zeros(6, np.float32)).shape
        ),
        "INetworkDefinition.add_convolution_nd.kernel_shape": lambda bench, value: tuple(
            bench.network.add_convolution_nd(
                bench.x, 1, value, np.zeros((1, 4, 2, 3), np.float32)
            ).kernel_size_nd
        ),
        "INetworkDefinition.add_pooling_nd.window_size": lambda bench, value: tuple(
            bench.network.add_pooling_nd(bench.x, trt.PoolingType.MAX, value).window_size_nd
        ),
        "INetworkDefinition.add_fill.shape": lambda bench, value: tuple(
            bench.network.add_fill(value, trt.FillOperation.LINSPACE).shape
        ),
        "INetworkDefinition.add_slice.start": sliced(0),
        "INetworkDefinition.add_slice.shape": sliced(1),
        "INetworkDefinition.add_slice.stride": sliced(2),
        "ITensor.shape": shape_of(lambda bench: bench.x, "shape"),
        "IShuffleLayer.reshape_dims": shape_of(Bench.shuffle, "reshape_dims"),
        "IConstantLayer.shape": shape_of(Bench.constant, "shape"),
        "IConvolutionLayer.kernel_size_nd": shape_of(Bench.convolution, "kernel_size_nd"),
        "IConvolutionLayer.stride_nd": shape_of(Bench.convolution, "stride_nd"),
        "IConvolutionLayer.dilation_nd": shape_of(Bench.convolution, "dilation_nd"),
        "IConvolutionLayer.padding_nd": shape_of(Bench.convolution, "padding_nd"),
        "IConvolutionLayer.pre_padding": shape_of(Bench.convolution, "pre_padding"),
        "IConvolutionLayer.post_padding": shape_of(Bench.convolution, "post_padding"),
        "IPoolingLayer.window_size_nd": shape_of(Bench.pooling, "window_size_nd"),
        "IPoolingLayer.stride_nd": shape_of(Bench.pooling, "stride_nd"),
        "IPoolingLayer.padding_nd": shape_of(Bench.pooling, "padding_nd"),
        "ISliceLayer.start": shape_of(Bench.slice, "start"),
        "ISliceLayer.shape": shape_of(Bench.slice, "shape"),
        "ISliceLayer.stride": shape_of(Bench.slice, "stride"),
        "ISliceLayer.axes": shape_of(Bench.slice, "axes"),
        "IFillLayer.shape": shape_of(Bench.fill, "shape"),
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
        "IShuffleLayer.first_transpose": order(Bench.shuffle, "first_transpose"),
        "IShuffleLayer.second_transpose": order(Bench.shuffle, "second_transpose"),
    },
    "integers": {
        "IOptimizationProfile.set_shape_input.min": profile_value(0),
        "IOptimizationProfile.set_shape_input.opt": profile_value(1),
        "IOptimizationProfile.set_shape_input.max": profile_value(2),
    },
    "integer": {
        "INetworkDefinition.add_gather.axis": gather_axis,
        "IGatherLayer.axis": attribute(Bench.gather, "axis"),
        "IConcatenationLayer.axis": attribute(Bench.concatenation, "axis"),
        "IConvolutionLayer.num_groups": attribute(Bench.convolution, "num_groups"),
        "IConvolutionLayer.num_output_maps": attribute(Bench.convolution, "num_output_maps"),
        "IBuilderConfig.set_memory_pool_limit.pool_size": pool_limit,
        "IBuilderConfig.avg_timing_iterations": attribute(
            lambda bench: bench.config, "avg_timing_iterations"
        ),
        "Builder.max_threads": attribute(lambda bench: bench.builder, "max_threads"),
        "Dims.__setitem__": dims_item,
    },
    "mask": {
        "INetworkDefinition.add_reduce.axes": reduced_axes,
        "IReduceLayer.axes": attribute(Bench.reduce, "axes"),
        "ISoftMaxLayer.axes": attribute(Bench.softmax, "axes"),
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
        "IActivationLayer.alpha": attribute(Bench.activation, "alpha"),
        "IActivationLayer.beta": attribute(Bench.activation, "beta"),
        "IPoolingLayer.blend_factor": blend,
        "IFillLayer.alpha": attribute(Bench.fill, "alpha", float),
        "IFillLayer.beta": attribute(Bench.fill, "beta", float),
        "PluginTensorDesc.scale": attribute(lambda bench: trt.PluginTensorDesc(), "scale"),
    },
    "truth": {
        "INetworkDefinition.add_reduce.keep_dims": kept_dims,
        "IReduceLayer.keep_dims": attribute(Bench.reduce, "keep_dims"),
        "IShuffleLayer.zero_is_placeholder": attribute(Bench.shuffle, "zero_is_placeholder"),
        "IPoolingLayer.average_count_excludes_padding": attribute(
            Bench.pooling, "average_count_excludes_padding"
        ),
        "IExecutionContext.enqueue_emits_profile": attribute(
            Bench.context, "enqueue_emits_profile"
        ),
    },
    "member": {
        "INetworkDefinition.add_input.dtype": lambda bench, value: (
            added("dtype")(bench, dtype=value).dtype
        ),
        "INetworkDefinition.add_cast.to_type": lambda bench, value: (
            bench.network.add_cast(bench.x, value).to_type
        ),
        "ICastLayer.to_type": attribute(Bench.cast, "to_type"),
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
        "ILayer.name": attribute(Bench.activation, "name"),
        "ILayer.metadata": attribute(Bench.activation, "metadata"),
        "PluginField.name": lambda bench, value: trt.PluginField(value).name,
    },
    "bytes": {
        "Runtime.deserialize_cuda_engine.serialized_engine": real_plan,
        "OnnxParser.parse.model": parsed("parse"),
        "OnnxParser.supports_model_v2.model": parsed("supports_model_v2"),
        "OnnxParser.load_model_proto.model": parsed("load_model_proto"),
        "IBuilderConfig.create_timing_cache.serialized_timing_cache": timing_cache,
    },
    "weights": {
        "INetworkDefinition.add_constant.weights": weights_of_layer,
        "INetworkDefinition.add_convolution_nd.kernel": kernel_of_layer,
        "IConstantLayer.weights": attribute(
            Bench.constant, "weights", lambda value: value.tolist()
        ),
        "IConvolutionLayer.kernel": attribute(
            Bench.convolution, "kernel", lambda value: value.tolist()
        ),
    },
    "field": {
        "PluginField.__init__.data": field,
        "PluginField.data": field_set_later,
    },
}


def names():
    """The names of the arguments of each kind."""
    return {kind: list(calls) for kind, calls in ARGUMENTS.items()}
