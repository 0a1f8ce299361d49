# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins that require vectorised formats: the builder converts around them."""

import ctypes

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab

pytestmark = pytest.mark.xdist_group("registry")
# Type, NumPy type, format, channels in a vector, whether channels are last.
CASES = [
    (trt.int8, np.int8, trt.TensorFormat.CHW4, 4, False),
    (trt.int8, np.int8, trt.TensorFormat.CHW32, 32, False),
    (trt.float32, np.float32, trt.TensorFormat.CHW32, 32, False),
    (trt.float16, np.float16, trt.TensorFormat.CHW2, 2, False),
    (trt.float16, np.float16, trt.TensorFormat.CHW4, 4, False),
    (trt.float16, np.float16, trt.TensorFormat.CHW16, 16, False),
    (trt.float16, np.float16, trt.TensorFormat.HWC8, 8, True),
    (trt.float32, np.float32, trt.TensorFormat.HWC, 1, True),
]
SHAPE = (2, 5, 3, 4)


def packed(x, vector, last):
    """x [N, C, H, W] in memory order, with channels padded with zeros to whole vectors."""
    n, c, h, w = x.shape
    groups = -(-c // vector)
    full = np.zeros((n, groups * vector, h, w), x.dtype)
    full[:, :c] = x
    if last:
        return np.ascontiguousarray(full.transpose(0, 2, 3, 1))
    return np.ascontiguousarray(full.reshape(n, groups, vector, h, w).transpose(0, 1, 3, 4, 2))


def only(dtype, tensor_format):
    def supports_format_combination(plugin, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.type == dtype and desc.format == tensor_format

    return supports_format_combination


@pytest.mark.parametrize(
    ("dtype", "numpy_dtype", "tensor_format", "vector", "last"),
    CASES,
    ids=[f"{case[2].name}-{case[0].name}" for case in CASES],
)
def test_what_the_plugin_sees(logger, dtype, numpy_dtype, tensor_format, vector, last):
    seen = []

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        assert input_desc[0].format == output_desc[0].format == tensor_format
        assert tuple(input_desc[0].dims) == SHAPE
        size = packed(np.zeros(SHAPE, numpy_dtype), vector, last).nbytes
        seen.append(ctypes.string_at(inputs[0], size))
        ctypes.memmove(outputs[0], inputs[0], size)

    plugin = Lab(enqueue=enqueue, supports_format_combination=only(dtype, tensor_format))
    definition = Definition(logger)
    x = definition.input("x", dtype, SHAPE)
    definition.output(definition.plugin(plugin, [x])[0], "y")
    plan = definition.build()
    assert plan is not None, logger.errors()
    engine = Engine(logger, plan, plugin)
    assert engine.engine.get_tensor_format("x") == trt.TensorFormat.LINEAR
    x = (np.arange(np.prod(SHAPE)) % 100).reshape(SHAPE).astype(numpy_dtype)
    y = np.zeros_like(x)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y, x)
    assert seen[-1] == packed(x, vector, last).tobytes()


@pytest.mark.parametrize(
    ("dtype", "numpy_dtype", "tensor_format", "vector", "last"),
    CASES,
    ids=[f"{case[2].name}-{case[0].name}" for case in CASES],
)
def test_constants_in_such_formats(logger, dtype, numpy_dtype, tensor_format, vector, last):
    values = (np.arange(np.prod(SHAPE)) % 100).reshape(SHAPE).astype(numpy_dtype)

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        ctypes.memmove(outputs[0], inputs[0], packed(values, vector, last).nbytes)

    plugin = Lab(enqueue=enqueue, supports_format_combination=only(dtype, tensor_format))
    definition = Definition(logger)
    constant = definition.network.add_constant(SHAPE, trt.Weights(values)).get_output(0)
    definition.output(definition.plugin(plugin, [constant])[0], "y")
    plan = definition.build()
    assert plan is not None, logger.errors()
    engine = Engine(logger, plan, plugin)
    y = np.zeros_like(values)
    assert engine.run({}, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y, values)


def test_the_first_combination_that_fits_is_asked_up_to_the_limit(logger):
    asked = []

    def supports_format_combination(plugin, pos, in_out, num_inputs):
        asked.append(pos)
        return in_out[pos].desc.format == trt.TensorFormat.LINEAR

    plugin = Lab(
        supports_format_combination=supports_format_combination, format_combination_limit=1
    )
    definition = Definition(logger)
    definition.output(definition.plugin(plugin, [definition.input("x", trt.float32, (4,))])[0], "y")
    assert definition.build() is not None, logger.errors()
    assert set(asked) == {0, 1}


def test_a_limit_that_is_none(logger):
    plugin, definition = Lab(format_combination_limit=0), Definition(logger)
    definition.output(definition.plugin(plugin, [definition.input("x", trt.float32, (4,))])[0], "y")
    assert definition.build() is None
    assert "format_combination_limit of Lab: expected 1 or more, got 0" in logger.errors()


def test_nothing_supported(logger):
    def supports_format_combination(plugin, pos, in_out, num_inputs):
        return False

    plugin = Lab(supports_format_combination=supports_format_combination)
    definition = Definition(logger)
    definition.output(definition.plugin(plugin, [definition.input("x", trt.float32, (4,))])[0], "y")
    assert definition.build() is None
    assert "plugin Lab" in logger.errors()


@pytest.mark.parametrize("strong", [True, False])
def test_a_plugin_that_refuses_late_is_asked_a_bounded_number_of_times(logger, strong):
    calls = []

    def supports_format_combination(plugin, pos, in_out, num_inputs):
        calls.append(pos)
        return pos < num_inputs

    plugin = Lab(supports_format_combination=supports_format_combination)
    definition = Definition(logger, strong)
    if not strong:
        definition.config.set_flag(trt.BuilderFlag.FP16)
    inputs = [definition.input(f"x{i}", trt.float32, (1, 4, 2, 2)) for i in range(6)]
    definition.output(definition.plugin(plugin, inputs)[0], "y")
    assert definition.build() is None
    assert len(calls) <= 4 * 7 * 100 * 100
    assert "operand 6 as float32 linear" in logger.errors()
    assert "the most that are asked" in logger.errors()
    assert len(logger.errors()) < 5000


def test_a_late_refusal_does_not_hide_what_the_plugin_takes(logger):
    def supports_format_combination(plugin, pos, in_out, num_inputs):
        wanted = (trt.float16, trt.TensorFormat.HWC8)
        return pos < num_inputs or all((io.desc.type, io.desc.format) == wanted for io in in_out)

    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        assert {desc.format for desc in input_desc} == {trt.TensorFormat.HWC8}
        ctypes.memmove(outputs[0], inputs[5], 1 * 2 * 2 * 8 * 2)

    plugin = Lab(supports_format_combination=supports_format_combination, enqueue=enqueue)
    definition = Definition(logger)
    inputs = [definition.input(f"x{i}", trt.float16, (1, 8, 2, 2)) for i in range(6)]
    definition.output(definition.plugin(plugin, inputs)[0], "y")
    plan = definition.build()
    assert plan is not None, logger.errors()
    x = {f"x{i}": np.full((1, 8, 2, 2), i, np.float16) for i in range(6)}
    y = np.zeros((1, 8, 2, 2), np.float16)
    engine = Engine(logger, plan, plugin)
    assert engine.run(x, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y, x["x5"])


def takes_only(dtype):
    def supports_format_combination(plugin, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.type == dtype and desc.format == trt.TensorFormat.LINEAR

    return supports_format_combination


@pytest.mark.parametrize("strong", [True, False])
def test_a_declared_type_that_nobody_takes_names_who_declared_it(logger, strong):
    """The plugin declares an output of int32, which its own supports_format_combination refuses."""

    def supports_format_combination(plugin, pos, in_out, num_inputs):
        return in_out[pos].desc.type == trt.float32

    def get_output_data_types(plugin, input_types):
        return [trt.int32]

    plugin = Lab(
        supports_format_combination=supports_format_combination,
        get_output_data_types=get_output_data_types,
    )
    definition = Definition(logger, strong)
    x = definition.input("x", trt.float32, (4,))
    definition.output(definition.plugin(plugin, [x], name="maker")[0], "y")
    assert definition.build() is None
    text = logger.errors()
    assert "layer 'maker', plugin Lab (version 1)" in text
    assert "Operand 0 ('x'): float32, an input of the network" in text
    assert "operand 1 ('y'): int32, declared by this plugin" in text


@pytest.mark.parametrize("behind", ["plugin", "layer"])
def test_what_a_neighbour_declares_is_named(logger, behind):
    """The second plugin takes float32 only, but the layer before it makes float16."""
    definition = Definition(logger)
    x = definition.input("x", trt.float16, (4,))
    if behind == "plugin":
        middle = definition.plugin(Lab(), [x], name="maker")[0]
        maker = "declared by plugin Lab (version 1) of layer 'maker'"
    else:
        layer = definition.network.add_activation(x, trt.ActivationType.RELU)
        layer.name = "maker"
        middle = layer.get_output(0)
        maker = "made by layer 'maker' (Activation)"
    middle.name = "middle"
    picky = Lab(supports_format_combination=takes_only(trt.float32))
    definition.output(definition.plugin(picky, [middle], name="picky")[0], "y")
    assert definition.build() is None
    text = logger.errors()
    assert "layer 'picky', plugin Lab (version 1)" in text
    assert f"Operand 0 ('middle'): float16, {maker}" in text
    assert "add cast layers around the plugin" in text


@pytest.mark.parametrize("strong", [True, False])
def test_a_layer_that_refuses_a_declared_type_names_the_plugin(logger, strong):
    def get_output_data_types(plugin, input_types):
        return [trt.float16]

    definition = Definition(logger, strong)
    x = definition.input("x", trt.float32, (4,))
    half = definition.plugin(Lab(get_output_data_types=get_output_data_types), [x], name="maker")[0]
    half.name = "half"
    layer = definition.network.add_elementwise(x, half, trt.ElementWiseOperation.SUM)
    layer.name = "sum"
    definition.output(layer.get_output(0), "y")
    assert definition.build() is None
    text = logger.errors()
    assert "layer 'sum' (ElementWise)" in text
    assert (
        "Input 1 ('half') is float16 because plugin Lab (version 1) of layer 'maker' declares"
        in text
    )


@pytest.mark.parametrize("name", ["x", "y"])
def test_direct_io_refuses_a_reformat_where_formats_were_chosen(logger, name):
    """As documented, the flag applies only to tensors whose allowed formats were set."""
    linear, vectors = (1 << int(f) for f in (trt.TensorFormat.LINEAR, trt.TensorFormat.CHW32))

    def build(formats, direct):
        plugin = Lab(supports_format_combination=only(trt.float32, trt.TensorFormat.CHW32))
        definition = Definition(logger)
        x = definition.input("x", trt.float32, SHAPE)
        y = definition.plugin(plugin, [x])[0]
        definition.output(y, "y")
        if formats is not None:
            {"x": x, "y": y}[name].allowed_formats = formats
        if direct:
            definition.config.set_flag(trt.BuilderFlag.DIRECT_IO)
        return definition.build()

    for formats, direct in ((linear, False), (None, True), (vectors, True)):
        assert build(formats, direct) is not None, logger.errors()
    assert build(linear, True) is None
    role = "input" if name == "x" else "output"
    assert f"{role} '{name}': expected float32 linear without a reformat" in logger.errors()
    assert "BuilderFlag DIRECT_IO" in logger.errors()
