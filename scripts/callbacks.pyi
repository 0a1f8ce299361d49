# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Signatures of callbacks in derived classes. make_stubs.py puts them into the stub.

The bindings accept and return objects of any type. Some callbacks have other parameters than the
method of the base class, and some base classes do not have the method.
"""

import collections.abc
import typing

import kiln as trt
import typing_extensions

class IErrorRecorder:
    def get_num_errors(self) -> int:
        """Callback: the number of errors that are kept."""

class IGpuAllocator:
    def allocate(self, size: int, alignment: int, flags: int) -> int | None: ...
    # IGpuAsyncAllocator has stream before flags.
    def allocate_async(
        self, size: int, alignment: int, flags: int, stream: int, /
    ) -> int | None: ...
    def deallocate(self, memory: int) -> bool: ...
    def deallocate_async(self, memory: int, stream: int) -> bool: ...
    def reallocate(self, address: int, alignment: int, new_size: int) -> int | None: ...

class IGpuAsyncAllocator:
    def allocate_async(self, size: int, alignment: int, stream: int, flags: int) -> int | None: ...

class IOutputAllocator:
    def reallocate_output(
        self, tensor_name: str, memory: int, size: int, alignment: int
    ) -> int | None:
        """Callback: returns the address of ``size`` bytes at a multiple of ``alignment``.

        memory: int, what was returned before, or 0.
        """

    def reallocate_output_async(
        self, tensor_name: str, memory: int, size: int, alignment: int, stream: int
    ) -> int | None:
        """As reallocate_output, in the order of a stream. Optional."""

    def notify_shape(self, tensor_name: str, shape: trt.Dims) -> None:
        """Callback: the shape of the output is known."""

class IProgressMonitor:
    def phase_start(self, phase_name: str, parent_phase: str | None, num_steps: int) -> None: ...

class IInt8Calibrator:
    def get_batch(self, names: list[str]) -> collections.abc.Sequence[int] | None: ...
    def read_calibration_cache(self) -> bytes | None: ...
    def write_calibration_cache(self, cache: memoryview) -> None: ...

class IInt8LegacyCalibrator:
    def get_quantile(self) -> float:
        """Callback: the quantile, 0 to 1."""

    def get_regression_cutoff(self) -> float:
        """Callback: the cutoff, 0 to 1."""

    def read_histogram_cache(self, length: int) -> bytes | None:
        """Callback: the histogram of an earlier calibration, or None."""

    def write_histogram_cache(self, data: memoryview, length: int) -> None:
        """Callback: takes the histogram, valid during the call."""

class IAlgorithmSelector:
    def report_algorithms(
        self, contexts: list[trt.IAlgorithmContext], choices: list[trt.IAlgorithm]
    ) -> None: ...
    def select_algorithms(
        self, context: trt.IAlgorithmContext, choices: list[trt.IAlgorithm]
    ) -> collections.abc.Sequence[int]: ...

class IStreamReader:
    def read(self, size: int) -> typing_extensions.Buffer | None: ...

class IStreamReaderV2:
    def read(self, num_bytes: int, stream: int) -> typing_extensions.Buffer | None: ...

class IStreamWriter:
    def write(self, data: bytes) -> int: ...

class IDebugListener:
    def process_debug_tensor(
        self,
        addr: int,
        location: trt.TensorLocation,
        type: trt.DataType,
        shape: trt.Dims,
        name: str,
        stream: int,
    ) -> bool | None: ...

class IPluginV3:
    def clone(self) -> trt.IPluginV3: ...
    def get_capability_interface(
        self, type: trt.PluginCapabilityType
    ) -> trt.IPluginCapability | None: ...

class IPluginV3OneBuild:
    def configure_plugin(
        self,
        in_: list[trt.DynamicPluginTensorDesc],
        out: list[trt.DynamicPluginTensorDesc],
    ) -> int | None: ...
    def get_output_data_types(
        self, input_types: list[trt.DataType]
    ) -> collections.abc.Iterable[trt.DataType]: ...
    def get_output_shapes(
        self,
        inputs: list[trt.DimsExprs],
        shape_inputs: list[trt.DimsExprs],
        expr_builder: trt.IExprBuilder,
    ) -> collections.abc.Iterable[
        collections.abc.Iterable[trt.IDimensionExpr | typing.SupportsIndex]
    ]: ...
    def get_valid_tactics(self) -> collections.abc.Iterable[int]: ...
    def get_workspace_size(
        self,
        in_: list[trt.DynamicPluginTensorDesc],
        out: list[trt.DynamicPluginTensorDesc],
    ) -> int: ...
    def supports_format_combination(
        self, pos: int, in_out: list[trt.DynamicPluginTensorDesc], num_inputs: int
    ) -> bool: ...

class IPluginV3OneBuildV2:
    def get_aliased_input(self, output_index: int) -> int: ...

class IPluginV3OneRuntime:
    def attach_to_context(self, resource_context: trt.IPluginResourceContext) -> trt.IPluginV3: ...
    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> int | None: ...
    def get_fields_to_serialize(self) -> collections.abc.Iterable[trt.PluginField]: ...
    def on_shape_change(
        self, in_: list[trt.PluginTensorDesc], out: list[trt.PluginTensorDesc]
    ) -> int | None: ...
    def set_tactic(self, tactic: int) -> int | None: ...

class IPluginV2:
    # These accept the signatures of IPluginV2DynamicExt.
    def clone(self) -> trt.IPluginV2: ...
    def get_workspace_size(self, *arguments: typing.Any, **named: typing.Any) -> int: ...
    def initialize(self) -> int | None: ...
    def serialize(self) -> typing_extensions.Buffer: ...

class IPluginV2DynamicExt:
    def attach_to_context(
        self, cudnn: None, cublas: None, allocator: trt.IGpuAllocator
    ) -> None: ...
    def clone(self) -> trt.IPluginV2DynamicExt: ...
    def configure_plugin(
        self,
        pos: list[trt.DynamicPluginTensorDesc],
        in_out: list[trt.DynamicPluginTensorDesc],
    ) -> int | None: ...
    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> int | None: ...
    def get_output_datatype(self, index: int, input_types: list[trt.DataType]) -> trt.DataType: ...
    def get_output_dimensions(
        self, output_index: int, inputs: list[trt.DimsExprs], expr_builder: trt.IExprBuilder
    ) -> collections.abc.Iterable[trt.IDimensionExpr | typing.SupportsIndex]: ...
    def get_serialization_size(self) -> int: ...
    def get_workspace_size(
        self, in_: list[trt.PluginTensorDesc], out: list[trt.PluginTensorDesc]
    ) -> int: ...
    def initialize(self) -> int | None: ...
    def serialize(self) -> typing_extensions.Buffer: ...
    def supports_format_combination(
        self, pos: int, in_out: list[trt.PluginTensorDesc], num_inputs: int
    ) -> bool: ...

# Callbacks get a PluginFieldCollection_. Callers may also pass a PluginFieldCollection.
class IPluginCreator:
    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_ | typing.Any
    ) -> trt.IPluginV2: ...
    def deserialize_plugin(self, name: str, serialized_plugin: bytes) -> trt.IPluginV2: ...
    @property
    def field_names(self) -> trt.PluginFieldCollection_: ...
    @field_names.setter
    def field_names(self, arg1: collections.abc.Iterable[trt.PluginField]) -> None: ...

class IPluginCreatorV3One:
    def create_plugin(
        self,
        name: str,
        field_collection: trt.PluginFieldCollection_ | typing.Any,
        phase: trt.TensorRTPhase,
    ) -> trt.IPluginV3: ...
    @property
    def field_names(self) -> trt.PluginFieldCollection_: ...
    @field_names.setter
    def field_names(self, arg1: collections.abc.Iterable[trt.PluginField]) -> None: ...

class IPluginCreatorV3Quick:
    def create_plugin(
        self,
        name: str,
        namespace: str,
        field_collection: trt.PluginFieldCollection_ | typing.Any,
        phase: trt.TensorRTPhase,
        quickPluginType: trt.QuickPluginCreationRequest,
    ) -> trt.IPluginV3: ...
    @property
    def field_names(self) -> trt.PluginFieldCollection_: ...
    @field_names.setter
    def field_names(self, arg1: collections.abc.Iterable[trt.PluginField]) -> None: ...

class IPluginResource:
    def clone(self) -> trt.IPluginResource: ...
