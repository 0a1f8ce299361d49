# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Refitter: new weights for engines and their contexts. tests/python/cuda runs these on the GPU."""

import gc

import numpy as np
import pytest
import tensorrt as trt
from refit_lab import Flag, Lab, Opened, Role, convolve, floats

ElementWise = trt.ElementWiseOperation


def near(got, wanted, tolerance=2e-5):
    """Sums of at most 100 products of numbers up to 1 in float32."""
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


@pytest.fixture
def x():
    return floats(1, 3, 8, 8)


@pytest.fixture
def weights():
    return {"kernel": floats(5, 3, 3, 3), "bias": floats(5)}


@pytest.fixture
def lab(logger, x):
    return Lab(logger, x.shape)


@pytest.fixture
def engine(logger, lab, weights):
    """Of a convolution 'conv', for refit."""
    y = lab.convolution("conv", lab.x, weights["kernel"], weights["bias"])
    return Opened(logger, lab.plan(y, Flag.REFIT))


def test_by_layer_and_role(engine, x, weights):
    near(engine.run(x), convolve(x, weights["kernel"], weights["bias"]))
    assert engine.engine.refittable
    refitter = engine.refitter()
    layers, roles = refitter.get_all()
    assert set(zip(layers, roles, strict=True)) == {("conv", Role.KERNEL), ("conv", Role.BIAS)}
    assert refitter.get_missing() == ([], [])
    kernel = floats(5, 3, 3, 3)
    assert refitter.set_weights("conv", Role.KERNEL, kernel)
    near(engine.run(x), convolve(x, weights["kernel"], weights["bias"]))  # nothing changed so far
    assert refitter.refit_cuda_engine()
    near(engine.run(x), convolve(x, kernel, weights["bias"]))  # the same context
    bias = floats(5)
    assert refitter.set_weights("conv", Role.BIAS, trt.Weights(bias))
    assert refitter.refit_cuda_engine_async(0)
    near(engine.run(x), convolve(x, kernel, bias))
    assert refitter.refit_cuda_engine()  # nothing is set: nothing changes
    near(engine.run(x), convolve(x, kernel, bias))


def test_weights_without_names_have_names_of_layer_and_role(engine, x, weights):
    refitter = engine.refitter()
    assert sorted(refitter.get_all_weights()) == ["conv BIAS", "conv KERNEL"]
    bias = floats(5)
    assert refitter.set_named_weights("conv BIAS", bias)
    assert refitter.refit_cuda_engine()
    near(engine.run(x), convolve(x, weights["kernel"], bias))


def test_arrays_live_until_the_refit(engine, x, weights):
    refitter = engine.refitter()
    bias = floats(5)
    assert refitter.set_named_weights("conv BIAS", bias.copy())
    assert refitter.set_weights("conv", Role.KERNEL, weights["kernel"].copy())
    gc.collect()
    junk = [np.full(5, np.nan, np.float32) for _ in range(100)]
    assert refitter.refit_cuda_engine()
    near(engine.run(x), convolve(x, weights["kernel"], bias))
    assert len(junk) == 100


def test_named_weights(logger, lab, x, weights):
    y = lab.convolution("conv", lab.x, weights["kernel"], weights["bias"])
    assert lab.network.set_weights_name(weights["kernel"], "filter")
    assert lab.network.set_weights_name(weights["bias"], "offset")
    engine = Opened(logger, lab.plan(y, Flag.REFIT))
    refitter = engine.refitter()
    assert sorted(refitter.get_all_weights()) == ["filter", "offset"]
    assert refitter.get_missing_weights() == []
    prototype = refitter.get_weights_prototype("filter")
    assert (prototype.dtype, prototype.size) == (trt.float32, 135)
    assert refitter.get_weights_prototype("nothing").size == -1
    assert "[refit] weights 'nothing': expected weights" in logger.errors()
    assert refitter.get_named_weights("filter").size == 0
    kernel = floats(5, 3, 3, 3)
    assert refitter.set_named_weights("filter", kernel)
    assert refitter.get_weights_location("filter") == trt.TensorLocation.HOST
    assert refitter.get_named_weights("filter").size == 135
    np.testing.assert_array_equal(refitter.get_named_weights("filter").numpy(), kernel.ravel())
    assert refitter.unset_named_weights("filter")
    assert not refitter.unset_named_weights("filter")
    assert refitter.refit_cuda_engine()
    near(engine.run(x), convolve(x, weights["kernel"], weights["bias"]))
    on_device = engine.memory.DeviceArray(kernel)
    at = trt.Weights(trt.float32, on_device.ptr, kernel.size)
    assert refitter.set_named_weights("filter", at, trt.TensorLocation.DEVICE)
    assert refitter.get_weights_location("filter") == trt.TensorLocation.DEVICE
    assert refitter.refit_cuda_engine()
    near(engine.run(x), convolve(x, kernel, weights["bias"]))


