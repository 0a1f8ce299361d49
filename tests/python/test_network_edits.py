# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Networks that are edited: how often plugins are queried, and what is refused."""

import itertools

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab

COUNT = 200


class Counter:
    """Counts how often the plugins of a network are queried for types and shapes."""

    def __init__(self):
        self.shapes = self.types = 0

    def plugin(self):
        counter = self

        def get_output_shapes(plugin, inputs, shape_inputs, expr_builder):
            counter.shapes += 1
            return [trt.DimsExprs(inputs[0])]

        def get_output_data_types(plugin, input_types):
            counter.types += 1
            return [input_types[0]]

        return Lab(get_output_shapes=get_output_shapes, get_output_data_types=get_output_data_types)


@pytest.fixture
def network(logger):
    return trt.Builder(logger).create_network()


def test_a_chain_asks_each_plugin_once(network):
    """Plugins are added, connected, inspected and marked one after another."""
    counter = Counter()
    x = tensor = network.add_input("x", trt.float32, (2, 3))
    for i in range(COUNT):
        layer = network.add_plugin_v3([x], [], counter.plugin())
        layer.set_input(0, tensor)
        tensor = layer.get_output(0)
        tensor.name = f"t{i}"
        assert tuple(tensor.shape) == (2, 3)
        assert tensor.dtype == trt.float32
        network.mark_output(tensor)
        network.add_input(f"x{i}", trt.float32, (i + 1,))
    assert counter.shapes == COUNT
    assert counter.types == COUNT


def test_an_edit_asks_only_what_follows_from_it(network):
    counter = Counter()
    x = network.add_input("x", trt.float32, (2,))
    y = network.add_input("y", trt.float32, (5,))
    layers, tensor = [], x
    for _ in range(COUNT):
        layers.append(network.add_plugin_v3([tensor], [], counter.plugin()))
        tensor = layers[-1].get_output(0)
    assert tuple(tensor.shape) == (2,)
    counter.shapes = 0
    layers[-10].set_input(0, y)
    assert tuple(layers[-11].get_output(0).shape) == (2,)
    assert counter.shapes == 0
    assert tuple(tensor.shape) == (5,)
    assert counter.shapes == 10
    y.shape = (7,)
    assert tuple(tensor.shape) == (7,)
    assert counter.shapes == 20


def test_layers_connected_backwards(logger):
    counter = Counter()
    definition = Definition(logger)
    network = definition.network
    x = definition.input("x", trt.float32, (2,))
    layers = [network.add_plugin_v3([x], [], counter.plugin()) for _ in range(5)]
    for layer, before in itertools.pairwise(layers):
        layer.set_input(0, before.get_output(0))
    definition.output(layers[0].get_output(0), "y")
    engine = Engine(logger, definition.build(), counter.plugin())
    x, y = np.array([3, 4], np.float32), np.zeros(2, np.float32)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y, x)


def test_a_cycle_is_named(logger, network):
    x = network.add_input("x", trt.float32, (2,))
    first, second = network.add_identity(x), network.add_identity(x)
    first.name = "first"
    first.set_input(0, second.get_output(0))
    second.set_input(0, first.get_output(0))
    assert tuple(second.get_output(0).shape) == ()
    assert "takes part in a cycle" in logger.errors()
    second.set_input(0, x)
    assert tuple(first.get_output(0).shape) == (2,)


def test_removing_a_tensor(logger, network):
    x = network.add_input("x", trt.float32, (2,))
    spare = network.add_input("spare", trt.float32, (3,))
    layer = network.add_identity(x)
    layer.name = "copy"
    network.mark_output(layer.get_output(0))
    network.remove_tensor(x)
    assert "tensor 'x' is an input of layer 'copy' (Identity) and stays" in logger.messages_text()
    network.remove_tensor(spare)
    assert network.num_inputs == 1
    config = network.builder.create_builder_config()
    assert network.builder.build_serialized_network(network, config) is not None
    assert logger.errors() == ""
    assert network.add_identity(spare) is None
    assert "tensor 'spare' was removed from the network" in logger.errors()
    assert tuple(network.add_input("spare", trt.float32, (4,)).shape) == (4,)
