# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""ONNX models of random operators, made of what the compiler rewrites, fuses and turns into views.

    model = random_model(seed)
    feeds = model.feeds(batch=2)

Each step of steps.py adds a few nodes and returns the name of its result. The batch, axis 0, is
never split, joined or moved if it is dynamic.
"""

import numpy as np

from onnx import TensorProto, helper, numpy_helper

OPSET = 17
INPUT_SHAPES = [
    (4, 6, 6),
    (8, 5, 7),
    (16, 4, 4),
    (3, 10, 10),
    (5, 4, 8),
    (6, 16),
    (8, 16),
    (12,),
]  # without the batch


class RandomModel:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.dynamic = self.chance(0.4)
        self.batch = 2 if self.dynamic else int(self.random.integers(1, 4))
        self.shapes = {}  # of the values in float32, by name
        self.inputs = []
        self.outputs = []
        self.nodes = []
        self.constants = []
        self._names = 0

    # Random choices

    def chance(self, probability):
        return self.random.random() < probability

    def choose(self, options):
        return options[int(self.random.integers(len(options)))]

    def pick(self, accepts=lambda shape: True):
        """The name of a value whose shape is accepted, recent ones more often; None if none is."""
        names = [name for name, shape in self.shapes.items() if accepts(shape)]
        if not names:
            return None
        return names[-min(len(names), int(self.random.geometric(0.35)))]

    def axis(self, shape, accepts=lambda extent: True):
        """An axis that steps may change; None if there is none."""
        axes = [i for i in range(int(self.dynamic), len(shape)) if accepts(shape[i])]
        return self.choose(axes) if axes else None

    # Nodes

    def name(self):
        self._names += 1
        return f"v{self._names}"

    def constant(self, values):
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def scalar(self, value):
        return self.constant(np.float32(value))

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def weights(self, *shape, scale=1.0):
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def matrix(self, rows, columns):
        return self.weights(rows, columns, scale=rows**-0.5)

    def add(self, kind, inputs, shape, **attributes):
        """A node with one float32 result."""
        name = self.node(kind, inputs, **attributes)
        self.shapes[name] = tuple(int(extent) for extent in shape)
        return name

    def node(self, kind, inputs, **attributes):
        """A node whose result no other step sees."""
        name = self.name()
        self.nodes.append(
            helper.make_node(kind, inputs, [name], name=f"{kind}_{name}", **attributes)
        )
        return name

    def split(self, value, axis, sizes):
        names = [self.name() for _ in sizes]
        self.nodes.append(
            helper.make_node("Split", [value, self.integers(*sizes)], names, axis=axis)
        )
        for name, size in zip(names, sizes, strict=True):
            shape = list(self.shapes[value])
            shape[axis] = size
            self.shapes[name] = tuple(shape)
        return names

    # The model

    def add_input(self):
        name = f"x{len(self.inputs)}"
        self.inputs.append(name)
        self.shapes[name] = (self.batch, *self.choose(INPUT_SHAPES))

    def choose_outputs(self):
        """Values that nobody reads, and up to two that somebody does."""
        read = {name for node in self.nodes for name in node.input}
        computed = [name for name in self.shapes if name not in self.inputs]
        self.outputs = [name for name in computed if name not in read][-4:]
        for name in self.random.permutation(computed)[: int(self.random.integers(0, 3))]:
            if name not in self.outputs:
                self.outputs.append(str(name))

    def proto(self):
        needed, nodes = set(self.outputs), []
        for node in reversed(self.nodes):
            if needed.intersection(node.output):
                nodes.insert(0, node)
                needed.update(node.input)
        self.inputs = [name for name in self.inputs if name in needed]

        def declared(name):
            shape = self.shapes[name]
            return helper.make_tensor_value_info(
                name, TensorProto.FLOAT, ["N", *shape[1:]] if self.dynamic else shape
            )

        graph = helper.make_graph(
            nodes,
            "random",
            [declared(name) for name in self.inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.outputs],
            [tensor for tensor in self.constants if tensor.name in needed],
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8
        )

    def feeds(self, batch):
        return {
            name: self.random.standard_normal((batch, *self.shapes[name][1:])).astype(np.float32)
            for name in self.inputs
        }


def random_model(seed, steps):
    """A model of 4 to 27 steps, functions that take the model; seeds give the same one again."""
    model = RandomModel(seed)
    for _ in range(int(model.random.integers(1, 4))):
        model.add_input()
    for _ in range(int(model.random.integers(4, 28))):
        model.choose(steps)(model)
    model.choose_outputs()
    return model
