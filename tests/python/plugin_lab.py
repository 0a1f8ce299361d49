# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""IPluginV3 plugins with replaceable parts, and engines of one or two plugins."""

import types

import kiln
import numpy as np
import tensorrt as trt


def array(address, desc):
    """The tensor at an address, as a NumPy array."""
    return np.asarray(kiln.buffer(address, desc))


def lab_class(build_interface):
    """A plugin class with one of the two build interfaces.

    Its plugins copy input 0 to output 0. ``Lab(outputs=2, enqueue=f, timing_cache_id="a")`` has
    another number of outputs, calls f(plugin, ...) for enqueue, and has the attribute.
    """

    class Lab(trt.IPluginV3, trt.IPluginV3OneCore, build_interface, trt.IPluginV3OneRuntime):
        def __init__(self, **parts):
            for interface in Lab.__bases__:
                interface.__init__(self)
            self.plugin_name, self.plugin_version, self.plugin_namespace = "Lab", "1", ""
            self.num_outputs = parts.get("outputs", 1)
            self.parts, self.tactic = parts, 0
            for name, part in parts.items():
                if isinstance(part, types.FunctionType):
                    setattr(self, name, types.MethodType(part, self))
                elif name != "outputs":
                    setattr(self, name, part)

        def get_capability_interface(self, type):
            return self

        def clone(self):
            return Lab(**self.parts)

        def get_output_data_types(self, input_types):
            return [input_types[0]] * self.num_outputs

        def get_output_shapes(self, inputs, shape_inputs, expr_builder):
            return [trt.DimsExprs(inputs[0]) for _ in range(self.num_outputs)]

        def supports_format_combination(self, pos, in_out, num_inputs):
            return in_out[pos].desc.format == trt.TensorFormat.LINEAR

        def configure_plugin(self, inputs, outputs):
            pass

        def attach_to_context(self, resource_context):
            return self.clone()

        def set_tactic(self, tactic):
            self.tactic = tactic

        def on_shape_change(self, inputs, outputs):
            pass

        def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
            array(outputs[0], output_desc[0])[...] = array(inputs[0], input_desc[0])

        def get_fields_to_serialize(self):
            return trt.PluginFieldCollection()

    return Lab


Lab = lab_class(trt.IPluginV3OneBuild)
AliasLab = lab_class(trt.IPluginV3OneBuildV2)


class Creator(trt.IPluginCreatorV3One):
    """Makes copies of one plugin."""

    def __init__(self, plugin):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Lab", "1", ""
        self.field_names = trt.PluginFieldCollection()
        self.plugin = plugin

    def create_plugin(self, name, field_collection, phase):
        return self.plugin.clone()


class Definition:
    """A network under construction, and its plan."""

    def __init__(self, logger, strong=True):
        self.builder = trt.Builder(logger)
        flag = trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED
        self.network = self.builder.create_network(1 << int(flag) if strong else 0)
        self.config = self.builder.create_builder_config()

    def input(self, name, dtype, shape):
        return self.network.add_input(name, dtype, shape)

    def plugin(self, plugin, inputs, shape_inputs=(), name="lab"):
        """Adds a plugin; returns its outputs, or None if it was refused."""
        layer = self.network.add_plugin_v3(list(inputs), list(shape_inputs), plugin)
        if layer is None:
            return None
        layer.name = name
        return [layer.get_output(i) for i in range(layer.num_outputs)]

    def output(self, tensor, name):
        tensor.name = name
        self.network.mark_output(tensor)

    def profile(self, shapes=None, values=None):
        """Adds a profile. shapes, values: {input: (min, opt, max)}."""
        profile = self.builder.create_optimization_profile()
        for name, bounds in (shapes or {}).items():
            profile.set_shape(name, *bounds)
        for name, bounds in (values or {}).items():
            profile.set_shape_input(name, *bounds)
        self.config.add_optimization_profile(profile)

    def build(self):
        return self.builder.build_serialized_network(self.network, self.config)


class Engine:
    """An opened plan of lab plugins with one context."""

    def __init__(self, logger, plan, plugin):
        assert plan is not None
        registry, creator = trt.get_plugin_registry(), Creator(plugin)
        assert registry.register_creator(creator, "")
        try:
            self.runtime = trt.Runtime(logger)
            self.engine = self.runtime.deserialize_cuda_engine(plan)
            self.context = self.engine.create_execution_context() if self.engine else None
        finally:
            assert registry.deregister_creator(creator)

    def run(self, inputs, outputs):
        """Binds all arrays, sets the inputs' shapes and runs. Returns whether the run succeeded."""
        for name, value in inputs.items():
            if self.engine.get_tensor_location(name) == trt.TensorLocation.DEVICE:
                assert self.context.set_input_shape(name, value.shape)
        for name, value in {**inputs, **outputs}.items():
            assert self.context.set_tensor_address(name, value.ctypes.data)
        return self.context.execute_async_v3(0)
