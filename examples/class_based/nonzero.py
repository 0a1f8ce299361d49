# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin whose output shape depends on its data: the positions where a matrix is not zero.

x: [rows, columns], float32. positions: [count, 2], int32; count is known only after enqueue.
Prints "[[0, 1], [2, 0]]".
"""

import ctypes

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt


class Nonzero(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """The layer. Output 0: the positions. Output 1: their number, a size tensor."""

    def __init__(self) -> None:
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Nonzero", "1", ""
        self.num_outputs = 2

    def get_capability_interface(self, type: trt.PluginCapabilityType) -> "Nonzero":
        return self

    def clone(self) -> "Nonzero":
        return type(self)()

    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[trt.DataType]:
        return [trt.int32, trt.int32]

    def get_output_shapes(
        self,
        inputs: list[trt.DimsExprs],
        shape_inputs: list[trt.DimsExprs],
        expr_builder: trt.IExprBuilder,
    ) -> list[trt.DimsExprs]:
        rows, columns = inputs[0][0], inputs[0][1]
        upper = expr_builder.operation(trt.DimensionOperation.PROD, rows, columns)
        half = expr_builder.operation(
            trt.DimensionOperation.CEIL_DIV, upper, expr_builder.constant(2)
        )
        # Output 1 gives the extent: at most upper; half of it is the value to optimize for.
        count = expr_builder.declare_size_tensor(1, half, upper)
        positions = trt.DimsExprs([count, expr_builder.constant(2)])
        return [positions, trt.DimsExprs(0)]  # a size tensor is a scalar

    def supports_format_combination(
        self, pos: int, in_out: list[trt.DynamicPluginTensorDesc], num_inputs: int
    ) -> bool:
        desc = in_out[pos].desc
        expected = trt.float32 if pos == 0 else trt.int32
        return desc.type == expected and desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(
        self, inputs: list[trt.DynamicPluginTensorDesc], outputs: list[trt.DynamicPluginTensorDesc]
    ) -> None:
        pass

    def get_fields_to_serialize(self) -> trt.PluginFieldCollection:
        return trt.PluginFieldCollection()

    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> "Nonzero":
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
        found = np.ascontiguousarray(np.argwhere(x), np.int32)
        # The memory is large enough for the upper bound; the shape is not known yet.
        ctypes.memmove(outputs[0], found.ctypes.data, found.nbytes)
        ctypes.c_int32.from_address(outputs[1]).value = len(found)


class NonzeroCreator(trt.IPluginCreatorV3One):
    """Creates the plugin."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Nonzero", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> Nonzero:
        return Nonzero()


class Positions(trt.IOutputAllocator):
    """Allocates memory when the size is known, and stores the shape."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = np.empty(0, np.uint8)
        self.shape: tuple[int, ...] = ()

    def reallocate_output(self, tensor_name: str, memory: int, size: int, alignment: int) -> int:
        if size > self.memory.nbytes:
            self.memory = np.empty(size + alignment, np.uint8)
        return self.memory.ctypes.data + -self.memory.ctypes.data % alignment

    def notify_shape(self, tensor_name: str, shape: trt.Dims) -> None:
        self.shape = tuple(shape)


def build(logger: trt.ILogger) -> trt.IHostMemory:
    """Returns a plan with input x and output positions."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (-1, -1))
    positions = network.add_plugin_v3([x], [], Nonzero()).get_output(0)
    positions.name = "positions"
    network.mark_output(positions)
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 1), (4, 4), (64, 64))
    config = builder.create_builder_config()
    config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)


def run(context: trt.IExecutionContext, x: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """Returns the positions where x is not zero."""
    allocator = Positions()
    context.set_input_shape("x", x.shape)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_output_allocator("positions", allocator)
    context.execute_async_v3(0)
    address = context.get_tensor_address("positions")
    count = trt.volume(allocator.shape)
    values = (ctypes.c_int32 * count).from_address(address)
    return np.array(values, np.int32).reshape(allocator.shape)


if __name__ == "__main__":
    kiln.set_default_target("cpu")  # NumPy computes in host memory
    logger = trt.Logger(trt.Logger.WARNING)
    trt.get_plugin_registry().register_creator(NonzeroCreator(), "")
    engine = trt.Runtime(logger).deserialize_cuda_engine(build(logger))
    x = np.array([[0, 5], [0, 0], [7, 0]], np.float32)
    print(run(engine.create_execution_context(), x).tolist())
