# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decorated plugin with a data-dependent shape: the positions where a matrix is not zero.

x: [rows, columns], float32. positions: [count, 2], int32; count is known only after impl ran, and
is its second output, a size tensor. A program allocates memory for the upper bound, rows * columns,
or sets an IOutputAllocator, which allocates what is needed; this program does both.
"""

from typing import Any

import engines
import kiln
import numpy as np
import numpy.typing as npt
import onnx_graphsurgeon as gs
import tensorrt as trt
import tensorrt.plugin as trtp

import onnx

if kiln.default_target() != "cpu":
    import torch  # for GPU tensors; imported here so that its stream is the engine's from the start


@trtp.register("sample::nonzero")
def nonzero_desc(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc, trtp.TensorDesc]:
    """At most all elements are not zero; engines are optimized for half of them."""
    upper_bound = x.shape_expr.numel()
    count = trtp.size_tensor(opt=upper_bound // 2, upper_bound=upper_bound)
    return trtp.from_shape_expr((count.expr(), 2), dtype=trt.int32), count


@trtp.impl("sample::nonzero")
def nonzero(x: trtp.Tensor, outputs: tuple[trtp.Tensor, trtp.Tensor], stream: int) -> None:
    """Writes the positions and their number."""
    values = as_array(x)
    found = np.argwhere(values) if x.device == "cpu" else torch.nonzero(values)
    # The first extent of outputs[0] is unknown; aliased() gives the same memory a shape.
    as_array(outputs[0].aliased(tuple(found.shape)))[...] = found
    as_array(outputs[1])[...] = len(found)


def as_array(tensor: trtp.Tensor) -> Any:
    """The tensor for NumPy or, where it lies on a GPU, for Torch; nothing is copied."""
    if tensor.device == "cpu":
        return np.asarray(tensor)
    return torch.as_tensor(tensor, device=tensor.device)


# -------------------------------------------------------------------------------------------------

PROFILE = {"x": ((1, 1), (4, 4), (64, 64))}


def model() -> onnx.ModelProto:
    """An ONNX model of one node, whose second output is not used."""
    x = gs.Variable("x", np.float32, ("rows", "columns"))
    positions = gs.Variable("positions", np.int32, ("count", 2))
    count = gs.Variable("count", np.int32, ())
    attributes = {"plugin_namespace": "sample", "plugin_version": "1"}
    node = gs.Node("nonzero", inputs=[x], outputs=[positions, count], attrs=attributes)
    model: onnx.ModelProto = gs.export_onnx(gs.Graph([node], inputs=[x], outputs=[positions]))
    return model


def define(network: trt.INetworkDefinition) -> None:
    """The same through the network API."""
    x = network.add_input("x", trt.float32, (-1, -1))
    positions = network.add_plugin(trtp.op.sample.nonzero(x)).get_output(0)
    positions.name = "positions"
    network.mark_output(positions)


class Memory(trt.IOutputAllocator):
    """Allocates memory when the size is known, and stores the shape."""

    def __init__(self) -> None:
        super().__init__()
        self.block = kiln.DeviceArray.empty(0, np.int32)
        self.shape: tuple[int, ...] = ()

    def reallocate_output(self, tensor_name: str, memory: int, size: int, alignment: int) -> int:
        """Returns the address of `size` bytes."""
        self.block = kiln.DeviceArray.empty(size // 4, np.int32)  # aligned to 256 bytes
        return self.block.ptr

    def notify_shape(self, tensor_name: str, shape: trt.Dims) -> None:
        """Called when the positions have been computed."""
        self.shape = tuple(shape)

    def array(self) -> npt.NDArray[np.int32]:
        """The positions."""
        return self.block.numpy()[: trt.volume(self.shape)].reshape(self.shape)


def run(engine: trt.ICudaEngine, inputs: engines.Arrays) -> engines.Arrays:
    """Runs with memory for the upper bound, and with an allocator; compares the results."""
    x = kiln.DeviceArray(inputs["x"])
    context = engine.create_execution_context()
    context.set_input_shape("x", x.shape)
    context.set_tensor_address("x", x)

    largest = kiln.DeviceArray.empty(context.get_max_output_size("positions") // 4, np.int32)
    context.set_tensor_address("positions", largest)
    context.execute_async_v3(0)
    shape = tuple(kiln.found_shape(context, "positions"))  # of this run

    memory = Memory()
    context.set_output_allocator("positions", memory)
    context.execute_async_v3(0)
    found = largest.numpy()[: trt.volume(shape)].reshape(shape)
    np.testing.assert_array_equal(memory.array(), found)
    return {"positions": memory.array()}


if __name__ == "__main__" and not engines.run_saved(run):
    x = np.zeros((5, 7), np.float32)
    x[0, 1] = x[2, 0] = x[4, 6] = 1
    engines.check(
        __file__,
        {
            "ONNX": lambda: engines.build(model(), profile=PROFILE),
            "network API": lambda: engines.build(define, profile=PROFILE),
        },
        inputs={"x": x},
        expected={"positions": np.array([[0, 1], [2, 0], [4, 6]])},
        run=run,
    )
