# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decorated plugin that works in place: its output uses the memory of its input.

x += delta. x: [n], float32. Three of them in a chain share one buffer. Another layer reads the
network's input at the end, so the engine copies the input before the first write. The engine copies
only when another reader needs the old values.
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

# Networks with aliased outputs need this feature.
ALIASING = trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03


@trtp.register("sample::inplace_add")
def inplace_add_desc(x: trtp.TensorDesc, delta: float) -> trtp.TensorDesc:
    """The output is the input, changed."""
    return x.aliased()


@trtp.impl("sample::inplace_add")
def inplace_add(x: trtp.Tensor, delta: float, outputs: tuple[trtp.Tensor], stream: int) -> None:
    """Adds delta; x and outputs[0] have the same address."""
    if x.device == "cpu":
        values: Any = np.asarray(outputs[0])
    else:
        values = torch.as_tensor(outputs[0], device=x.device)
    values += delta


# -------------------------------------------------------------------------------------------------

DELTAS = (1.0, 10.0, 100.0)


def model() -> onnx.ModelProto:
    """An ONNX model: y = x + 1 + 10 + 100, total = y + x."""
    x, y, total = (gs.Variable(name, np.float32, (4,)) for name in ("x", "y", "total"))
    tensors = [x, *(gs.Variable(f"step{i}", np.float32) for i in range(2)), y]
    nodes = [
        gs.Node(
            "inplace_add",
            inputs=[tensors[i]],
            outputs=[tensors[i + 1]],
            attrs={"plugin_namespace": "sample", "plugin_version": "1", "delta": delta},
        )
        for i, delta in enumerate(DELTAS)
    ]
    nodes.append(gs.Node("Add", inputs=[y, x], outputs=[total]))
    model: onnx.ModelProto = gs.export_onnx(gs.Graph(nodes, inputs=[x], outputs=[y, total]))
    return model


def define(network: trt.INetworkDefinition) -> None:
    """The same through the network API."""
    x = y = network.add_input("x", trt.float32, (4,))
    for delta in DELTAS:
        y = network.add_plugin(trtp.op.sample.inplace_add(y, delta=delta)).get_output(0)
    total = network.add_elementwise(y, x, trt.ElementWiseOperation.SUM).get_output(0)
    for tensor, name in ((y, "y"), (total, "total")):
        tensor.name = name
        network.mark_output(tensor)


if __name__ == "__main__" and not engines.run_saved():
    x = np.arange(4, dtype=np.float32)
    engines.check(
        __file__,
        {
            "ONNX": lambda: engines.build(model(), preview=[ALIASING]),
            "network API": lambda: engines.build(define, preview=[ALIASING]),
        },
        inputs={"x": x},
        expected={"y": x + 111, "total": 2 * x + 111},
    )
    np.testing.assert_array_equal(x, np.arange(4))  # the caller's input is never written
