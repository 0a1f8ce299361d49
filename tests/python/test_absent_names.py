# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""API names of unsupported features, and the ways in which programs use layer classes."""

import kiln
import pytest
import tensorrt as trt
from kiln import _absent, _absent_layers, _core
from test_resources import Recorder


@pytest.mark.parametrize("name", [*_absent.LAYERS, *_absent.GROUPS])
def test_classes_that_programs_compare_with(name):
    assert not hasattr(_core, name), "the library has it now: take it off the list"
    cls = getattr(trt, name)
    assert issubclass(cls, trt.ILayer) == (name in _absent.LAYERS)
    with pytest.raises(TypeError, match=rf"\[kiln\] {name}: expected to come from a network"):
        cls()


@pytest.mark.parametrize("name", _absent.FEATURES)
def test_other_names_say_what_is_missing(name):
    assert not hasattr(_core, name), "the library has it now: take it off the list"
    with pytest.raises(AttributeError, match=rf"^\[kiln\] {name}: .* is not supported yet\. The"):
        getattr(trt, name)
    assert not hasattr(trt, name)


@pytest.mark.parametrize("name", _absent_layers.METHODS)
def test_layers_that_are_refused_by_name(logger, name):
    """Refused as in the API: the logger and the error recorder get the reason."""
    recorder = Recorder()
    network = trt.Builder(logger).create_network()
    network.error_recorder = recorder
    x = network.add_input("x", trt.float32, (4,))
    assert getattr(network, name)(x, k=1) is None
    text = f"[network] {name}: this layer is not supported yet. The README lists what is."
    assert (trt.ILogger.ERROR, text) in logger.messages
    assert recorder.texts == [text]
    assert network.num_layers == 0


@pytest.mark.parametrize("name", _absent_layers.ENUMS)
def test_enums_of_layers_that_are_refused(name):
    assert not hasattr(_core, name), "the library has it now: take it off the list"
    enum = getattr(trt, name)
    assert {m.name: m.value for m in enum} == _absent_layers.ENUMS[name]
    first = enum(0)
    assert str(first) == f"{name}.{first.name}"
    assert (enum.__module__, enum.__qualname__) == ("kiln", name)


def test_lists_of_the_parser():
    nodes = trt.NodeIndices([1, 2])
    nodes.append(3)
    parts = trt.SubGraphCollection([(nodes, True)])
    assert (nodes, bool(nodes), len(parts)) == ([1, 2, 3], True, 1)
    assert not trt.NodeIndices() and not trt.SubGraphCollection()


def test_a_known_refusal(logger):
    network = trt.Builder(logger).create_network()
    x = network.add_input("x", trt.float32, (4, 5))
    assert network.add_topk(x, trt.TopKOperation.MAX, 2, 1 << 1) is None
    assert network.add_resize(input=x) is None
    assert "[network] add_topk: this layer is not supported yet" in logger.errors()
    assert trt.TopKOperation.MIN.value == 1 and trt.InterpolationMode.CUBIC.value == 2


def test_a_name_that_is_none():
    with pytest.raises(AttributeError, match=r"^module 'kiln' has no attribute 'Loger'$"):
        kiln.Loger  # noqa: B018


@pytest.fixture
def network(logger):
    """An activation, a pooling and an identity."""
    builder = trt.Builder(logger)
    network = builder.create_network()
    x = network.add_input("x", trt.float32, (1, 1, 4, 4))
    y = network.add_activation(x, trt.ActivationType.TANH).get_output(0)
    y = network.add_pooling_nd(y, trt.PoolingType.AVERAGE, (2, 2)).get_output(0)
    network.mark_output(network.add_identity(y).get_output(0))
    return network


def test_any_layer_tells_its_kind(network):
    """The first two classes have their own attribute `type`, which would hide the layer's."""
    kinds = [trt.LayerType.ACTIVATION, trt.LayerType.POOLING, trt.LayerType.IDENTITY]
    assert [layer.type for layer in network] == kinds
    assert all(isinstance(layer.type, trt.LayerType) for layer in network)
    assert [network.get_layer(i).type for i in range(3)] == kinds
    assert isinstance(network[2], trt.IIdentityLayer)


def test_a_program_may_set_the_class_of_a_layer(network):
    activation, pooling, identity = network
    activation.__class__ = trt.IActivationLayer
    assert activation.type == trt.ActivationType.TANH
    activation.alpha = 0.5
    pooling.__class__ = trt.IPoolingLayer
    assert (pooling.type, tuple(pooling.window_size_nd)) == (trt.PoolingType.AVERAGE, (2, 2))
    identity.__class__ = trt.IIdentityLayer
    assert identity.type == trt.LayerType.IDENTITY
    assert network[0].type == trt.LayerType.ACTIVATION


def test_enums_have_the_entries_of_pybind11():
    entries = getattr(trt.LayerType, "__entries")
    assert entries["SHAPE"][0] is trt.LayerType.SHAPE
    assert set(entries) == set(trt.LayerType.__members__)
    assert hasattr(trt.LayerType.SHAPE, "__entries")
