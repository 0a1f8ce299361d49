# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Mistakes that mypy must report. A comment names the error code of the line. Nothing runs it."""

import tensorrt as trt
import tensorrt.plugin as trtp


class Wrong(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    def clone(self) -> int:  # override
        return 0

    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[int]:  # override
        return [0]

    def supports_format_combination(
        self,
        pos: int,
        in_out: list[trt.PluginTensorDesc],  # override
        num_inputs: int,
    ) -> bool:
        return True

    def on_shape_change(self, inputs: list[trt.PluginTensorDesc]) -> None:  # override
        pass


class WrongCreator(trt.IPluginCreatorV3One):
    def create_plugin(  # override
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> str:
        return "no plugin"


class Forgetful(trt.IOutputAllocator):
    def reallocate_output(  # override
        self, tensor_name: str, memory: int, size: int, alignment: int
    ) -> str:
        return "no address"


@trtp.register("typed::wrong")  # type-var
def describe(x: trtp.TensorDesc) -> trtp.Shape:
    return x.shape


@trtp.impl("typed::wrong")  # type-var
def compute(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> int:
    return x.numel()


@trtp.autotune("typed::wrong")  # type-var
def choose(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[str]:
    return ["FP32, FP32"]


@trtp.aot_impl("typed::wrong")  # type-var
def compile_it(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> tuple[str, bytes]:
    return "entry", b"code"


def build(network: trt.INetworkDefinition, context: trt.IExecutionContext) -> None:
    x = network.add_input("x", "float32", (3,))  # arg-type
    network.add_input("x", trt.float32, "3")  # arg-type
    network.add_activation(x, trt.ActivationType.RELUU)  # attr-defined
    network.add_activation(x, trt.PoolingType.MAX)  # arg-type
    network.add_plugin_v3([x], [], trt.ILogger())  # arg-type
    network.add_plugin(x)  # call-overload
    network.add_constant((3,), [1.0, 2.0, 3.0])  # arg-type
    trt.get_plugin_registry().register_creator(Wrong(), "")  # arg-type
    trt.DimsExprs([x])  # list-item
    print(trt.float31)  # attr-defined
    context.set_input_shape("x")  # call-arg
    shape: str = context.get_tensor_shape("x")[0]  # assignment
    trtp.size_tensor(shape, 3)  # arg-type
    trtp.KernelLaunchParams().grid_x = "many"  # assignment
