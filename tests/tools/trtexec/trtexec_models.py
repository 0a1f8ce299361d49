# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the small models that the tests of trtexec run."""

from pathlib import Path

import numpy as np

import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).parents[3]
FLOAT = TensorProto.FLOAT
ADDED = np.array([[0.5, -1, 2, 0.25]])


def save_model(path, nodes, inputs, outputs, constants=None):
    """Writes an ONNX model. inputs, outputs: {name: (element type, shape)}."""

    def values(described):
        return [
            helper.make_tensor_value_info(name, kind, shape)
            for name, (kind, shape) in described.items()
        ]

    initializers = [numpy_helper.from_array(v, name) for name, v in (constants or {}).items()]
    graph = helper.make_graph(nodes, "g", values(inputs), values(outputs), initializers)
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.save(model, path)
    return path
