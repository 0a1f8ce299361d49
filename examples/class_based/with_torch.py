# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Three plugins of this folder with Torch inside, which run on either target.

With KILN_TARGET=cuda, enqueue of the same classes works in GPU memory on the engine's stream, which
is Torch's current stream during the call.

Prints "[3.0, 3.0, 3.0, 3.0]", "[[0, 1], [2, 0]]", and "[3.0, 1.0, 2.0, 3.0, 1.0]".
"""

import accumulate
import kiln
import nonzero
import numpy as np
import tactics
import tensorrt as trt
import torch


def as_tensor(address, desc):
    """The memory of a tensor as a Torch tensor, without a copy."""
    return torch.as_tensor(kiln.buffer(address, desc))


def accumulate_in_place(self, input_desc, output_desc, inputs, outputs, workspace, stream):
    """Total += x."""
    total = as_tensor(outputs[0], output_desc[0])
    total += as_tensor(inputs[1], input_desc[1])


def find_nonzero(self, input_desc, output_desc, inputs, outputs, workspace, stream):
    """A data-dependent shape. torch.nonzero waits for the GPU, to get the number of positions."""
    found = torch.nonzero(as_tensor(inputs[0], input_desc[0]))
    # The memory is large enough for the upper bound; the shape is not known yet.
    desc = trt.PluginTensorDesc()
    desc.dims, desc.type = tuple(found.shape), trt.int32
    as_tensor(outputs[0], desc)[...] = found
    as_tensor(outputs[1], output_desc[1]).fill_(len(found))


def pad_once(self, input_desc, output_desc, inputs, outputs, workspace, stream):
    """The two tactics."""
    x, y = as_tensor(inputs[0], input_desc[0]), as_tensor(outputs[0], output_desc[0])
    if self.tactic == tactics.GATHER:
        torch.index_select(x, 1, torch.as_tensor(self.order, device=x.device), out=y)
    else:
        torch.cat([x[:, -1:], x, x[:, :1]], dim=1, out=y)


accumulate.Accumulate.enqueue = accumulate_in_place
nonzero.Nonzero.enqueue = find_nonzero
tactics.PadOnce.enqueue = pad_once


class Positions(nonzero.Positions):
    """Allocates memory on the engine's target."""

    def reallocate_output(self, tensor_name, memory, size, alignment):
        self.memory = kiln.DeviceArray.empty(size // 4, np.int32)  # aligned to 256 bytes
        return self.memory.ptr


def open_context(plan, logger):
    """Returns a context of a plan; it keeps the engine."""
    return trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()


def run_accumulate(context):
    """Adds ones to zeros three times, in place."""
    total, x = kiln.DeviceArray.zeros(4), kiln.DeviceArray([1.0, 1, 1, 1])
    for name, array in {"total": total, "sum": total, "x": x}.items():
        context.set_tensor_address(name, array)
    for _ in range(3):
        context.execute_async_v3(0)
    return total.numpy()


def run_nonzero(context):
    """Finds two positions; their memory is allocated when their number is known."""
    x, allocator = kiln.DeviceArray([[0.0, 5], [0, 0], [7, 0]]), Positions()
    context.set_input_shape("x", x.shape)
    context.set_tensor_address("x", x)
    context.set_output_allocator("positions", allocator)
    context.execute_async_v3(0)
    return allocator.memory.numpy()[: np.prod(allocator.shape)].reshape(allocator.shape)


def run_tactics(context):
    """Pads [1, 2, 3]."""
    x, y = kiln.DeviceArray([[1.0, 2, 3]]), kiln.DeviceArray.empty((1, 5))
    context.set_tensor_address("x", x)
    context.set_tensor_address("y", y)
    context.execute_async_v3(0)
    return y.numpy()[0]


if __name__ == "__main__":
    logger = trt.Logger(trt.Logger.WARNING)
    for creator in (
        accumulate.AccumulateCreator(),
        nonzero.NonzeroCreator(),
        tactics.PadOnceCreator(),
    ):
        trt.get_plugin_registry().register_creator(creator, "")
    print(run_accumulate(open_context(accumulate.build(logger), logger)).tolist())
    print(run_nonzero(open_context(nonzero.build(logger), logger)).tolist())
    print(run_tactics(open_context(tactics.build(logger)[0], logger)).tolist())
