# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin for GPUs, computed by NumPy with copies to the host and back.

A form of examples/circ_pad for tests: it needs no framework, so it also runs on the emulated GPU.
"""

import ctypes

import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import numpy as np
import tensorrt as trt
import tensorrt.plugin as trtp
from device_memory import call


def pad(x, y, shape, dtype, block, offsets, stream):
    """Computes y from x; both are device addresses."""
    source = np.empty(shape, trt.nptype(dtype))
    call("cuStreamSynchronize", stream)
    call("cuMemcpyDtoH_v2", ctypes.c_void_p(source.ctypes.data), x, source.nbytes)
    result = np.ascontiguousarray(source.reshape(-1, block)[:, offsets])
    call("cuMemcpyHtoD_v2", y, ctypes.c_void_p(result.ctypes.data), result.nbytes)


class CopyPad:
    """The difference from the NumPy form."""

    def pad(self, x_desc, y_desc, x, y, stream):
        pad(x, y, tuple(x_desc.dims), x_desc.type, self.block, self.offsets, stream)


class CopyPadV2(CopyPad, circ_pad_v2.CircPadPlugin):
    pass


class CopyPadV3(CopyPad, circ_pad_v3.CircPadPlugin):
    pass


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    plugin = CopyPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    plugin = CopyPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    key = circ_pad_op.key_of(x, pads)
    pad(x.data_ptr, outputs[0].data_ptr, key[0], x.dtype, *circ_pad_op.layout_of(*key), stream)
