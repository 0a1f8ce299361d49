# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin as an IPluginV2DynamicExt: the older style, which many plugins use.

y = factor * x. x: [...], float32. Prints "[2. 4. 6.]".
"""

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt


class Scale(trt.IPluginV2DynamicExt):
    """The layer."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.plugin_type, self.plugin_version, self.plugin_namespace = "Scale", "2", ""
        self.num_outputs = 1
        self.factor = factor

    def clone(self) -> "Scale":
        return Scale(self.factor)

    def get_output_datatype(self, index: int, input_types: list[trt.DataType]) -> trt.DataType:
        return input_types[0]

    def get_output_dimensions(
        self, output_index: int, inputs: list[trt.DimsExprs], expr_builder: trt.IExprBuilder
    ) -> trt.DimsExprs:
        return trt.DimsExprs(inputs[0])

    def supports_format_combination(
        self, pos: int, in_out: list[trt.PluginTensorDesc], num_inputs: int
    ) -> bool:
        return in_out[pos].type == trt.float32 and in_out[pos].format == trt.TensorFormat.LINEAR

    def configure_plugin(
        self, inputs: list[trt.DynamicPluginTensorDesc], outputs: list[trt.DynamicPluginTensorDesc]
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

    def serialize(self) -> bytes:
        return np.float32(self.factor).tobytes()


class ScaleCreator(trt.IPluginCreator):
    """Creates the plugin: from fields for a network, from serialized bytes for a plan."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Scale", "2", ""
        factor = trt.PluginField("factor", np.array([], np.float32), trt.PluginFieldType.FLOAT32)
        self.field_names = trt.PluginFieldCollection([factor])

    def create_plugin(self, name: str, field_collection: trt.PluginFieldCollection_) -> Scale:
        return Scale(float(field_collection[0].data[0]))

    def deserialize_plugin(self, name: str, serialized_plugin: bytes) -> Scale:
        return Scale(float(np.frombuffer(serialized_plugin, np.float32)[0]))


def build(logger: trt.ILogger) -> trt.IHostMemory:
    """Returns a plan of a network with one layer."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (3,))
    y = network.add_plugin_v2([x], Scale(2.0)).get_output(0)
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
    trt.get_plugin_registry().register_creator(ScaleCreator(), "")
    print(run(build(logger), logger))
