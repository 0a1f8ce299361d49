# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin as an IPluginV3, from the network to a saved plan and back.

y = factor * x. x: [...], float32. Prints "[2. 4. 6.]".
"""

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt


class Scale(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """The layer: one object with all three capabilities."""

    def __init__(self, factor: float) -> None:
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Scale", "1", ""
        self.num_outputs = 1
        self.factor = factor

    def get_capability_interface(self, type: trt.PluginCapabilityType) -> "Scale":
        return self

    def clone(self) -> "Scale":
        return Scale(self.factor)

    # While a network is defined and built.

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
        factor = np.array([self.factor], np.float32)
        field = trt.PluginField("factor", factor, trt.PluginFieldType.FLOAT32)
        return trt.PluginFieldCollection([field])

    # In an engine.

    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> "Scale":
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
        x = np.asarray(kiln.buffer(inputs[0], input_desc[0]))
        y = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        np.multiply(x, np.float32(self.factor), out=y)


class ScaleCreator(trt.IPluginCreatorV3One):
    """Creates the plugin from its fields: those of an ONNX node, or those stored in a plan."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Scale", "1", ""
        factor = trt.PluginField("factor", np.array([], np.float32), trt.PluginFieldType.FLOAT32)
        self.field_names = trt.PluginFieldCollection([factor])

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> Scale:
        return Scale(float(field_collection[0].data[0]))


def build(logger: trt.ILogger) -> trt.IHostMemory:
    """Returns a plan of a network with one layer."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (3,))
    y = network.add_plugin_v3([x], [], Scale(2.0)).get_output(0)
    y.name = "y"
    network.mark_output(y)
    return builder.build_serialized_network(network, builder.create_builder_config())


def run(plan: trt.IHostMemory, logger: trt.ILogger) -> npt.NDArray[np.float32]:
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