def test_names_that_are_refused(logger, lab, weights):
    y = lab.convolution("conv", lab.x, weights["kernel"], weights["bias"])
    network = lab.network
    assert not network.set_weights_name(floats(4), "other")
    assert "expected weights that a layer has, got 4 of float32 at an address" in logger.errors()
    assert not network.set_weights_name(weights["kernel"][:2], "part")
    assert "at the address of 135 of float32" in logger.errors()
    assert network.set_weights_name(weights["kernel"], "filter")
    assert network.set_weights_name(weights["kernel"], "filter")
    assert not network.set_weights_name(weights["bias"], "filter")
    assert "expected a new name, got that of other weights" in logger.errors()
    assert network.set_weights_name(weights["kernel"], "kernel")
    assert network.set_weights_name(weights["bias"], "filter")
    assert sorted(Opened(logger, lab.plan(y, Flag.REFIT)).refitter().get_all_weights()) == [
        "filter",
        "kernel",
    ]


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (floats(4), "expected 5 elements of float32, got 4 of float32"),
        (floats(5).astype(np.float16), "expected 5 elements of float32, got 5 of float16"),
        (trt.Weights(trt.float32, 0, 5), "got 5 of float32 at a null pointer"),
    ],
)
def test_weights_that_are_refused(engine, logger, new, message):
    refitter = engine.refitter()
    assert not refitter.set_weights("conv", Role.BIAS, new)
    assert message in logger.errors()
    assert not refitter.set_weights("conv", Role.SHIFT, floats(5))
    assert "[refit] weights 'conv': expected weights that the engine" in logger.errors()


def test_engines_that_are_not_for_refit(logger, lab, weights):
    y = lab.convolution("conv", lab.x, weights["kernel"], weights["bias"])
    engine = Opened(logger, lab.plan(y))
    assert not engine.engine.refittable
    with pytest.raises(RuntimeError, match="refitter could not be made"):
        engine.refitter()
    assert "expected an engine that was built for refit" in logger.errors()


def test_settings(engine, logger):
    refitter = engine.refitter()
    assert refitter.weights_validation
    refitter.weights_validation = False
    assert not refitter.weights_validation
    assert refitter.max_threads == 1
    refitter.max_threads = 3
    refitter.max_threads = 0
    assert refitter.max_threads == 3
    assert refitter.logger is logger
    assert refitter.error_recorder is None
    assert not refitter.set_dynamic_range("x", [-1, 1])
    assert all(np.isnan(refitter.get_dynamic_range("x")))
    assert refitter.get_tensors_with_dynamic_range() == []


def test_folded_weights(logger, x, lab, weights):
    """Scale and shift behind a convolution are folded into its weights."""
    scale, shift = floats(1, 5, 1, 1), floats(1, 5, 1, 1)
    y = lab.convolution("conv", lab.x, weights["kernel"], weights["bias"])
    y = lab.elementwise(y, lab.constant("scale", scale), ElementWise.PROD)
    y = lab.elementwise(y, lab.constant("shift", shift), ElementWise.SUM)
    engine = Opened(logger, lab.plan(y, Flag.REFIT))
    refitter = engine.refitter()
    wanted = {"scale": scale, "shift": shift, **weights}

    def expect():
        y = convolve(x, wanted["kernel"], wanted["bias"]) * wanted["scale"] + wanted["shift"]
        near(engine.run(x), y)

    expect()
    for name, new in [("scale", floats(1, 5, 1, 1)), ("shift", floats(1, 5, 1, 1))]:
        wanted[name] = new
        assert refitter.set_weights(name, Role.CONSTANT, new)
        assert refitter.refit_cuda_engine()
        expect()
    for name, role in [("kernel", Role.KERNEL), ("bias", Role.BIAS)]:
        wanted[name] = floats(*wanted[name].shape)
        assert refitter.set_weights("conv", role, wanted[name])
        assert refitter.refit_cuda_engine()
        expect()
    again = Opened(logger, bytes(engine.engine.serialize()))
    near(again.run(x), engine.run(x), 0)
    wanted["scale"] = floats(1, 5, 1, 1)  # beside what the first engine was given
    refitter = again.refitter()
    engine = again
    assert refitter.set_weights("scale", Role.CONSTANT, wanted["scale"])
    assert refitter.refit_cuda_engine()
    expect()


