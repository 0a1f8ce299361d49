# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""API names of unsupported features, and the ways in which programs use layer classes."""

import kiln
import pytest
import tensorrt as trt
from kiln import _core, _unsupported
from test_resources import Recorder


@pytest.mark.parametrize("name", _unsupported.CLASSES)
def test_classes_that_programs_compare_with(name):
    cls = getattr(trt, name)
    assert issubclass(cls, trt.ILayer) == name.endswith("Layer")
    with pytest.raises(TypeError, match=rf"\[kiln\] {name}: expected to come from a network"):
        cls()


@pytest.mark.parametrize("name", _unsupported.BASES)
def test_classes_of_layers_at_the_borders_of_groups(name):
    assert issubclass(getattr(trt, name), getattr(trt, _unsupported.BASES[name]))


def test_every_class_and_method_of_the_api_exists():
    assert all(hasattr(trt, name) for name in _core._layer_classes())
    assert all(hasattr(trt.INetworkDefinition, name) for name in _core._network_adders())


@pytest.mark.parametrize("name", _unsupported.FEATURES)
def test_other_names_say_what_is_missing(name):
    assert not hasattr(_core, name), "the library has it now: take it off the list"
    with pytest.raises(AttributeError, match=rf"^\[kiln\] {name}: .* is not supported yet\. The"):
        getattr(trt, name)
    assert not hasattr(trt, name)


@pytest.mark.parametrize("name", _unsupported.METHODS)
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


# Programs use these enums before they add a layer, which may be refused.
ENUMS = {
    "AttentionIOForm": {"PADDED_BHND": 0, "PACKED_NHD": 1},
    "AttentionNormalizationOp": {"NONE": 0, "SOFTMAX": 1},
    "BoundingBoxFormat": {"CORNER_PAIRS": 0, "CENTER_SIZES": 1},
    "CausalMaskKind": {"NONE": 0, "UPPER_LEFT": 1, "LOWER_RIGHT": 2},
    "CollectiveOperation": {
        "ALL_REDUCE": 0,
        "ALL_GATHER": 1,
        "BROADCAST": 2,
        "REDUCE": 3,
        "REDUCE_SCATTER": 4,
        "ALL_TO_ALL": 5,
        "GATHER": 6,
        "SCATTER": 7,
    },
    "CumulativeOperation": {"SUM": 0},
    "InterpolationMode": {"NEAREST": 0, "LINEAR": 1, "CUBIC": 2},
    "KVCacheMode": {"LINEAR": 0},
    "LoopOutput": {"LAST_VALUE": 0, "CONCATENATE": 1, "REVERSE": 2},
    "MoEActType": {"NONE": 0, "SILU": 1},
    "ResizeCoordinateTransformation": {"ALIGN_CORNERS": 0, "ASYMMETRIC": 1, "HALF_PIXEL": 2},
    "ResizeRoundMode": {"HALF_UP": 0, "HALF_DOWN": 1, "FLOOR": 2, "CEIL": 3},
    "ResizeSelector": {"FORMULA": 0, "UPPER": 1},
    "ScaleMode": {"UNIFORM": 0, "CHANNEL": 1, "ELEMENTWISE": 2},
    "ScatterMode": {"ELEMENT": 0, "ND": 1},
    "TopKOperation": {"MAX": 0, "MIN": 1},
    "TripLimit": {"COUNT": 0, "WHILE": 1},
}


@pytest.mark.parametrize("name", ENUMS)
def test_enums_of_layers(name):
    enum = getattr(trt, name)
    assert {m.name: m.value for m in enum} == ENUMS[name]
    first = enum(0)
    assert str(first) == f"{name}.{first.name}"
    assert enum.__qualname__ == name


def test_lists_of_the_parser():
    nodes = trt.NodeIndices([1, 2])
    nodes.append(3)
    parts = trt.SubGraphCollection([(nodes, True)])
    assert (nodes, bool(nodes), len(parts)) == ([1, 2, 3], True, 1)
    assert not trt.NodeIndices() and not trt.SubGraphCollection()


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
