# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that pick, join, combine and make elements, as Python sees them."""

from pathlib import Path

import numpy as np
import pytest
import tensorrt as trt
from case import TRT_TYPES, Logger
from case_tables import TABLES

ROOT = Path(__file__).parents[2]


@pytest.fixture
def logger():
    return Logger()


@pytest.fixture
def network(logger):
    builder = trt.Builder(logger)
    return builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))


@pytest.fixture
def x(network):
    return network.add_input("x", trt.float32, (-1, 3, 4, 5))


def constant(network, values):
    values = np.array(values, np.int64)
    return network.add_constant(values.shape, values).get_output(0)


def classes(base):
    """All classes that derive from one."""
    for cls in base.__subclasses__():
        yield cls
        yield from classes(cls)


@pytest.mark.parametrize("op", TABLES)
def test_layers_come_back_as_their_class(network, op):
    """Each kind of layer that the first case of a table makes has its class, named after it."""
    case = TABLES[op][0]
    tensors = [
        network.add_input(f"x{i}", TRT_TYPES[case.type_of(i, case.types[0])], shape)
        for i, shape in enumerate(case.shapes[0])
    ]
    case.build(network, tensors, case.types[0])
    for layer in network:
        name = f"I{layer.type.name.replace('_', '')}Layer".lower()
        # The conditional's classes begin with IIf where the kinds do not say If.
        (cls,) = (
            cls for cls in classes(trt.ILayer) if cls.__name__.lower() in (name, f"iif{name[1:]}")
        )
        # A class that redefines `type` would hide the kind of any layer.
        assert type(layer) is (trt.ILayer if "type" in vars(cls) else cls)


def test_every_layer_has_a_table():
    layers = {path.stem for path in (ROOT / "src" / "api" / "layers").glob("*.cpp")}
    assert layers - {"plugin", "non_zero", "nms"} <= set(TABLES)  # these have tests of their own


def test_concatenation(network, logger, x):
    layer = network.add_concatenation([x, x])
    assert layer.axis == 1
    layer.axis = 3
    assert layer.axis == 3
    assert layer.get_output(0).shape == (-1, 3, 4, 10)
    layer.axis = -1
    assert layer.axis == 3
    assert "axis: expected 0 or more, got -1" in logger.errors[-1]
    assert network.add_concatenation([]) is None
    assert "concatenation layer: expected an array of 1 or more inputs, got 0" in logger.errors[-1]


def test_gather(network, x):
    layer = network.add_gather_v2(x, constant(network, [[0, 1]]), trt.GatherMode.ND)
    assert (layer.axis, layer.num_elementwise_dims, layer.mode) == (0, 0, trt.GatherMode.ND)
    assert layer.get_output(0).shape == (1, 4, 5)
    layer.mode, layer.axis, layer.num_elementwise_dims = trt.GatherMode.DEFAULT, 2, 0
    assert layer.axis == 2
    assert layer.get_output(0).shape == (-1, 3, 1, 2, 5)


def test_reduce(network, x):
    layer = network.add_reduce(x, trt.ReduceOperation.AVG, 1 << 2, False)
    assert (layer.op, layer.axes, layer.keep_dims) == (trt.ReduceOperation.AVG, 4, False)
    layer.op, layer.axes, layer.keep_dims = trt.ReduceOperation.MAX, 1 << 3, True
    assert layer.get_output(0).shape == (-1, 3, 4, 1)


def test_unary(network, x):
    layer = network.add_unary(x, trt.UnaryOperation.EXP)
    layer.op = trt.UnaryOperation.ISINF
    assert layer.op == trt.UnaryOperation.ISINF
    assert layer.get_output(0).dtype == trt.bool


def test_slice_settings(network, x):
    layer = network.add_slice(x, (0, 1), (2, 2), (1, 1))
    layer.axes, layer.mode = (1, 2), trt.SampleMode.CLAMP
    layer.start, layer.shape, layer.stride = (0, 0), (3, 9), (1, 1)
    assert (tuple(layer.start), tuple(layer.shape), tuple(layer.stride)) == ((0, 0), (3, 9), (1, 1))
    assert (tuple(layer.axes), layer.mode) == ((1, 2), trt.SampleMode.CLAMP)
    assert layer.get_output(0).shape == (-1, 3, 9, 5)


def test_slice_takes_tensors_in_any_order(network, x):
    layer = network.add_slice(x, (), (), ())
    layer.axes = (3,)
    layer.set_input(3, constant(network, [2]))
    layer.set_input(1, constant(network, [1]))
    layer.set_input(2, constant(network, [2]))
    assert layer.get_output(0).shape == (-1, 3, 4, 2)
    layer.shape = (1,)  # replaces the tensor
    assert layer.get_output(0).shape == (-1, 3, 4, 1)
    assert layer.get_input(2) is None


def test_slice_of_data_is_refused(network, logger, x):
    numbers = network.add_input("numbers", trt.int64, (-1, 2))
    data = network.add_slice(numbers, (0, 0), (1, 2), (1, 1)).get_output(0)
    flat = network.add_shuffle(data)
    flat.reshape_dims = (2,)
    layer = network.add_slice(x, (), (0, 0), (1, 1))
    layer.axes = (1, 2)
    layer.set_input(1, flat.get_output(0))
    assert layer.get_output(0).shape is None or len(layer.get_output(0).shape) != 4
    assert "start (input 1): expected values that are known before the layer" in logger.errors[-1]


def test_shuffle_takes_dimensions(network, x):
    layer = network.add_shuffle(x)
    layer.set_input(1, constant(network, [0, -1]))
    assert layer.get_output(0).shape == (-1, 60)
    layer.reshape_dims = (-1, 5)
    assert layer.get_output(0).shape == (-1, 5)
    assert layer.get_input(1) is None


def test_fill(network, logger):
    layer = network.add_fill((3,), trt.FillOperation.LINSPACE, trt.int64)
    assert (layer.alpha, layer.beta, layer.is_alpha_beta_int64()) == (0.0, 1.0, False)
    layer.alpha, layer.beta = 4, 2
    assert (layer.alpha, layer.beta, layer.is_alpha_beta_int64()) == (4, 2, True)
    assert layer.operation == trt.FillOperation.LINSPACE
    layer.shape, layer.to_type = (7,), trt.float32
    assert layer.get_output(0).shape == (7,)
    assert layer.get_output(0).dtype == trt.float32
    layer.operation, layer.shape = trt.FillOperation.RANDOM_NORMAL, (2, 3)
    assert layer.get_output(0).shape == (2, 3)
    layer.set_input(3, constant(network, [1]))
    assert "input: expected a number from 0 to 2, got 3" in logger.errors[-1]


def test_slice_beyond_the_data_fails_at_run_time(logger):
    """The last two rows of an input that has only one at run time."""
    from case import Engine
    from slice_cases import CASES

    case = next(case for case in CASES if case.name == "start_tensor")
    case = type(case)(case.name, [((1, 5),), ((9, 5),)], case.build, case.expected)
    engine = Engine(case, np.float32, logger, dynamic=True)
    assert engine.run([np.ones((9, 5), np.float32)]).shape == (2, 5)
    with pytest.raises(AssertionError):
        engine.run([np.ones((1, 5), np.float32)])
        engine.run([np.ones((1, 5), np.float32)])  # a GPU reports it at the next call
    assert "[slice] data [1,5], output [2,5]: expected elements inside the data." in "\n".join(
        logger.errors
    )
