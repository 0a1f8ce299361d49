# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Models made by ONNX GraphSurgeon, as sample programs make them."""

from pathlib import Path

import numpy as np
import onnx_graphsurgeon as gs

import onnx

EXAMPLES = Path(__file__).parents[2] / "examples"


def save(graph, path):
    """Writes the model; returns the path as text."""
    model = gs.export_onnx(graph)
    model.ir_version = 10  # the onnx package writes newer ones than ONNX Runtime reads
    onnx.save(model, path)
    return str(path)


def add_and_relu(path, batch="batch"):
    """y = relu(x + c), of operators alone, so that ONNX Runtime runs it as well."""
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
    """One node of a plugin. Inputs and outputs: name, type, shape."""
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
    """What the padding gives for two dimensions."""
    return np.pad(x, ((0, 0), (0, 0), (pads, pads), (pads, pads)), mode="wrap")
