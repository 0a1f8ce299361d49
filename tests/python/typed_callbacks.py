# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Defines every callback. mypy checks this file in strict mode; nothing runs it."""

import tensorrt as trt


class Log(trt.ILogger):
    def log(self, severity: trt.ILogger.Severity, msg: str) -> None: ...


class Recorder(trt.IErrorRecorder):
    def clear(self) -> None: ...
    def get_error_code(self, index: int) -> trt.ErrorCodeTRT:
        return trt.ErrorCodeTRT.SUCCESS

    def get_error_desc(self, index: int) -> str:
        return ""

    def get_num_errors(self) -> int:
        return 0

    def has_overflowed(self) -> bool:
        return False

    def report_error(self, code: trt.ErrorCodeTRT, desc: str) -> bool:
        return False


class Memory(trt.IGpuAllocator):
    def allocate(self, size: int, alignment: int, flags: int) -> int:
        return 0

    def deallocate(self, memory: int) -> bool:
        return True

    def reallocate(self, address: int, alignment: int, new_size: int) -> int | None:
        return None


class MemoryInOrder(trt.IGpuAsyncAllocator):
    def allocate_async(self, size: int, alignment: int, stream: int, flags: int) -> int:
        return 0

    def deallocate_async(self, memory: int, stream: int) -> bool:
        return True


class Outputs(trt.IOutputAllocator):
    def reallocate_output(self, tensor_name: str, memory: int, size: int, alignment: int) -> int:
        return 0

    def reallocate_output_async(
        self, tensor_name: str, memory: int, size: int, alignment: int, stream: int
    ) -> int:
        return 0

    def notify_shape(self, tensor_name: str, shape: trt.Dims) -> None: ...


class Times(trt.IProfiler):
    def report_layer_time(self, layer_name: str, ms: float) -> None: ...


class Progress(trt.IProgressMonitor):
    def phase_start(self, phase_name: str, parent_phase: str | None, num_steps: int) -> None: ...
    def step_complete(self, phase_name: str, step: int) -> bool:
        return True

    def phase_finish(self, phase_name: str) -> None: ...


class Listener(trt.IDebugListener):
    def process_debug_tensor(
        self,
        addr: int,
        location: trt.TensorLocation,
        type: trt.DataType,
        shape: trt.Dims,
        name: str,
        stream: int,
    ) -> None: ...


class Calibrator(trt.IInt8EntropyCalibrator2):
    def get_batch_size(self) -> int:
        return 1

    def get_batch(self, names: list[str]) -> list[int] | None:
        return None

    def read_calibration_cache(self) -> bytes | None:
        return None

    def write_calibration_cache(self, cache: memoryview) -> None: ...


class LegacyCalibrator(trt.IInt8LegacyCalibrator):
    def get_quantile(self) -> float:
        return 0.5

    def get_regression_cutoff(self) -> float:
        return 0.5

    def read_histogram_cache(self, length: int) -> bytes | None:
        return None

    def write_histogram_cache(self, data: memoryview, length: int) -> None: ...


class Selector(trt.IAlgorithmSelector):
    def select_algorithms(
        self, context: trt.IAlgorithmContext, choices: list[trt.IAlgorithm]
    ) -> list[int]:
        return [0]

    def report_algorithms(
        self, contexts: list[trt.IAlgorithmContext], choices: list[trt.IAlgorithm]
    ) -> None: ...


class Reader(trt.IStreamReader):
    def read(self, size: int) -> bytes:
        return b""


class ReaderV2(trt.IStreamReaderV2):
    def read(self, num_bytes: int, stream: int) -> bytes:
        return b""

    def seek(self, offset: int, where: trt.SeekPosition) -> bool:
        return True


class Writer(trt.IStreamWriter):
    def write(self, data: bytes) -> int:
        return len(data)


class Shared(trt.IPluginResource):
    def clone(self) -> "Shared":
        return Shared()

    def release(self) -> None: ...


