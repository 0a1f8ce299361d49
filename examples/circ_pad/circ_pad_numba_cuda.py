# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with Numba inside, for GPUs: both versions of the NumPy form, the decorated one.

Padding only copies values, so the kernel copies bits: float16 is copied as uint16. Importing this
file registers all three.
"""

from functools import lru_cache
from typing import Any

import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import kiln
import numpy as np
import numpy.typing as npt
import tensorrt as trt
import tensorrt.plugin as trtp
from numba import cuda
from numba.cuda.cudadrv.devicearray import DeviceNDArray

BITS: dict[int, type[np.generic]] = {2: np.uint16, 4: np.uint32}
Memory = kiln.Buffer | trtp.Tensor
BLOCK = 256  # threads


@cuda.jit
def pad_kernel(
    x: npt.NDArray[Any], offsets: npt.NDArray[np.intp], block: int, y: npt.NDArray[Any]
) -> None:
    """Fills y [rows * offsets] from x [rows * block]."""
    at = cuda.grid(1)
    if at < y.size:
        row = at // offsets.size
        y[at] = x[row * block + offsets[at - row * offsets.size]]


def launch(
    x: Memory, offsets: DeviceNDArray, block: int, y: Memory, bits: type[np.generic], stream: int
) -> None:
    """Runs the kernel on the engine's stream."""
    source, target = (cuda.as_cuda_array(tensor).view(bits).ravel() for tensor in (x, y))
    blocks = -(-target.size // BLOCK)
    pad_kernel[blocks, BLOCK, cuda.external_stream(stream)](source, offsets, block, target)


class NumbaPad:
    """The differences from the NumPy form."""

    pads: list[int]  # of the plugin class

    def prepare(self, shape: tuple[int, ...]) -> None:
        """Keeps the offsets on the GPU."""
        self.block, offsets = circ_pad_op.layout_of(shape, tuple(self.pads))
        self.index = cuda.to_device(offsets)

    def pad(
        self,
        x_desc: trt.PluginTensorDesc,
        y_desc: trt.PluginTensorDesc,
        x: int,
        y: int,
        stream: int,
    ) -> None:
        """Computes y from x; both are addresses."""
        bits = BITS[x_desc.type.itemsize]
        source, target = kiln.buffer(x, x_desc), kiln.buffer(y, y_desc)
        launch(source, self.index, self.block, target, bits, stream)


class NumbaPadV2(NumbaPad, circ_pad_v2.CircPadPlugin):
    """The layer as an IPluginV2DynamicExt."""


class NumbaPadV3(NumbaPad, circ_pad_v3.CircPadPlugin):
    """The layer as an IPluginV3."""


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    """Creates version "1"."""

    plugin = NumbaPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    """Creates version "2"."""

    plugin = NumbaPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")


@lru_cache
def index_of(key: circ_pad_op.Key) -> DeviceNDArray:
    """The offsets on the GPU."""
    return cuda.to_device(circ_pad_op.layout_of(*key)[1])


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """The layer as a decorated function."""
    key = circ_pad_op.key_of(x, pads)
    block, _ = circ_pad_op.layout_of(*key)
    launch(x, index_of(key), block, outputs[0], BITS[x.dtype.itemsize], stream)
