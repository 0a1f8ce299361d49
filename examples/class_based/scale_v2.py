# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin as an IPluginV2DynamicExt: the older style, which many plugins use.

y = factor * x. x: [...], float32. Prints "[2. 4. 6.]".
"""

import kiln
import numpy as np
import tensorrt as trt


class Scale(trt.IPluginV2DynamicExt):
    """The layer."""

    def __init__(self, factor):
        super().__init__()
        self.plugin_type, self.plugin_version, self.plugin_namespace = "Scale", "2", ""
        self.num_outputs = 1
        self.factor = factor

    def clone(self):
        return Scale(self.factor)

    def get_output_datatype(self, index, input_types):
        return input_types[0]

    def get_output_dimensions(self, output_index, inputs, expr_builder):
        return trt.DimsExprs(inputs[0])

    def supports_format_combination(self, pos, in_out, num_inputs):
        return in_out[pos].type == trt.float32 and in_out[pos].format == trt.TensorFormat.LINEAR

    def configure_plugin(self, inputs, outputs):
        pass

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        x = np.asarray(kiln.buffer(inputs[0], input_desc[0]))
        y = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        np.multiply(x, np.float32(self.factor), out=y)

    def serialize(self):
        return np.float32(self.factor).tobytes()


class ScaleCreator(trt.IPluginCreator):
    """Creates the plugin: from fields for a network, from serialized bytes for a plan."""

    def __init__(self):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Scale", "2", ""
        factor = trt.PluginField("factor", np.array([], np.float32), trt.PluginFieldType.FLOAT32)
        self.field_names = trt.PluginFieldCollection([factor])

    def create_plugin(self, name, field_collection):
        return Scale(float(field_collection[0].data[0]))

    def deserialize_plugin(self, name, serialized_plugin):
        return Scale(float(np.frombuffer(serialized_plugin, np.float32)[0]))


def build(logger):
    """Returns a plan of a network with one layer."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (3,))
    y = network.add_plugin_v2([x], Scale(2.0)).get_output(0)
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
    trt.get_plugin_registry().register_creator(ScaleCreator(), "")
    print(run(build(logger), logger))