def test_scalars_and_shared_weights(logger):
    x, scalar, matrix = floats(4, 6), floats(1, 1), floats(6, 6)
    lab = Lab(logger, x.shape)
    y = lab.elementwise(lab.x, lab.constant("scalar", scalar), ElementWise.PROD)
    y = lab.product(y, lab.constant("first", matrix))
    y = lab.product(y, lab.constant("second", matrix))
    assert lab.network.set_weights_name(matrix, "matrix")
    engine = Opened(logger, lab.plan(y, Flag.REFIT))
    near(engine.run(x), x * scalar @ matrix @ matrix)
    refitter = engine.refitter()
    assert sorted(refitter.get_all_weights()) == ["matrix", "scalar CONSTANT"]
    scalar, matrix = floats(1, 1), floats(6, 6)
    assert refitter.set_named_weights("scalar CONSTANT", scalar)
    assert refitter.set_named_weights("matrix", matrix)
    assert refitter.refit_cuda_engine()
    near(engine.run(x), x * scalar @ matrix @ matrix)
    second = floats(6, 6)
    assert refitter.set_weights("second", Role.CONSTANT, second)  # one of the two
    assert refitter.refit_cuda_engine()
    near(engine.run(x), x * scalar @ matrix @ second)


def gelu(lab, y, half):
    """x * 0.5 * (1 + erf(x / sqrt(2))), which the compiler recognises by its numbers."""
    root = lab.constant("root", np.full((1, 1), np.sqrt(2), np.float32))
    one = lab.constant("one", np.ones((1, 1), np.float32))
    z = lab.elementwise(y, root, ElementWise.DIV)
    z = lab.network.add_unary(z, trt.UnaryOperation.ERF).get_output(0)
    z = lab.elementwise(z, one, ElementWise.SUM)
    return lab.elementwise(lab.elementwise(y, z, ElementWise.PROD), half, ElementWise.PROD)


def test_weights_that_the_build_used_stay(logger):
    x, half = floats(4, 6), np.full((1, 1), 0.5, np.float32)
    lab = Lab(logger, x.shape)
    y = gelu(lab, lab.x, lab.constant("half", half))
    engine = Opened(logger, lab.plan(y, Flag.REFIT))
    before = engine.run(x)
    refitter = engine.refitter()
    assert "half CONSTANT" not in refitter.get_all_weights()
    assert refitter.set_weights("half", Role.CONSTANT, half)
    assert refitter.refit_cuda_engine()
    np.testing.assert_array_equal(engine.run(x), before)
    assert refitter.set_weights("half", Role.CONSTANT, half * 2)
    assert not refitter.refit_cuda_engine()
    assert "expected the elements that the engine was built with" in logger.errors()
    np.testing.assert_array_equal(engine.run(x), before)


def test_marked_weights_stay_open(logger):
    x, half = floats(4, 6), np.full((1, 1), 0.5, np.float32)
    lab = Lab(logger, x.shape)
    y = gelu(lab, lab.x, lab.constant("half", half))
    assert lab.network.set_weights_name(half, "half")
    assert not lab.network.are_weights_marked_refittable("half")
    assert lab.network.mark_weights_refittable("half")
    assert lab.network.are_weights_marked_refittable("half")
    assert not lab.network.mark_weights_refittable("other")
    engine = Opened(logger, lab.plan(y, Flag.REFIT_INDIVIDUAL))
    before = engine.run(x)
    refitter = engine.refitter()
    assert refitter.get_all_weights() == ["half"]
    assert refitter.set_named_weights("half", half * 2)
    assert refitter.refit_cuda_engine()
    near(engine.run(x), before * 2)
    assert not refitter.set_weights("root", Role.CONSTANT, np.ones((1, 1), np.float32))


