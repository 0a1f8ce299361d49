# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""CircPadPlugin with Triton inside: both versions of the NumPy form, and the decorated one.

On the cpu target Triton interprets the kernel, which is slow and meant for trials; on cuda it
compiles the same kernel. Importing this file registers all three. It sets the interpreter mode, so
import it before any other Triton kernel is defined.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

import circ_pad_op
import circ_pad_v2
import circ_pad_v3
import kiln
import tensorrt as trt
import tensorrt.plugin as trtp
import torch

if kiln.default_target() == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"
import triton  # after TRITON_INTERPRET is set
import triton.language as tl

BLOCK = 16384 if kiln.default_target() == "cpu" else 1024  # interpreted blocks are slow


@triton.jit
def pad_kernel(
    x: tl.tensor,
    y: tl.tensor,
    offsets: tl.tensor,
    in_block: tl.tensor,
    out_block: tl.tensor,
    count: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """Fills y [rows, out_block], count elements, from x [rows, in_block]."""
    position = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = position < count
    offset = tl.load(offsets + position % out_block, mask=inside)
    values = tl.load(x + position // out_block * in_block + offset, mask=inside)
    tl.store(y + position, values, mask=inside)


class TritonPad:
    """The differences from the NumPy form."""

    pads: list[int]  # of the plugin class

    def prepare(self, shape: tuple[int, ...]) -> None:
        """Keeps the offsets as a tensor."""
        self.block, offsets = circ_pad_op.layout_of(shape, tuple(self.pads))
        self.index = torch.from_numpy(offsets)

    def pad(
        self,
        x_desc: trt.PluginTensorDesc,
        y_desc: trt.PluginTensorDesc,
        x: int,
        y: int,
        stream: int,
    ) -> None:
        """Launches the kernel; Triton takes memory as torch tensors."""
        source = torch.as_tensor(kiln.buffer(x, x_desc))
        target = torch.as_tensor(kiln.buffer(y, y_desc))
        self.index = self.index.to(source.device)  # the first time, on cuda
        launch(source, target, self.index, self.block, stream)


def queue_of(x: torch.Tensor, stream: int) -> AbstractContextManager[Any]:
    """Makes the engine's stream Torch's current one; ExternalStream(0) would be another stream."""
    queue: AbstractContextManager[Any] = nullcontext()
    if x.is_cuda:
        queue = torch.cuda.stream(torch.cuda.get_stream_from_external(stream))
    return queue


def launch(x: torch.Tensor, y: torch.Tensor, index: torch.Tensor, block: int, stream: int) -> None:
    """Runs the kernel on the engine's stream."""
    grid = (triton.cdiv(y.numel(), BLOCK),)
    with queue_of(x, stream):
        pad_kernel[grid](x, y, index, block, index.numel(), y.numel(), BLOCK)


class TritonPadV2(TritonPad, circ_pad_v2.CircPadPlugin):
    """The layer as an IPluginV2DynamicExt."""


class TritonPadV3(TritonPad, circ_pad_v3.CircPadPlugin):
    """The layer as an IPluginV3."""


class CreatorV2(circ_pad_v2.CircPadPluginCreator):
    """Creates version "1"."""

    plugin = TritonPadV2


class CreatorV3(circ_pad_v3.CircPadPluginCreator):
    """Creates version "2"."""

    plugin = TritonPadV3


for creator in (CreatorV2(), CreatorV3()):
    trt.get_plugin_registry().register_creator(creator, "")


@lru_cache
def index_on(device: str, key: circ_pad_op.Key) -> torch.Tensor:
    """The offsets as a tensor on the device of the data."""
    return torch.from_numpy(circ_pad_op.layout_of(*key)[1]).to(device)


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor, pads: circ_pad_op.Pads, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """The layer as a decorated function."""
    key = circ_pad_op.key_of(x, pads)
    block, _ = circ_pad_op.layout_of(*key)
    source = torch.as_tensor(x, device=x.device)
    target = torch.as_tensor(outputs[0], device=x.device)
    launch(source, target, index_on(x.device, key), block, stream)
