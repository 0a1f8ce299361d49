# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins of both styles that multiply by a factor, and engines that consist of one.

Any callback can be replaced: ``ScaleV3(enqueue=f)`` calls ``f(plugin, *arguments)`` instead.
"""

import ctypes
import types

import numpy as np
import tensorrt as trt


def view(address, desc):
    """The float tensor at an address, as a NumPy array."""
    count = trt.volume(desc.dims)
    memory = (ctypes.c_float * count).from_address(address)
    return np.frombuffer(memory, np.float32).reshape(tuple(desc.dims))


class Replaceable:
    """Replaces callbacks by functions; clones get the same functions."""

    def replace(self, replaced):
        self.replaced = replaced
        for name, function in replaced.items():
            setattr(self, name, types.MethodType(function, self))


class ScaleV3(
    Replaceable, trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime
):
    def __init__(self, factor=2.0, **replaced):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name = "Scale"
        self.plugin_version = "3"
        self.plugin_namespace = ""
        self.num_outputs = 1
        self.factor = factor
        self.replace(replaced)

    def get_capability_interface(self, type):
        return self

    def clone(self):
        return ScaleV3(self.factor, **self.replaced)

    def get_output_data_types(self, input_types):
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        return [trt.DimsExprs(inputs[0])]

    def supports_format_combination(self, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.format == trt.TensorFormat.LINEAR and desc.type == trt.float32

    def configure_plugin(self, inputs, outputs):
        pass

    def attach_to_context(self, resource_context):
        return self.clone()

    def set_tactic(self, tactic):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        np.multiply(
            view(inputs[0], input_desc[0]), self.factor, out=view(outputs[0], output_desc[0])
        )

    def get_fields_to_serialize(self):
        factor = trt.PluginField(
            "factor", np.array([self.factor], np.float32), trt.PluginFieldType.FLOAT32
        )
        return trt.PluginFieldCollection([factor])


class ScaleV2(Replaceable, trt.IPluginV2DynamicExt):
    def __init__(self, factor=2.0, **replaced):
        trt.IPluginV2DynamicExt.__init__(self)
        self.plugin_type = "Scale"
        self.plugin_version = "2"
        self.plugin_namespace = ""
        self.num_outputs = 1
        self.factor = factor
        self.replace(replaced)

    def clone(self):
        return ScaleV2(self.factor, **self.replaced)

    def get_output_datatype(self, index, input_types):
        return input_types[0]

    def get_output_dimensions(self, output_index, inputs, expr_builder):
        return inputs[0]

    def supports_format_combination(self, pos, in_out, num_inputs):
        return in_out[pos].format == trt.TensorFormat.LINEAR and in_out[pos].type == trt.float32

    def configure_plugin(self, inputs, outputs):
        pass

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        np.multiply(
            view(inputs[0], input_desc[0]), self.factor, out=view(outputs[0], output_desc[0])
        )

    def serialize(self):
        return np.float32(self.factor).tobytes()


FIELDS = [trt.PluginField("factor", np.array([], np.float32), trt.PluginFieldType.FLOAT32)]


class ScaleCreatorV3(trt.IPluginCreatorV3One):
    def __init__(self, **replaced):
        super().__init__()
        self.name = "Scale"
        self.plugin_version = "3"
        self.plugin_namespace = ""
        self.field_names = trt.PluginFieldCollection(FIELDS)
        self.replaced = replaced

    def create_plugin(self, name, field_collection, phase):
        return ScaleV3(float(field_collection[0].data[0]), **self.replaced)


class ScaleCreatorV2(trt.IPluginCreator):
    def __init__(self, **replaced):
        super().__init__()
        self.name = "Scale"
        self.plugin_version = "2"
        self.plugin_namespace = ""
        self.field_names = trt.PluginFieldCollection(FIELDS)
        self.replaced = replaced

    def create_plugin(self, name, field_collection):
        return ScaleV2(float(field_collection[0].data[0]), **self.replaced)

    def deserialize_plugin(self, name, serialized_plugin):
        return ScaleV2(float(np.frombuffer(serialized_plugin, np.float32)[0]), **self.replaced)


def without(cls, name):
    """A copy of a class without one of its own methods."""
    members = {k: v for k, v in vars(cls).items() if k != name and not k.startswith("__")}
    members["__init__"] = cls.__init__
    return type("Incomplete", cls.__bases__, members)


PLUGINS = {"v2": ScaleV2, "v3": ScaleV3}
CREATORS = {"v2": ScaleCreatorV2, "v3": ScaleCreatorV3}


class Registered:
    """Registers a creator for the duration of the block."""

    def __init__(self, creator):
        self.creator = creator

    def __enter__(self):
        assert trt.get_plugin_registry().register_creator(self.creator, "")
        return self.creator

    def __exit__(self, *_):
        assert trt.get_plugin_registry().deregister_creator(self.creator)


def add_plugin(network, tensor, plugin):
    """Adds a plugin of either style with one input; returns its layer."""
    if isinstance(plugin, trt.IPluginV2):
        return network.add_plugin_v2([tensor], plugin)
    return network.add_plugin_v3([tensor], [], plugin)


def build(logger, plugin, shape=(-1, 4)):
    """The plan of a network of one plugin; None on failure."""
    builder = trt.Builder(logger)
    flags = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
    network = builder.create_network(flags)
    x = network.add_input("x", trt.float32, shape)
    layer = add_plugin(network, x, plugin)
    if layer is None:
        return None
    layer.name = "scale"
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    if -1 in shape:
        profile = builder.create_optimization_profile()
        profile.set_shape("x", (1, 4), (2, 4), (8, 4))
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)


class Engine:
    """An engine of one plugin with its context."""

    def __init__(self, logger, plan):
        self.runtime = trt.Runtime(logger)
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context() if self.engine else None

    def run(self, x, stream=0):
        """Runs once; returns the output, None if the call failed."""
        y = np.full_like(x, -1)
        return y if self.run_into(x, y, stream) else None

    def run_into(self, x, y, stream=0):
        assert self.context.set_input_shape("x", x.shape)
        assert self.context.set_tensor_address("x", x.ctypes.data)
        assert self.context.set_tensor_address("y", y.ctypes.data)
        return self.context.execute_async_v3(stream)
