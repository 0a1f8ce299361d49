# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with torch inside: both versions of the NumPy form, and the decorated one.

The same source runs on cpu and on cuda: kiln.buffer tells torch where the memory is. Importing this
file registers all three.
"""

from contextlib import nullcontext
from functools import lru_cache

import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import kiln
import tensorrt as trt
import tensorrt.plugin as trtp
import torch


class TorchPad:
    """The differences from the NumPy form."""

    def prepare(self, shape):
        """Keeps the offsets as a tensor."""
        super().prepare(shape)
        self.index = torch.from_numpy(self.offsets)

    def pad(self, x_desc, y_desc, x, y, stream):
        """Computes y from x; torch uses the engine's memory without a copy."""
        x = torch.as_tensor(kiln.buffer(x, x_desc)).view(-1, self.block)
        y = torch.as_tensor(kiln.buffer(y, y_desc)).view(-1, self.offsets.size)
        self.index = self.index.to(x.device)  # the first time, on cuda
        select(x, self.index, y, stream)


def queue_of(x, stream):
    """Makes the engine's stream Torch's current one; ExternalStream(0) would be another stream."""
    if not x.is_cuda:
        return nullcontext()
    return torch.cuda.stream(torch.cuda.get_stream_from_external(stream))


def select(x, index, y, stream):
    """Fills y from the columns of x, on the engine's stream."""
    with queue_of(x, stream):
        torch.index_select(x, 1, index, out=y)


class TorchPadV2(TorchPad, circ_pad_v2.CircPadPlugin):
    """The layer as an IPluginV2DynamicExt."""


class TorchPadV3(TorchPad, circ_pad_v3.CircPadPlugin):
    """The layer as an IPluginV3."""


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    """Creates version "1"."""

    plugin = TorchPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    """Creates version "2"."""

    plugin = TorchPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")


@lru_cache
def index_on(device, key):
    """The offsets as a tensor on the device of the data."""
    return torch.from_numpy(circ_pad_op.layout_of(*key)[1]).to(device)


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """The layer as a decorated function."""
    key = circ_pad_op.key_of(x, pads)
    block, offsets = circ_pad_op.layout_of(*key)
    x = torch.as_tensor(x, device=x.device).view(-1, block)
    y = torch.as_tensor(outputs[0], device=x.device).view(-1, offsets.size)
    select(x, index_on(x.device, key), y, stream)
