# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the ONNX parser takes for models of 5,000 nodes; see README.md."""

import argparse
import time

import kiln as trt
import numpy as np

import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH = 16


class Graph:
    """Nodes and constants; `node` returns the name of its output."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def node(self, kind, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [f"t{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def serialized(self, shape, output):
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        y = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "g", [x], [y], self.constants)
        opset = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opset).SerializeToString()


def activations(count):
    graph, x = Graph(), "x"
    for number in range(count):
        x = graph.node("Relu" if number % 2 else "Sigmoid", x)
    return graph.serialized([None, WIDTH], x)


def products(count):
    """Products with weights of their own, biases and activations."""
    graph, x = Graph(), "x"
    while len(graph.nodes) < count:
        x = graph.node("MatMul", x, graph.constant(np.eye(WIDTH, dtype=np.float32)))
        x = graph.node("Add", x, graph.constant(np.ones(WIDTH, np.float32)))
        x = graph.node("Relu", x)
    return graph.serialized([None, WIDTH], x)


def heads(count):
    """Reshapes as torch exports them: extents are taken apart and joined again."""
    graph, x = Graph(), "x"
    zero, one = graph.constant(0), graph.constant(1)
    axis, split = graph.constant([0]), graph.constant([4, WIDTH // 4])
    whole = graph.constant([WIDTH])
    while len(graph.nodes) < count:
        extents = [
            graph.node("Unsqueeze", graph.node("Gather", graph.node("Shape", x), index), axis)
            for index in (zero, one)
        ]
        parted = graph.node("Concat", *extents, split, axis=0)
        x = graph.node("Reshape", x, parted)
        x = graph.node("Transpose", x, perm=[0, 2, 1, 3])
        x = graph.node("Softmax", x, axis=-1)
        x = graph.node("Transpose", x, perm=[0, 2, 1, 3])
        joined = graph.node("Concat", *extents, whole, axis=0)
        x = graph.node("Reshape", x, joined)
    return graph.serialized([None, None, WIDTH], x)


MODELS = {"activations": activations, "products": products, "heads": heads}


def parse(serialized):
    """Milliseconds, and the layers of the network."""
    logger = trt.Logger(trt.Logger.ERROR)
    network = trt.Builder(logger).create_network(0)
    parser = trt.OnnxParser(network, logger)
    start = time.perf_counter()
    assert parser.parse(serialized)
    return (time.perf_counter() - start) * 1e3, network.num_layers


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--nodes", type=int, default=5000)
    arguments.add_argument("--rounds", type=int, default=9)
    arguments = arguments.parse_args()
    print(f"{'model':14}{'nodes':>7}{'layers':>8}{'KiB':>8}{'median ms':>11}{'least':>8}")
    for name, make in MODELS.items():
        serialized = make(arguments.nodes)
        count = len(onnx.load_from_string(serialized).graph.node)
        results = sorted(parse(serialized) for _ in range(arguments.rounds))
        median, layers = results[len(results) // 2]
        print(
            f"{name:14}{count:7}{layers:8}{len(serialized) / 1024:8.0f}{median:11.1f}"
            f"{results[0][0]:8.1f}"
        )


if __name__ == "__main__":
    main()