class PluginV2(trt.IPluginV2DynamicExt):
    def initialize(self) -> None: ...
    def terminate(self) -> None: ...
    def destroy(self) -> None: ...
    def detach_from_context(self) -> None: ...
    def attach_to_context(
        self, cudnn: None, cublas: None, allocator: trt.IGpuAllocator
    ) -> None: ...
    def clone(self) -> "PluginV2":
        return PluginV2()

    def configure_plugin(
        self, pos: list[trt.DynamicPluginTensorDesc], in_out: list[trt.DynamicPluginTensorDesc]
    ) -> None: ...
    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None: ...
    def get_output_datatype(self, index: int, input_types: list[trt.DataType]) -> trt.DataType:
        return input_types[0]

    def get_output_dimensions(
        self, output_index: int, inputs: list[trt.DimsExprs], expr_builder: trt.IExprBuilder
    ) -> trt.DimsExprs:
        return inputs[0]

    def get_serialization_size(self) -> int:
        return 0

    def get_workspace_size(
        self, inputs: list[trt.PluginTensorDesc], outputs: list[trt.PluginTensorDesc]
    ) -> int:
        return 0

    def serialize(self) -> bytes:
        return b""

    def supports_format_combination(
        self, pos: int, in_out: list[trt.PluginTensorDesc], num_inputs: int
    ) -> bool:
        return in_out[pos].type == trt.float32


class CreatorV2(trt.IPluginCreator):
    def create_plugin(self, name: str, field_collection: trt.PluginFieldCollection_) -> PluginV2:
        return PluginV2()

    def deserialize_plugin(self, name: str, serialized_plugin: bytes) -> PluginV2:
        return PluginV2()


class PluginV3(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuildV2, trt.IPluginV3OneRuntime
):
    def clone(self) -> "PluginV3":
        return PluginV3()

    def destroy(self) -> None: ...
    def get_capability_interface(
        self, type: trt.PluginCapabilityType
    ) -> trt.IPluginCapability | None:
        return None if type == trt.PluginCapabilityType.BUILD else self

    def get_aliased_input(self, output_index: int) -> int:
        return -1

    def configure_plugin(
        self, inputs: list[trt.DynamicPluginTensorDesc], outputs: list[trt.DynamicPluginTensorDesc]
    ) -> None: ...
    def get_output_data_types(self, input_types: list[trt.DataType]) -> list[trt.DataType]:
        return input_types

    def get_output_shapes(
        self,
        inputs: list[trt.DimsExprs],
        shape_inputs: list[trt.DimsExprs],
        expr_builder: trt.IExprBuilder,
    ) -> list[list[trt.IDimensionExpr]]:
        return [list(inputs[0])]

    def get_valid_tactics(self) -> list[int]:
        return [1]

    def get_workspace_size(
        self, inputs: list[trt.DynamicPluginTensorDesc], outputs: list[trt.DynamicPluginTensorDesc]
    ) -> int:
        return 0

    def supports_format_combination(
        self, pos: int, in_out: list[trt.DynamicPluginTensorDesc], num_inputs: int
    ) -> bool:
        return in_out[pos].desc.type == trt.float32

    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> "PluginV3":
        return self.clone()

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None: ...
    def get_fields_to_serialize(self) -> list[trt.PluginField]:
        return []

    def on_shape_change(
        self, inputs: list[trt.PluginTensorDesc], outputs: list[trt.PluginTensorDesc]
    ) -> None: ...
    def set_tactic(self, tactic: int) -> None: ...


class CreatorV3(trt.IPluginCreatorV3One):
    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> PluginV3:
        return PluginV3()


class QuickCreator(trt.IPluginCreatorV3Quick):
    def create_plugin(
        self,
        name: str,
        namespace: str,
        field_collection: trt.PluginFieldCollection_,
        phase: trt.TensorRTPhase,
        quickPluginType: trt.QuickPluginCreationRequest,
    ) -> PluginV3:
        return PluginV3()
