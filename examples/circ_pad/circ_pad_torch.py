# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with torch inside: both versions of the NumPy form, another pad().

The same source runs on cpu and on cuda: kiln.buffer says where the memory is, and torch works
there. Importing this file registers both creators.
"""

from contextlib import nullcontext

import circ_pad_v2
import circ_pad_v3
import kiln
import tensorrt as trt
import torch


class TorchPad:
    """What differs from the NumPy form."""

    def prepare(self, shape):
        """Keeps the offsets as a tensor."""
        super().prepare(shape)
        self.index = torch.from_numpy(self.offsets)

    def pad(self, x_desc, y_desc, x, y, stream):
        """Computes y from x, in place: torch sees the engine's memory and copies nothing."""
        x = torch.as_tensor(kiln.buffer(x, x_desc)).view(-1, self.block)
        y = torch.as_tensor(kiln.buffer(y, y_desc)).view(-1, self.offsets.size)
        self.index = self.index.to(x.device)  # the first time, on cuda
        queue = torch.cuda.stream(torch.cuda.ExternalStream(stream)) if x.is_cuda else nullcontext()
        with queue:
            torch.index_select(x, 1, self.index, out=y)


class TorchPadV2(TorchPad, circ_pad_v2.CircPadPlugin):
    """The layer as an IPluginV2DynamicExt."""


class TorchPadV3(TorchPad, circ_pad_v3.CircPadPlugin):
    """The layer as an IPluginV3."""


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    """Makes version "1"."""

    plugin = TorchPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    """Makes version "2"."""

    plugin = TorchPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")
