# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with CuPy inside, for GPUs: a RawKernel over the engine's memory.

Both versions of the NumPy form, and the decorated one; importing this file registers all three.
"""

import circ_pad_cuda
import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import cupy
import numpy as np
import tensorrt as trt
import tensorrt.plugin as trtp

MODULE = cupy.RawModule(code=circ_pad_cuda.SOURCE)


def as_cupy(pointer: int, desc: trt.PluginTensorDesc) -> cupy.ndarray:
    """Returns the tensor at an address as a CuPy array, not a copy."""
    dtype = np.dtype(trt.nptype(desc.type))
    size = trt.volume(desc.dims) * dtype.itemsize
    memory = cupy.cuda.UnownedMemory(pointer, size, None)
    return cupy.ndarray(tuple(desc.dims), dtype, cupy.cuda.MemoryPointer(memory, 0))


def launch(x: cupy.ndarray, y: cupy.ndarray, dtype: trt.DataType, numbers: list[np.int32]) -> None:
    """Runs the kernel on CuPy's current stream. numbers: see circ_pad_cuda.scalars."""
    blocks = -(-y.size // circ_pad_cuda.BLOCK)
    kernel = MODULE.get_function(circ_pad_cuda.entry_name(dtype))
    kernel((blocks,), (circ_pad_cuda.BLOCK,), (x, *numbers, y))


class CupyPad:
    """The differences from the NumPy form."""

    pairs: list[circ_pad_v3.Pair]  # of the plugin class

    def prepare(self, shape: tuple[int, ...]) -> None:
        """Keeps the kernel's scalars."""
        self.numbers = [np.int32(n) for n in circ_pad_cuda.scalars(shape, self.pairs)]

    def pad(
        self,
        x_desc: trt.PluginTensorDesc,
        y_desc: trt.PluginTensorDesc,
        x: int,
        y: int,
        stream: int,
    ) -> None:
        """Computes y from x; both are addresses."""
        with cupy.cuda.ExternalStream(stream):
            launch(as_cupy(x, x_desc), as_cupy(y, y_desc), x_desc.type, self.numbers)


class CupyPadV2(CupyPad, circ_pad_v2.CircPadPlugin):
    """The layer as an IPluginV2DynamicExt."""


class CupyPadV3(CupyPad, circ_pad_v3.CircPadPlugin):
    """The layer as an IPluginV3."""


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    """Creates version "1"."""

    plugin = CupyPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    """Creates version "2"."""

    plugin = CupyPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """The layer as a decorated function; the engine's stream is CuPy's current one."""
    shape, all_pads = circ_pad_op.key_of(x, pads)
    numbers = circ_pad_cuda.scalars(shape, circ_pad_v3.pairs_of(all_pads))
    launch(
        cupy.asarray(x), cupy.asarray(outputs[0]), x.dtype, [np.int32(number) for number in numbers]
    )
