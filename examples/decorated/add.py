# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The smallest decorated plugin: two inputs, an attribute, one output.

total = x + y. x, y: [n], float32. The attribute block_size is the number of elements added at once.
A process that runs a saved plan needs only the part above the line: register and impl.
"""

from typing import Any

import engines
import kiln
import numpy as np
import onnx_graphsurgeon as gs
import tensorrt as trt
import tensorrt.plugin as trtp

import onnx

if kiln.default_target() != "cpu":
    import torch  # for GPU tensors; imported here so that its stream is the engine's from the start


@trtp.register("sample::add")
def add_desc(x: trtp.TensorDesc, y: trtp.TensorDesc, block_size: int = 1024) -> trtp.TensorDesc:
    """The output is like the first input."""
    return x.like()


@trtp.impl("sample::add")
def add(
    x: trtp.Tensor, y: trtp.Tensor, block_size: int, outputs: tuple[trtp.Tensor], stream: int
) -> None:
    """Adds block by block, so that the data stays in the cache."""
    a, b, total = (as_array(tensor) for tensor in (x, y, outputs[0]))
    for start in range(0, len(total), block_size):
        block = slice(start, start + block_size)
        total[block] = a[block] + b[block]


def as_array(tensor: trtp.Tensor) -> Any:
    """The tensor as a NumPy array or, on a GPU, as a Torch tensor, without a copy."""
    if tensor.device == "cpu":
        return np.asarray(tensor)
    return torch.as_tensor(tensor, device=tensor.device)


# -------------------------------------------------------------------------------------------------


def model() -> onnx.ModelProto:
    """An ONNX model: a node's type is the plugin's name, its attributes are the plugin's."""
    x, y = (gs.Variable(name, np.float32, ("n",)) for name in ("x", "y"))
    total = gs.Variable("total", np.float32, ("n",))
    attributes = {"plugin_namespace": "sample", "plugin_version": "1", "block_size": 256}
    node = gs.Node("add", inputs=[x, y], outputs=[total], attrs=attributes)
    model: onnx.ModelProto = gs.export_onnx(gs.Graph([node], inputs=[x, y], outputs=[total]))
    return model


def define(network: trt.INetworkDefinition) -> None:
    """The same through the network API; block_size has its default."""
    x, y = (network.add_input(name, trt.float32, (-1,)) for name in ("x", "y"))
    layer = network.add_plugin(trtp.op.sample.add(x, y))
    layer.get_output(0).name = "total"
    network.mark_output(layer.get_output(0))


if __name__ == "__main__" and not engines.run_saved():
    shapes = ((1,), (5000,), (100_000,))
    profile = {"x": shapes, "y": shapes}
    x = np.arange(5000, dtype=np.float32)
    engines.check(
        __file__,
        {
            "ONNX": lambda: engines.build(model(), profile=profile),
            "network API": lambda: engines.build(define, profile=profile),
        },
        inputs={"x": x, "y": 2 * x},
        expected={"total": 3 * x},
    )
