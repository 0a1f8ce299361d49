# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin that works in place: its output is its first input (IPluginV3OneBuildV2).

total += x. Both: [4], float32. The output is bound to the input's address, so the sum stays there
from run to run. Prints "[3. 3. 3. 3.]".
"""

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt


class Accumulate(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuildV2, trt.IPluginV3OneRuntime
):
    """The layer."""

    def __init__(self) -> None:
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuildV2.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Accumulate", "1", ""
        self.num_outputs = 1

    def get_capability_interface(self, type: trt.PluginCapabilityType) -> "Accumulate":
        return self

    def clone(self) -> "Accumulate":
        return type(self)()

    def get_aliased_input(self, output_index: int) -> int:
        return 0  # output 0 uses the memory of input 0; -1 would mean separate memory

    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[trt.DataType]:
        return [input_types[0]]

    def get_output_shapes(
        self,
        inputs: list[trt.DimsExprs],
        shape_inputs: list[trt.DimsExprs],
        expr_builder: trt.IExprBuilder,
    ) -> list[trt.DimsExprs]:
        return [trt.DimsExprs(inputs[0])]

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

    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> "Accumulate":
        return self.clone()

    def set_tactic(self, tactic: int) -> None:
        pass

    def on_shape_change(
        self, inputs: list[trt.PluginTensorDesc], outputs: list[trt.PluginTensorDesc]
    ) -> None:
        pass

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None:
        total = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        total += np.asarray(kiln.buffer(inputs[1], input_desc[1]))


class AccumulateCreator(trt.IPluginCreatorV3One):
    """Creates the plugin."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Accumulate", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> Accumulate:
        return Accumulate()


def build(logger: trt.ILogger) -> trt.IHostMemory:
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


def run(plan: trt.IHostMemory, logger: trt.ILogger) -> npt.NDArray[np.float32]:
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
