# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin with two tactics: the builder times both and keeps the faster one.

y: x [rows, n] padded circularly by one element on both ends, [rows, n + 2], float32.
Prints "tactic 1 of [1, 2]" or "tactic 2 of [1, 2]", and "[3. 1. 2. 3. 1.]".
"""

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt

GATHER, CONCATENATE = 1, 2  # any positive numbers; 0 means that a plugin has no tactics


class PadOnce(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """The layer."""

    chosen = 0  # the tactic of the last engine, printed below

    def __init__(self) -> None:
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "PadOnce", "1", ""
        self.num_outputs = 1
        # The timing cache stores times under this text with the name, version, shapes and types. It
        # must contain everything else that distinguishes two plugins; here, nothing does.
        self.timing_cache_id = "always"
        self.tactic = 0
        self.order = np.arange(0)

    def get_capability_interface(self, type: trt.PluginCapabilityType) -> "PadOnce":
        return self

    def clone(self) -> "PadOnce":
        return type(self)()

    def get_valid_tactics(self) -> list[int]:
        return [GATHER, CONCATENATE]

    def set_tactic(self, tactic: int) -> None:
        self.tactic = PadOnce.chosen = tactic

    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[trt.DataType]:
        return [input_types[0]]

    def get_output_shapes(
        self,
        inputs: list[trt.DimsExprs],
        shape_inputs: list[trt.DimsExprs],
        expr_builder: trt.IExprBuilder,
    ) -> list[trt.DimsExprs]:
        two = expr_builder.constant(2)
        length = expr_builder.operation(trt.DimensionOperation.SUM, inputs[0][1], two)
        return [trt.DimsExprs([inputs[0][0], length])]

    def supports_format_combination(
        self, pos: int, in_out: list[trt.DynamicPluginTensorDesc], num_inputs: int
    ) -> bool:
        desc = in_out[pos].desc
        return desc.type == trt.float32 and desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(
        self, inputs: list[trt.DynamicPluginTensorDesc], outputs: list[trt.DynamicPluginTensorDesc]
    ) -> None:
        pass

    def get_fields_to_serialize(self) -> trt.PluginFieldCollection:
        return trt.PluginFieldCollection()

    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> "PadOnce":
        return self.clone()

    def on_shape_change(
        self, inputs: list[trt.PluginTensorDesc], outputs: list[trt.PluginTensorDesc]
    ) -> None:
        n = inputs[0].dims[1]
        self.order = np.arange(-1, n + 1) % n

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None:
        x = np.asarray(kiln.buffer(inputs[0], input_desc[0]))
        y = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        if self.tactic == GATHER:
            np.take(x, self.order, axis=1, out=y, mode="clip")
        else:
            np.concatenate([x[:, -1:], x, x[:, :1]], axis=1, out=y)


class PadOnceCreator(trt.IPluginCreatorV3One):
    """Creates the plugin."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "PadOnce", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> PadOnce:
        return PadOnce()


def build(
    logger: trt.ILogger, plugin: PadOnce, cache: bytes = b""
) -> tuple[trt.IHostMemory, bytes]:
    """Returns a plan and the timing cache, with which a later build need not time again."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 3))
    y = network.add_plugin_v3([x], [], plugin).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.set_timing_cache(config.create_timing_cache(cache), False)
    plan = builder.build_serialized_network(network, config)
    return plan, bytes(config.get_timing_cache().serialize())


def run(plan: trt.IHostMemory, logger: trt.ILogger) -> npt.NDArray[np.float32]:
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
    plan, cache = build(logger, PadOnce())
    plan, cache = build(logger, PadOnce(), cache)  # times nothing again
    y = run(plan, logger)
    print(f"tactic {PadOnce.chosen} of {PadOnce().get_valid_tactics()}")
    print(y[0])
