# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin version "1": circular padding as an IPluginV2DynamicExt, computed with NumPy.

y = x with the last one to four dimensions extended by values from the opposite edge.
Attribute pads (int32, two values for each padded dimension, last dimension first, as in
torch.nn.functional.pad): before and after of dimension -1, before and after of -2, and so on.
x: [...], float32 | float16, linear. y: the same type.

This file registers nothing: a program calls register_creator(CircPadPluginCreator(), "");
`trtexec --plugins=circ_pad_v2.py` does so itself. With CIRC_PAD_LOG=FILE in the environment,
each instance adds the tensor type to FILE when its enqueue first receives that type.
"""

import ctypes
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorrt as trt

NAME = "CircPadPlugin"
Pair = tuple[int, int]  # before and after a dimension
VERSION = "1"


def pairs_of(pads: Sequence[int]) -> list[Pair]:
    """Returns [(before, after), ...] from the first padded dimension to the last."""
    if not pads or len(pads) % 2 or len(pads) > 8:
        raise ValueError(
            f"{NAME}: pads needs 2, 4, 6 or 8 values, two for each padded dimension, got {pads}"
        )
    if min(pads) < 0:
        raise ValueError(f"{NAME}: pads must not be negative, got {pads}")
    return list(zip(pads[0::2], pads[1::2], strict=True))[::-1]


def read_pads(fields: trt.PluginFieldCollection_) -> list[int]:
    """Returns the pads of a PluginFieldCollection as a list of Python integers."""
    for field in fields:
        if field.name != "pads":
            continue
        values = np.asarray(field.data)
        if values.dtype not in (np.int32, np.int64):
            raise ValueError(f"{NAME}: pads must be int32 or int64, got {values.dtype}")
        return [int(value) for value in values]
    raise ValueError(f"{NAME}: attribute pads is missing; example: pads=[1, 1, 1, 1]")


def source_offsets(shape: Sequence[int], pairs: Sequence[Pair]) -> npt.NDArray[np.intp]:
    """Returns, for each element of a padded block, the element of the block that it repeats.

    A block consists of the padded dimensions, the last len(pairs) of shape.
    """
    offsets = np.zeros(1, np.intp)
    for extent, (before, after) in zip(shape[-len(pairs) :], pairs, strict=True):
        if extent == 0:
            raise ValueError(f"{NAME}: a dimension without elements cannot be padded: {shape}")
        positions = np.arange(-before, extent + after) % extent
        offsets = np.add.outer(offsets * extent, positions).ravel()
    return offsets


def as_array(pointer: int, desc: trt.PluginTensorDesc, columns: int) -> npt.NDArray[Any]:
    """Returns the tensor at an address as an array [rows, columns], without a copy."""
    dtype = np.dtype(trt.nptype(desc.type))
    memory = (ctypes.c_byte * (trt.volume(desc.dims) * dtype.itemsize)).from_address(pointer)
    return np.frombuffer(memoryview(memory), dtype).reshape(-1, columns)


class CircPadPlugin(trt.IPluginV2DynamicExt):
    """The layer."""

    def __init__(self, pads: list[int]) -> None:
        super().__init__()
        self.plugin_type = NAME
        self.plugin_version = VERSION
        self.plugin_namespace = ""
        self.num_outputs = 1
        self.pads = pads
        self.pairs = pairs_of(pads)
        self.offsets_of: tuple[int, ...] | None = None  # the shape that block and offsets are for
        self.block = 0  # elements in a block
        self.offsets = np.zeros(0, np.intp)  # the source of each element of a padded block
        self.logged_type: trt.DataType | None = None

    # While the network is defined and built --------------------------------------------------

    def get_output_datatype(self, index: int, input_types: list[trt.DataType]) -> trt.DataType:
        """The output has the type of the input."""
        return input_types[0]

    def get_output_dimensions(
        self, output_index: int, inputs: list[trt.DimsExprs], expr_builder: trt.IExprBuilder
    ) -> trt.DimsExprs:
        """The input's dimensions; the padded ones include their pads."""
        rank, padded = len(inputs[0]), len(self.pairs)
        if rank < padded:
            raise ValueError(f"{NAME}: pads is for {padded} dimensions, the input has {rank}")
        output = trt.DimsExprs(inputs[0])
        for axis, (before, after) in enumerate(self.pairs, start=rank - padded):
            added = expr_builder.constant(before + after)
            output[axis] = expr_builder.operation(
                trt.DimensionOperation.SUM, inputs[0][axis], added
            )
        return output

    def supports_format_combination(
        self, pos: int, in_out: list[trt.PluginTensorDesc], num_inputs: int
    ) -> bool:
        """Float or half; the output has the type of the input."""
        desc = in_out[pos]
        if desc.format != trt.TensorFormat.LINEAR:
            return False
        if pos == 0:
            return desc.type in (trt.float32, trt.float16)
        return desc.type == in_out[0].type

    def configure_plugin(
        self, inputs: list[trt.DynamicPluginTensorDesc], outputs: list[trt.DynamicPluginTensorDesc]
    ) -> None:
        """Receives the chosen types; nothing here depends on them."""

    # In an engine ----------------------------------------------------------------------------

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None:
        """Computes y from x; inputs and outputs are addresses."""
        shape = tuple(input_desc[0].dims)
        if shape != self.offsets_of:
            self.prepare(shape)
            self.offsets_of = shape
        if input_desc[0].type != self.logged_type:
            self.log_type(input_desc[0].type)
        self.pad(input_desc[0], output_desc[0], inputs[0], outputs[0], stream)

    def prepare(self, shape: tuple[int, ...]) -> None:
        """Prepares the data that depends only on the input's shape."""
        self.block = int(np.prod(shape[-len(self.pairs) :]))
        self.offsets = source_offsets(shape, self.pairs)

    def pad(
        self,
        x_desc: trt.PluginTensorDesc,
        y_desc: trt.PluginTensorDesc,
        x: int,
        y: int,
        stream: int,
    ) -> None:
        """Computes y from x; both are addresses."""
        source = as_array(x, x_desc, self.block)
        target = as_array(y, y_desc, self.offsets.size)
        # mode "clip" lets NumPy write to y directly; no offset is out of range.
        np.take(source, self.offsets, axis=1, out=target, mode="clip")

    def log_type(self, dtype: trt.DataType) -> None:
        """Adds the name of a tensor type to the file that CIRC_PAD_LOG names."""
        self.logged_type = dtype
        if path := os.environ.get("CIRC_PAD_LOG"):
            with open(path, "a") as log:
                log.write(f"{np.dtype(trt.nptype(dtype)).name}\n")

    # Copies and plans ------------------------------------------------------------------------

    def clone(self) -> "CircPadPlugin":
        """Another plugin with the same attributes; the engine and each context own one."""
        copy = type(self)(self.pads)
        copy.plugin_namespace = self.plugin_namespace
        return copy

    def serialize(self) -> bytes:
        """The state that a plan stores: the pads."""
        return np.array(self.pads, np.int32).tobytes()


class CircPadPluginCreator(trt.IPluginCreator):
    """Creates plugins for networks and for plans; the registry holds one creator."""

    plugin = CircPadPlugin

    def __init__(self) -> None:
        super().__init__()
        self.name = NAME
        self.plugin_version = VERSION
        self.plugin_namespace = ""
        self.field_names = trt.PluginFieldCollection(
            [trt.PluginField("pads", np.array([], np.int32), trt.PluginFieldType.INT32)]
        )

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_
    ) -> CircPadPlugin:
        """Creates the plugin of a new network."""
        return self.plugin(read_pads(field_collection))

    def deserialize_plugin(self, name: str, serialized_plugin: bytes) -> CircPadPlugin:
        """Creates the plugin of an opened plan from the bytes that serialize returned."""
        return self.plugin([int(value) for value in np.frombuffer(serialized_plugin, np.int32)])
