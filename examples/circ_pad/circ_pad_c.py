# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with C inside, by ctypes: both versions of the NumPy form, and the decorated one.

The C source is next to this file and is compiled on import, by $CC or cc. C receives plain
addresses; ctypes releases the GIL while C runs. Importing this file registers all three.
"""

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import numpy as np
import tensorrt as trt
import tensorrt.plugin as trtp

SOURCE = Path(__file__).with_name("circ_pad.c")


def compile_and_load() -> Callable[..., None]:
    """Returns the C function copy_columns."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "circ_pad_c.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        function = ctypes.CDLL(str(library)).copy_columns  # stays loaded after the file is deleted
    address, count = ctypes.c_void_p, ctypes.c_int64
    function.argtypes = [address, address, address, count, count, count, count]
    function.restype = None
    return function


copy_columns = compile_and_load()


class CPad:
    """The differences from the NumPy form."""

    pads: list[int]  # of the plugin class

    def prepare(self, shape: tuple[int, ...]) -> None:
        """Makes the offsets 64 bits wide on every machine."""
        self.block, offsets = circ_pad_op.layout_of(shape, tuple(self.pads))
        self.positions = offsets.astype(np.int64)

    def pad(
        self,
        x_desc: trt.PluginTensorDesc,
        y_desc: trt.PluginTensorDesc,
        x: int,
        y: int,
        stream: int,
    ) -> None:
        """Computes y from x; both are addresses."""
        rows = trt.volume(x_desc.dims) // self.block
        offsets, count = self.positions.ctypes.data, self.positions.size
        copy_columns(x, y, offsets, rows, self.block, count, x_desc.type.itemsize)


class CPadV2(CPad, circ_pad_v2.CircPadPlugin):
    """The layer as an IPluginV2DynamicExt."""


class CPadV3(CPad, circ_pad_v3.CircPadPlugin):
    """The layer as an IPluginV3."""


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    """Creates version "1"."""

    plugin = CPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    """Creates version "2"."""

    plugin = CPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """The layer as a decorated function."""
    block, offsets = circ_pad_op.layout_of(*circ_pad_op.key_of(x, pads))
    positions = offsets.astype(np.int64, copy=False)
    rows, size = x.numel() // block, x.dtype.itemsize
    y = outputs[0].data_ptr
    copy_columns(x.data_ptr, y, positions.ctypes.data, rows, block, positions.size, size)
