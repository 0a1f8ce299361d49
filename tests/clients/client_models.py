# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Models made with ONNX GraphSurgeon, as in sample programs."""

from pathlib import Path

import numpy as np
import onnx_graphsurgeon as gs

import onnx

EXAMPLES = Path(__file__).parents[2] / "examples"


def save(graph, path):
    """Writes the model; returns the path as text."""
    model = gs.export_onnx(graph)
    model.ir_version = 10  # onnx writes newer IR versions than ONNX Runtime reads
    onnx.save(model, path)
    return str(path)


def add_and_relu(path, batch="batch"):
    """y = relu(x + c) without plugins, so that ONNX Runtime can run it too."""
    x = gs.Variable("x", np.float32, (batch, 3, 4))
    total = gs.Variable("total", np.float32)
    y = gs.Variable("y", np.float32, (batch, 3, 4))
    c = gs.Constant("c", np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 3, 4))
    nodes = [
        gs.Node("Add", "adding", inputs=[x, c], outputs=[total]),
        gs.Node("Relu", "relu", inputs=[total], outputs=[y]),
    ]
    return save(gs.Graph(nodes=nodes, inputs=[x], outputs=[y], opset=17), path)


def one_node(path, op, inputs, outputs, attributes):
    """A model of one plugin node. inputs, outputs: lists of (name, type, shape)."""
    inputs = [gs.Variable(*value) for value in inputs]
    outputs = [gs.Variable(*value) for value in outputs]
    node = gs.Node(op=op, name=f"the_{op}", inputs=inputs, outputs=outputs, attrs=attributes)
    return save(gs.Graph(nodes=[node], inputs=inputs, outputs=outputs, opset=17), path)


def circ_pad(path, pads=(1, 1, 1, 1), **attributes):
    """The circular padding of examples/circ_pad over a batch of 3x8x8."""
    return one_node(
        path,
        "CircPadPlugin",
        [("x", np.float32, ("batch", 3, 8, 8))],
        [("y", np.float32, None)],
        {"pads": list(pads), **attributes},
    )


def wrapped(x, pads=1):
    """The expected output: circular padding of the last two dimensions."""
    return np.pad(x, ((0, 0), (0, 0), (pads, pads), (pads, pads)), mode="wrap")