def test_unmarked_weights(logger, lab, x, weights):
    y = lab.convolution("conv", lab.x, weights["kernel"], weights["bias"])
    assert lab.network.set_weights_name(weights["kernel"], "filter")
    assert lab.network.set_weights_name(weights["bias"], "offset")
    assert lab.network.mark_weights_refittable("filter")
    assert lab.network.unmark_weights_refittable("filter")
    assert lab.network.mark_weights_refittable("offset")
    plan = lab.plan(y, Flag.REFIT_INDIVIDUAL, Flag.STRIP_PLAN)
    engine = Opened(logger, plan)
    refitter = engine.refitter()
    assert refitter.get_all_weights() == refitter.get_missing_weights() == ["offset"]
    bias = floats(5)
    assert refitter.set_named_weights("offset", bias)
    assert refitter.refit_cuda_engine()
    near(engine.run(x), convolve(x, weights["kernel"], bias))


def test_half_precision(logger):
    x, matrix = floats(4, 64), floats(64, 64)
    lab = Lab(logger, x.shape)
    y = lab.product(lab.x, lab.constant("w", matrix))
    engine = Opened(logger, lab.plan(y, Flag.REFIT, Flag.FP16))
    near(engine.run(x), x @ matrix, 3e-2)
    refitter = engine.refitter()
    matrix = floats(64, 64)
    assert refitter.set_weights("w", Role.CONSTANT, matrix)
    assert refitter.refit_cuda_engine()
    near(engine.run(x), x @ matrix, 3e-2)


@pytest.fixture
def stripped(lab, weights):
    scale = floats(1, 5, 1, 1)
    y = lab.convolution("conv", lab.x, weights["kernel"], weights["bias"])
    y = lab.elementwise(y, lab.constant("scale", scale), ElementWise.PROD)
    weights["scale"] = scale
    return lab.plan(y, Flag.STRIP_PLAN)


def test_stripped_plans(logger, stripped, x, weights):
    engine = Opened(logger, stripped)
    assert engine.engine.create_execution_context() is None
    assert "expected all weights, got a plan without" in logger.errors()
    refitter = engine.refitter()
    names = ["conv BIAS", "conv KERNEL", "scale CONSTANT"]
    assert sorted(refitter.get_missing_weights()) == names
    assert len(refitter.get_missing()[0]) == 3
    assert refitter.set_named_weights("conv KERNEL", weights["kernel"])
    assert sorted(refitter.get_missing_weights()) == ["conv BIAS", "scale CONSTANT"]
    assert not refitter.refit_cuda_engine()
    assert refitter.set_named_weights("conv BIAS", weights["bias"])
    assert refitter.set_named_weights("scale CONSTANT", weights["scale"])
    assert refitter.get_missing_weights() == []
    assert refitter.refit_cuda_engine()
    wanted = convolve(x, weights["kernel"], weights["bias"]) * weights["scale"]
    near(engine.run(x), wanted)
    bias = floats(5)  # now one alone
    assert refitter.set_named_weights("conv BIAS", bias)
    assert refitter.refit_cuda_engine()
    near(engine.run(x), convolve(x, weights["kernel"], bias) * weights["scale"])


def set_all(refitter, weights):
    assert refitter.set_weights("conv", Role.KERNEL, weights["kernel"])
    assert refitter.set_weights("conv", Role.BIAS, weights["bias"])
    assert refitter.set_weights("scale", Role.CONSTANT, weights["scale"])
    assert refitter.refit_cuda_engine()


