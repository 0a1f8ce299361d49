# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with Numba inside: both versions of the NumPy form, and the decorated one.

Padding only copies values, so the kernel copies bits: float16, which Numba does not support on the
CPU, is copied as uint16. Importing this file registers all three.
"""

from typing import Any

import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import kiln
import numba
import numpy as np
import numpy.typing as npt
import tensorrt as trt
import tensorrt.plugin as trtp

BITS = {2: np.uint16, 4: np.uint32}


# Explicit types make Numba compile on import instead of in the first enqueue. nogil lets other
# Python threads run meanwhile.
@numba.njit(
    [
        "(uint16[:, ::1], int64[::1], uint16[:, ::1])",
        "(uint32[:, ::1], int64[::1], uint32[:, ::1])",
    ],
    nogil=True,
)
def copy_columns(x: npt.NDArray[Any], offsets: npt.NDArray[np.intp], y: npt.NDArray[Any]) -> None:
    """Fills y [rows, offsets] from x [rows, block]."""
    for row in range(x.shape[0]):
        for column in range(offsets.size):
            y[row, column] = x[row, offsets[column]]


class NumbaPad:
    """The differences from the NumPy form."""

    block: int  # of the plugin class
    offsets: npt.NDArray[np.intp]

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
        source = np.asarray(kiln.buffer(x, x_desc)).view(bits).reshape(-1, self.block)
        target = np.asarray(kiln.buffer(y, y_desc)).view(bits).reshape(-1, self.offsets.size)
        copy_columns(source, self.offsets, target)


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


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """The layer as a decorated function."""
    block, offsets = circ_pad_op.layout_of(*circ_pad_op.key_of(x, pads))
    bits = BITS[x.dtype.itemsize]
    y = np.asarray(outputs[0]).view(bits).reshape(-1, offsets.size)
    copy_columns(np.asarray(x).view(bits).reshape(-1, block), offsets, y)
