# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Typed user code, which mypy checks in strict mode and nothing runs."""

import kiln as trt
import numpy as np


class Quiet(trt.ILogger):
    def log(self, severity: trt.ILogger.Severity, msg: str) -> None:
        pass


class Copy(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    def __init__(self) -> None:
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Copy", "1", ""
        self.num_outputs = 1

    def get_capability_interface(self, type: trt.PluginCapabilityType) -> "Copy":
        return self

    def clone(self) -> "Copy":
        return Copy()

    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[trt.DataType]:
        return input_types

    def get_output_shapes(
        self,
        inputs: list[trt.DimsExprs],
        shape_inputs: list[trt.DimsExprs],
        expr_builder: trt.IExprBuilder,
    ) -> list[trt.DimsExprs]:
        one = expr_builder.constant(1)
        shape = trt.DimsExprs(inputs[0])
        shape[0] = expr_builder.operation(trt.DimensionOperation.PROD, shape[0], one)
        return [shape]

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None:
        print(trt.volume(input_desc[0].dims) * input_desc[0].type.itemsize)

    def get_fields_to_serialize(self) -> trt.PluginFieldCollection:
        size = trt.PluginField("size", np.ones(1, np.int32), trt.PluginFieldType.INT32)
        return trt.PluginFieldCollection([size])


def build() -> bytes:
    builder = trt.Builder(Quiet())
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", trt.float32, (2, -1))
    weights = network.add_constant((2, 1), np.ones((2, 1), np.float32)).get_output(0)
    total = network.add_elementwise(x, weights, trt.ElementWiseOperation.SUM)
    layer = network.add_plugin_v3([total.get_output(0)], [], Copy())
    network.mark_output(layer.get_output(0))
    return bytes(builder.build_serialized_network(network, builder.create_builder_config()))


def run(plan: bytes) -> bool:
    context = trt.Runtime(Quiet()).deserialize_cuda_engine(plan).create_execution_context()
    context.set_input_shape("x", (2, 3))
    return context.execute_async_v3(0)
