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
from pathlib import Path

import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import numpy as np
import tensorrt as trt
import tensorrt.plugin as trtp

SOURCE = Path(__file__).with_name("circ_pad.c")


def compile_and_load():
    """Returns the C function copy_columns."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "circ_pad_c.so"
        command = [os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", library, SOURCE]
        subprocess.run(command, check=True)
        function = ctypes.CDLL(str(library)).copy_columns  # stays loaded after the file is deleted
    address, count = ctypes.c_void_p, ctypes.c_int64
    function.argtypes = [address, address, address, count, count, count, count]
    function.restype = None
    return function


copy_columns = compile_and_load()


class CPad:
    """The differences from the NumPy form."""

    def prepare(self, shape):
        """Makes the offsets 64 bits wide on every machine."""
        super().prepare(shape)
        self.offsets = self.offsets.astype(np.int64)

    def pad(self, x_desc, y_desc, x, y, stream):
        """Computes y from x; both are addresses."""
        rows = trt.volume(x_desc.dims) // self.block
        offsets, count = self.offsets.ctypes.data, self.offsets.size
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
    offsets = offsets.astype(np.int64, copy=False)
    rows = x.numel() // block
    y = outputs[0].data_ptr
    copy_columns(x.data_ptr, y, offsets.ctypes.data, rows, block, offsets.size, x.dtype.itemsize)
