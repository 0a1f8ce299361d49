# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin with two tactics: the builder times both and keeps the faster one.

y: x [rows, n] padded circularly by one element on both ends, [rows, n + 2], float32.
Prints "tactic 1 of [1, 2]" or "tactic 2 of [1, 2]", and "[3. 1. 2. 3. 1.]".
"""

import kiln
import numpy as np
import tensorrt as trt

GATHER, CONCATENATE = 1, 2  # any positive numbers; 0 means that a plugin has no tactics


class PadOnce(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """The layer."""

    chosen = None  # the tactic of the last engine, printed below

    def __init__(self):
        for interface in PadOnce.__bases__:
            interface.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "PadOnce", "1", ""
        self.num_outputs = 1
        # The timing cache stores times under this text with the name, version, shapes and types. It
        # must contain everything else that distinguishes two plugins; here, nothing does.
        self.timing_cache_id = "always"
        self.tactic = 0

    def get_capability_interface(self, type):
        return self

    def clone(self):
        return PadOnce()

    def get_valid_tactics(self):
        return [GATHER, CONCATENATE]

    def set_tactic(self, tactic):
        self.tactic = PadOnce.chosen = tactic

    def get_output_data_types(self, input_types):
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        two = expr_builder.constant(2)
        length = expr_builder.operation(trt.DimensionOperation.SUM, inputs[0][1], two)
        return [trt.DimsExprs([inputs[0][0], length])]

    def supports_format_combination(self, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.type == trt.float32 and desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(self, inputs, outputs):
        pass

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection()

    def attach_to_context(self, resource_context):
        return self.clone()

    def on_shape_change(self, inputs, outputs):
        n = inputs[0].dims[1]
        self.order = np.arange(-1, n + 1) % n

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        x = np.asarray(kiln.buffer(inputs[0], input_desc[0]))
        y = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        if self.tactic == GATHER:
            np.take(x, self.order, axis=1, out=y, mode="clip")
        else:
            np.concatenate([x[:, -1:], x, x[:, :1]], axis=1, out=y)


class PadOnceCreator(trt.IPluginCreatorV3One):
    """Creates the plugin."""

    def __init__(self):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "PadOnce", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(self, name, field_collection, phase):
        return PadOnce()


def build(logger, cache=b""):
    """Returns a plan and the timing cache, with which a later build need not time again."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 3))
    y = network.add_plugin_v3([x], [], PadOnce()).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.set_timing_cache(config.create_timing_cache(cache), False)
    plan = builder.build_serialized_network(network, config)
    return plan, bytes(config.get_timing_cache().serialize())


def run(plan, logger):
    """Returns the padded [1, 2, 3]."""
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    x, y = np.array([[1, 2, 3]], np.float32), np.empty((1, 5), np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    context.execute_async_v3(0)
    return y


if __name__ == "__main__":
    kiln.set_default_target("cpu")  # NumPy computes in host memory
    logger = trt.Logger(trt.Logger.WARNING)
    trt.get_plugin_registry().register_creator(PadOnceCreator(), "")
    plan, cache = build(logger)
    plan, cache = build(logger, cache)  # times nothing again
    y = run(plan, logger)
    print(f"tactic {PadOnce.chosen} of {PadOnce().get_valid_tactics()}")
    print(y[0])
