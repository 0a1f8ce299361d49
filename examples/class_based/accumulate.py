# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin that works in place: its output is its first input (IPluginV3OneBuildV2).

total += x. Both: [4], float32. The output is bound to the input's address, so the sum stays there
from run to run. Prints "[3. 3. 3. 3.]".
"""

import kiln
import numpy as np
import tensorrt as trt


class Accumulate(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuildV2, trt.IPluginV3OneRuntime
):
    """The layer."""

    def __init__(self):
        for interface in Accumulate.__bases__:
            interface.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Accumulate", "1", ""
        self.num_outputs = 1

    def get_capability_interface(self, type):
        return self

    def clone(self):
        return Accumulate()

    def get_aliased_input(self, output_index):
        return 0  # output 0 uses the memory of input 0; -1 would mean separate memory

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
        return trt.PluginFieldCollection()

    def attach_to_context(self, resource_context):
        return self.clone()

    def set_tactic(self, tactic):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        total = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        total += np.asarray(kiln.buffer(inputs[1], input_desc[1]))


class AccumulateCreator(trt.IPluginCreatorV3One):
    """Creates the plugin."""

    def __init__(self):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Accumulate", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(self, name, field_collection, phase):
        return Accumulate()


def build(logger):
    """Returns a plan: inputs total and x, output sum."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    tensors = [network.add_input(name, trt.float32, (4,)) for name in ("total", "x")]
    result = network.add_plugin_v3(tensors, [], Accumulate()).get_output(0)
    result.name = "sum"
    network.mark_output(result)
    config = builder.create_builder_config()
    config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, True)
    return builder.build_serialized_network(network, config)


def run(plan, logger):
    """Adds ones to zeros three times, and returns the total."""
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    total, x = np.zeros(4, np.float32), np.ones(4, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    for name in ("total", "sum"):
        context.set_tensor_address(name, total.ctypes.data)
    for _ in range(3):
        context.execute_async_v3(0)
    return total


if __name__ == "__main__":
    kiln.set_default_target("cpu")  # NumPy computes in host memory
    logger = trt.Logger(trt.Logger.WARNING)
    trt.get_plugin_registry().register_creator(AccumulateCreator(), "")
    print(run(build(logger), logger))