def test_serialization(logger, stripped, x, weights):
    Serialization = trt.SerializationFlag
    engine = Opened(logger, stripped)
    config = engine.engine.create_serialization_config()
    assert config.get_flag(Serialization.EXCLUDE_WEIGHTS)
    assert bytes(engine.engine.serialize()) == stripped
    assert config.clear_flag(Serialization.EXCLUDE_WEIGHTS)
    assert engine.engine.serialize_with_config(config) is None
    assert "expected all weights" in logger.errors()
    set_all(engine.refitter(), weights)
    wanted = engine.run(x)
    assert bytes(engine.engine.serialize()) == stripped

    full = bytes(engine.engine.serialize_with_config(config))
    again = Opened(logger, full)
    np.testing.assert_array_equal(again.run(x), wanted)
    assert again.engine.refittable
    assert again.refitter().get_missing_weights() == []
    assert len(full) > len(stripped)

    config.clear_flag(Serialization.INCLUDE_REFIT)
    last = Opened(logger, bytes(engine.engine.serialize_with_config(config)))
    np.testing.assert_array_equal(last.run(x), wanted)
    assert not last.engine.refittable

    config = again.engine.create_serialization_config()
    assert not config.get_flag(Serialization.EXCLUDE_WEIGHTS)
    config.set_flag(Serialization.EXCLUDE_WEIGHTS)
    bare = Opened(logger, bytes(again.engine.serialize_with_config(config)))
    assert bare.engine.create_execution_context() is None
    set_all(bare.refitter(), weights)
    np.testing.assert_array_equal(bare.run(x), wanted)


def test_flags_of_serialization(logger, engine):
    config = engine.engine.create_serialization_config()
    assert not config.set_flag(trt.SerializationFlag(0)) or config.flags & 1
    config.flags = 5
    assert config.flags == 5
    config.flags = 64
    assert config.flags == 5
    assert "expected flags within 0x7, got 0x40" in logger.errors()


def test_sizes_of_weights(logger, stripped, weights):
    bare = Opened(logger, stripped)
    omitted = bare.engine.get_engine_stat(trt.EngineStat.STRIPPED_WEIGHTS_SIZE)
    assert omitted >= 5 * 27 * 4
    assert bare.engine.get_engine_stat(trt.EngineStat.TOTAL_WEIGHTS_SIZE) >= omitted
    set_all(bare.refitter(), weights)
    config = bare.engine.create_serialization_config()
    config.flags = 0
    whole = Opened(logger, bytes(bare.engine.serialize_with_config(config))).engine
    assert whole.get_engine_stat(trt.EngineStat.STRIPPED_WEIGHTS_SIZE) == 0
    assert whole.get_engine_stat(trt.EngineStat.TOTAL_WEIGHTS_SIZE) >= 5 * 27 * 4


def test_two_contexts(engine, x, weights):
    other = engine.engine.create_execution_context()
    gone = engine.engine.create_execution_context()
    del gone
    gc.collect()
    refitter = engine.refitter()
    bias = floats(5)
    engine.run(x)
    assert refitter.set_named_weights("conv BIAS", bias)
    assert refitter.refit_cuda_engine()
    wanted = convolve(x, weights["kernel"], bias)
    near(engine.run(x), wanted)
    engine.context = other
    near(engine.run(x), wanted)


def test_weights_that_overflow(logger):
    x, matrix = floats(4, 64), floats(64, 64)
    lab = Lab(logger, x.shape)
    network = lab.network
    half = network.add_cast(lab.constant("w", matrix), trt.float16).get_output(0)
    y = lab.product(network.add_cast(lab.x, trt.float16).get_output(0), half)
    engine = Opened(logger, lab.plan(network.add_cast(y, trt.float32).get_output(0), Flag.REFIT))
    refitter = engine.refitter()
    logger.messages.clear()
    for validates in (False, True):
        refitter.weights_validation = validates
        assert refitter.set_weights("w", Role.CONSTANT, matrix * 1e6)
        assert refitter.refit_cuda_engine()
        assert validates == ("expected finite elements of float16" in logger.messages_text())


def test_layers_of_one_name(logger):
    """The second and later layers are called by number."""
    x, arrays = floats(4, 6), [floats(6, 6), floats(6, 6)]
    lab = Lab(logger, x.shape)
    y = lab.x
    for array in arrays:
        y = lab.product(y, lab.constant("w", array))
    engine = Opened(logger, lab.plan(y, Flag.REFIT))
    refitter = engine.refitter()
    assert sorted(refitter.get_all_weights()) == ["w #2 CONSTANT", "w CONSTANT"]
    arrays[1] = floats(6, 6)
    assert refitter.set_weights("w #2", Role.CONSTANT, arrays[1])
    assert refitter.refit_cuda_engine()
    near(engine.run(x), x @ arrays[0] @ arrays[1])
