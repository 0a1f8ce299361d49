# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Three plugins of this folder with Torch inside, which run on either target.

Each class changes only enqueue. With KILN_TARGET=cuda, enqueue works in GPU memory on the engine's
stream, which is Torch's current stream during the call.

Prints "[3.0, 3.0, 3.0, 3.0]", "[[0, 1], [2, 0]]", and "[3.0, 1.0, 2.0, 3.0, 1.0]".
"""

import accumulate
import kiln
import nonzero
import numpy as np
import numpy.typing as npt
import tactics
import tensorrt as trt
import torch


def as_tensor(address: int, desc: trt.PluginTensorDesc) -> torch.Tensor:
    """The memory of a tensor as a Torch tensor, without a copy."""
    return torch.as_tensor(kiln.buffer(address, desc))


class Accumulate(accumulate.Accumulate):
    """Total += x."""

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None:
        total = as_tensor(outputs[0], output_desc[0])
        total += as_tensor(inputs[1], input_desc[1])


class AccumulateCreator(accumulate.AccumulateCreator):
    """Makes the plugin."""

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> Accumulate:
        return Accumulate()


class Nonzero(nonzero.Nonzero):
    """A data-dependent shape. torch.nonzero waits for the GPU, to get the number of positions."""

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None:
        found = torch.nonzero(as_tensor(inputs[0], input_desc[0]))
        # The memory is large enough for the upper bound; the shape is not known yet.
        desc = trt.PluginTensorDesc()
        desc.dims, desc.type = tuple(found.shape), trt.int32
        as_tensor(outputs[0], desc)[...] = found
        as_tensor(outputs[1], output_desc[1]).fill_(len(found))


class NonzeroCreator(nonzero.NonzeroCreator):
    """Makes the plugin."""

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> Nonzero:
        return Nonzero()


class Positions(nonzero.Positions):
    """Allocates memory on the engine's target."""

    def reallocate_output(self, tensor_name: str, memory: int, size: int, alignment: int) -> int:
        self.block = kiln.DeviceArray.empty(size // 4, np.int32)  # aligned to 256 bytes
        return self.block.ptr


class PadOnce(tactics.PadOnce):
    """The two tactics."""

    def enqueue(
        self,
        input_desc: list[trt.PluginTensorDesc],
        output_desc: list[trt.PluginTensorDesc],
        inputs: list[int],
        outputs: list[int],
        workspace: int,
        stream: int,
    ) -> None:
        x, y = as_tensor(inputs[0], input_desc[0]), as_tensor(outputs[0], output_desc[0])
        if self.tactic == tactics.GATHER:
            torch.index_select(x, 1, torch.as_tensor(self.order, device=x.device), out=y)
        else:
            torch.cat([x[:, -1:], x, x[:, :1]], dim=1, out=y)


class PadOnceCreator(tactics.PadOnceCreator):
    """Makes the plugin."""

    def create_plugin(
        self, name: str, field_collection: trt.PluginFieldCollection_, phase: trt.TensorRTPhase
    ) -> PadOnce:
        return PadOnce()


def open_context(plan: trt.IHostMemory, logger: trt.ILogger) -> trt.IExecutionContext:
    """Returns a context of a plan; it keeps the engine."""
    return trt.Runtime(logger).deserialize_cuda_engine(plan).create_execution_context()


def run_accumulate(context: trt.IExecutionContext) -> npt.NDArray[np.float32]:
    """Adds ones to zeros three times, in place."""
    total, x = kiln.DeviceArray.zeros(4), kiln.DeviceArray([1.0, 1, 1, 1])
    for name, array in {"total": total, "sum": total, "x": x}.items():
        context.set_tensor_address(name, array)
    for _ in range(3):
        context.execute_async_v3(0)
    return total.numpy()


def run_nonzero(context: trt.IExecutionContext) -> npt.NDArray[np.int32]:
    """Finds two positions; their memory is allocated when their number is known."""
    x, allocator = kiln.DeviceArray([[0.0, 5.0], [0.0, 0.0], [7.0, 0.0]]), Positions()
    context.set_input_shape("x", x.shape)
    context.set_tensor_address("x", x)
    context.set_output_allocator("positions", allocator)
    context.execute_async_v3(0)
    return allocator.block.numpy()[: trt.volume(allocator.shape)].reshape(allocator.shape)


def run_tactics(context: trt.IExecutionContext) -> npt.NDArray[np.float32]:
    """Pads [1, 2, 3]."""
    x, y = kiln.DeviceArray([[1.0, 2, 3]]), kiln.DeviceArray.empty((1, 5))
    context.set_tensor_address("x", x)
    context.set_tensor_address("y", y)
    context.execute_async_v3(0)
    return y.numpy()


if __name__ == "__main__":
    logger = trt.Logger(trt.Logger.WARNING)
    for creator in (AccumulateCreator(), NonzeroCreator(), PadOnceCreator()):
        trt.get_plugin_registry().register_creator(creator, "")
    print(run_accumulate(open_context(accumulate.build(logger), logger)).tolist())
    print(run_nonzero(open_context(nonzero.build(logger), logger)).tolist())
    print(run_tactics(open_context(tactics.build(logger, PadOnce())[0], logger))[0].tolist())
