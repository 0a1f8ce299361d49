# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin with a shape input: the value of a tensor determines the shape of the output.

y = x, repeats times in a row. x: [n], float32; repeats: [1], int32; y: [n * repeats].
Prints "[1. 2. 1. 2. 1. 2.]".
"""

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt


class Tile(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """The layer: one input and one shape input."""

    def __init__(self) -> None:
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Tile", "1", ""
        self.num_outputs = 1

    def get_capability_interface(self, type: trt.PluginCapabilityType) -> "Tile":
        return self

    def clone(self) -> "Tile":
        return Tile()

    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[trt.DataType]:
        return [input_types[0]]

    def get_output_shapes(
        self,
        inputs: list[trt.DimsExprs],
        shape_inputs: list[trt.DimsExprs],
        expr_builder: trt.IExprBuilder,
    ) -> list[trt.DimsExprs]:
        repeats = shape_inputs[0][0]  # the first value of the first shape input
        product = expr_builder.operation(trt.DimensionOperation.PROD, inputs[0][0], repeats)
        return [trt.DimsExprs([product])]

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

    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> "Tile":
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
        y.reshape(-1, x.size)[...] = x


class TileCreator(trt.IPluginCreatorV3One):
    """Creates the plugin."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Tile", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> Tile:
        return Tile()


def build(logger: trt.ILogger) -> trt.IHostMemory:
    """Returns a plan with inputs x and repeats and output y."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (2,))
    repeats = network.add_input("repeats", trt.int32, (1,))
    y = network.add_plugin_v3([x], [repeats], Tile()).get_output(0)
    y.name = "y"
    network.mark_output(y)
    profile = builder.create_optimization_profile()
    profile.set_shape_input("repeats", [1], [2], [8])  # values, not shapes
    config = builder.create_builder_config()
    config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)


def run(
    context: trt.IExecutionContext, x: npt.NDArray[np.float32], count: int
) -> npt.NDArray[np.float32]:
    """Returns x repeated count times."""
    repeats = np.array([count], np.int32)
    context.set_tensor_address("repeats", repeats.ctypes.data)  # read on the host, on any target
    missing = context.infer_shapes()
    if missing:
        raise ValueError(f"no shape or value for {missing}")
    y = np.empty(tuple(context.get_tensor_shape("y")), np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    context.execute_async_v3(0)
    return y


if __name__ == "__main__":
    kiln.set_default_target("cpu")  # NumPy computes in host memory
    logger = trt.Logger(trt.Logger.WARNING)
    trt.get_plugin_registry().register_creator(TileCreator(), "")
    engine = trt.Runtime(logger).deserialize_cuda_engine(build(logger))
    print(run(engine.create_execution_context(), np.array([1, 2], np.float32), 3))
