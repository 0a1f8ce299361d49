# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A plugin with a resource: a large object that all contexts and engines share.

y = table[x]. x: [4], int32; y: [4], float32. Prints "[0. 1. 4. 9.] made 1 time(s)".
"""

import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt

KEY = "SharedTable.squares"  # keys are global to the process


class Table(trt.IPluginResource):
    """The resource. The registry clones the first object passed for a key."""

    made = 0

    def __init__(self) -> None:
        super().__init__()
        self.values = np.empty(0, np.float32)

    def clone(self) -> "Table":
        table = Table()
        table.values = np.arange(1000, dtype=np.float32) ** 2  # the expensive part, done once
        Table.made += 1
        return table

    def release(self) -> None:
        self.values = np.empty(0, np.float32)  # the last user released it


class SharedTable(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime
):
    """The layer."""

    def __init__(self) -> None:
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "SharedTable", "1", ""
        self.num_outputs = 1
        self.table: Table | None = None

    def get_capability_interface(self, type: trt.PluginCapabilityType) -> "SharedTable":
        return self

    def clone(self) -> "SharedTable":
        return SharedTable()

    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> "SharedTable":
        attached = self.clone()
        attached.table = trt.get_plugin_registry().acquire_plugin_resource(KEY, Table())
        return attached

    def destroy(self) -> None:
        if self.table is not None:
            self.table = None
            trt.get_plugin_registry().release_plugin_resource(KEY)

    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[trt.DataType]:
        return [trt.float32]

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
        expected = trt.int32 if pos == 0 else trt.float32
        return desc.type == expected and desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(
        self, inputs: list[trt.DynamicPluginTensorDesc], outputs: list[trt.DynamicPluginTensorDesc]
    ) -> None:
        pass

    def get_fields_to_serialize(self) -> trt.PluginFieldCollection:
        return trt.PluginFieldCollection()

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
        assert self.table is not None  # attach_to_context has set it
        np.take(self.table.values, x, out=y, mode="clip")


class SharedTableCreator(trt.IPluginCreatorV3One):
    """Creates the plugin."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "SharedTable", "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> SharedTable:
        return SharedTable()


def build(logger: trt.ILogger) -> trt.IHostMemory:
    """Returns a plan with input x and output y."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.int32, (4,))
    y = network.add_plugin_v3([x], [], SharedTable()).get_output(0)
    y.name = "y"
    network.mark_output(y)
    return builder.build_serialized_network(network, builder.create_builder_config())


def run(context: trt.IExecutionContext) -> npt.NDArray[np.float32]:
    """Returns the table's values at 0, 1, 2, 3."""
    x, y = np.arange(4, dtype=np.int32), np.empty(4, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    context.execute_async_v3(0)
    return y


if __name__ == "__main__":
    kiln.set_default_target("cpu")  # NumPy computes in host memory
    logger = trt.Logger(trt.Logger.WARNING)
    trt.get_plugin_registry().register_creator(SharedTableCreator(), "")
    plan = build(logger)
    Table.made = 0  # the build may have timed the plugin
    runtime = trt.Runtime(logger)
    engines = [runtime.deserialize_cuda_engine(plan) for _ in range(2)]
    contexts = [engine.create_execution_context() for engine in engines for _ in range(2)]
    print(*{str(run(context)) for context in contexts}, f"made {Table.made} time(s)")
