# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin as an IPluginV3, from the network to a saved plan and back.

y = factor * x. x: [...], float32. Prints "[2. 4. 6.]".
"""

import kiln
import numpy as np
import tensorrt as trt


class Scale(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """The layer: one object with all three capabilities."""

    def __init__(self, factor):
        for interface in Scale.__bases__:
            interface.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Scale", "1", ""
        self.num_outputs = 1
        self.factor = factor

    def get_capability_interface(self, type):
        return self

    def clone(self):
        return Scale(self.factor)

    # While a network is defined and built.

    def get_output_data_types(self, input_types):
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        return [trt.DimsExprs(inputs[0])]

    def supports_format_combination(self, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.type == trt.float32 and desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(self, inputs, outputs):
        pass

    def get_fields_to_serialize(self):
        factor = np.array([self.factor], np.float32)
        field = trt.PluginField("factor", factor, trt.PluginFieldType.FLOAT32)
        return trt.PluginFieldCollection([field])

    # In an engine.

    def attach_to_context(self, resource_context):
        return self.clone()

    def set_tactic(self, tactic):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        x = np.asarray(kiln.buffer(inputs[0], input_desc[0]))
        y = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        np.multiply(x, np.float32(self.factor), out=y)


class ScaleCreator(trt.IPluginCreatorV3One):
    """Creates the plugin from its fields: those of an ONNX node, or those stored in a plan."""

    def __init__(self):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Scale", "1", ""
        factor = trt.PluginField("factor", np.array([], np.float32), trt.PluginFieldType.FLOAT32)
        self.field_names = trt.PluginFieldCollection([factor])

    def create_plugin(self, name, field_collection, phase):
        return Scale(float(field_collection[0].data[0]))


def build(logger):
    """Returns a plan of a network with one layer."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (3,))
    y = network.add_plugin_v3([x], [], Scale(2.0)).get_output(0)
    y.name = "y"
    network.mark_output(y)
    return builder.build_serialized_network(network, builder.create_builder_config())


def run(plan, logger):
    """Runs an engine of the plan with the input [1, 2, 3]; returns the output."""
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    x, y = np.array([1, 2, 3], np.float32), np.empty(3, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    context.execute_async_v3(0)
    return y


if __name__ == "__main__":
    kiln.set_default_target("cpu")  # NumPy computes in host memory
    logger = trt.Logger(trt.Logger.WARNING)
    # A plan stores the plugin's name, version and fields; the creator restores it from them.
    trt.get_plugin_registry().register_creator(ScaleCreator(), "")
    print(run(build(logger), logger))
