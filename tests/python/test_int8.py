# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""INT8 by dynamic ranges and by calibrators, against NumPy."""

import struct
import warnings

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from quantized_nets import Product, quantized, run

warnings.filterwarnings("ignore", category=DeprecationWarning)


@pytest.fixture
def builder(logger):
    return trt.Builder(logger)


@pytest.fixture
def config(builder):
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.INT8)
    return config


@pytest.fixture
def x():
    return np.random.default_rng(7).normal(0, 1, (4, 16)).astype(np.float32)


def test_a_range_quantizes_a_product(logger, builder, config, x):
    net = Product(builder)
    assert net.h.dynamic_range is None
    net.h.dynamic_range = (-2.0, 1.0)
    assert net.h.dynamic_range == (-2.0, 1.0)
    plan = builder.build_serialized_network(net.network, config)
    y = run(logger, plan, x=x)["y"]
    np.testing.assert_allclose(y, net.expected(x, 2.0), rtol=1e-5, atol=1e-5)
    assert np.abs(y - net.expected(x)).max() > 1e-3
    net.h.reset_dynamic_range()
    plan = builder.build_serialized_network(net.network, config)
    np.testing.assert_allclose(run(logger, plan, x=x)["y"], net.expected(x), rtol=1e-5, atol=1e-5)


def test_a_refit_changes_a_range(logger, builder, config, x):
    config.set_flag(trt.BuilderFlag.REFIT)
    net = Product(builder)
    net.h.dynamic_range = (-2.0, 1.0)
    plan = builder.build_serialized_network(net.network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    refitter = trt.Refitter(engine, logger)
    assert refitter.get_tensors_with_dynamic_range() == ["h"]
    assert refitter.get_dynamic_range("h") == (-2.0, 2.0)
    assert not any("range" in name for name in refitter.get_all_weights())
    assert refitter.set_dynamic_range("h", [-0.5, 3.0])
    assert refitter.get_dynamic_range("h") == (-0.5, 3.0)
    assert refitter.get_missing_weights() == []
    assert refitter.refit_cuda_engine()
    assert trt.Refitter(engine, logger).get_dynamic_range("h") == (-0.5, 3.0)
    for plan in (engine.serialize(), engine):
        y = run(logger, plan, x=x)["y"]
        np.testing.assert_allclose(y, net.expected(x, 3.0), rtol=1e-5, atol=1e-5)
    assert logger.errors() == ""


@pytest.mark.parametrize("flags", [["REFIT"], ["REFIT", "FP16"], ["STRIP_PLAN"]])
def test_a_refit_of_weights_changes_their_scales(logger, builder, config, x, flags):
    for flag in flags:
        config.set_flag(getattr(trt.BuilderFlag, flag))
    net = Product(builder)
    net.h.dynamic_range = (-2.0, 2.0)
    net.network.set_weights_name(net.kept, "w")
    plan = builder.build_serialized_network(net.network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    net.w[:] = np.random.default_rng(9).normal(0, 5, net.w.shape)
    net.w[:, 3] = 0  # a scale of its own, for no number
    refitter = trt.Refitter(engine, logger)
    assert refitter.get_all_weights() == ["w"]
    assert refitter.set_named_weights("w", net.w)
    assert refitter.refit_cuda_engine()
    y = run(logger, engine, x=x)["y"]
    w = np.where(net.w == 0, 1e-30, net.w).astype(np.float32)
    expected = quantized(np.maximum(x, 0), 2.0) @ quantized(w, None, axes=0)
    rounding = 1e-2 if "FP16" in flags else 1e-4
    np.testing.assert_allclose(y, expected, rtol=rounding, atol=10 * rounding)
    assert logger.errors() == ""


def test_a_refit_of_a_quantized_convolution(logger, builder, config):
    config.set_flag(trt.BuilderFlag.REFIT)
    rng = np.random.default_rng(6)
    x = rng.normal(0, 1, (2, 8, 5, 5)).astype(np.float32)
    kernels = rng.normal(0, 1, (2, 4, 8, 1, 1)).astype(np.float32)
    kernels[1] *= 7
    network = builder.create_network(0)
    tensor = network.add_input("x", trt.float32, x.shape)
    tensor.dynamic_range = (-3, 3)
    layer = network.add_convolution_nd(tensor, 4, (1, 1), kernels[0].copy())
    layer.name = "conv"
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    plan = builder.build_serialized_network(network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    for kernel in kernels[::-1]:
        refitter = trt.Refitter(engine, logger)
        assert refitter.set_weights("conv", trt.WeightsRole.KERNEL, kernel.copy())
        assert refitter.refit_cuda_engine()
        y = run(logger, engine, x=x)["y"]
        weights = quantized(kernel, None, axes=(1, 2, 3))[:, :, 0, 0]
        expected = np.einsum("oc,nchw->nohw", weights, quantized(x, 3.0))
        np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("computed", [False, True])
def test_a_refit_of_weights_between_quantize_and_dequantize(logger, builder, computed):
    """`computed`: the scale follows from the weights by layers."""
    rng = np.random.default_rng(7)
    weights = [rng.normal(0, scale, (16, 8)).astype(np.float32) for scale in (1, 2)]
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", trt.float32, (4, 16))
    own = weights[0].copy()
    constant = network.add_constant(own.shape, trt.Weights(own))
    network.set_weights_name(constant.weights, "w")
    w = constant.get_output(0)
    fixed = np.full(1, 0.05, np.float32)
    scale = network.add_constant((1,), fixed).get_output(0)
    if computed:
        size = network.add_unary(w, trt.UnaryOperation.ABS).get_output(0)
        most = network.add_reduce(size, trt.ReduceOperation.MAX, 3, False).get_output(0)
        part = network.add_constant((), np.array(1 / 127, np.float32)).get_output(0)
        product = trt.ElementWiseOperation.PROD
        scale = network.add_elementwise(most, part, product).get_output(0)
    narrow = network.add_quantize(w, scale, trt.int8).get_output(0)
    back = network.add_dequantize(narrow, scale, trt.float32).get_output(0)
    none = trt.MatrixOperation.NONE
    y = network.add_matrix_multiply(x, none, back, none).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.REFIT)
    plan = builder.build_serialized_network(network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    rows = rng.normal(0, 1, (4, 16)).astype(np.float32)
    for new in weights[::-1]:
        refitter = trt.Refitter(engine, logger)
        assert refitter.set_named_weights("w", new)
        assert refitter.refit_cuda_engine()
        number = np.abs(new).max() / np.float32(127) if computed else np.float32(0.05)
        expected = rows @ (np.clip(np.rint(new / number), -128, 127) * number)
        np.testing.assert_allclose(run(logger, engine, x=rows)["y"], expected, rtol=1e-4, atol=1e-4)


def test_ranges_are_found_behind_casts_and_reformats(logger, builder, config):
    config.set_flag(trt.BuilderFlag.REFIT)
    config.set_flag(trt.BuilderFlag.FP16)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 3, 14, 14))
    x.dynamic_range = (-2.0, 2.0)
    kernel = np.ones((32, 3, 3, 3), np.float32)
    layer = network.add_convolution_nd(x, 32, (3, 3), kernel)
    network.mark_output(
        network.add_unary(layer.get_output(0), trt.UnaryOperation.SIN).get_output(0)
    )
    plan = builder.build_serialized_network(network, config)
    refitter = trt.Refitter(trt.Runtime(logger).deserialize_cuda_engine(plan), logger)
    np.testing.assert_allclose(refitter.get_dynamic_range("x"), [-2, 2], rtol=1e-3)


@pytest.mark.parametrize(
    ("tensor", "low", "high", "message"),
    [("y", -1, 1, "expected a tensor whose range can change"),
     ("h", 1, -1, "expected a range of finite numbers"),
     ("h", 0, 0, "expected a range of finite numbers"),
     ("h", 0, float("inf"), "expected a range of finite numbers")],
)  # fmt: skip
def test_ranges_that_a_refit_refuses(logger, builder, config, tensor, low, high, message):
    config.set_flag(trt.BuilderFlag.REFIT)
    net = Product(builder)
    net.h.dynamic_range = (-2.0, 2.0)
    plan = builder.build_serialized_network(net.network, config)
    refitter = trt.Refitter(trt.Runtime(logger).deserialize_cuda_engine(plan), logger)
    assert not refitter.set_dynamic_range(tensor, [low, high])
    assert message in logger.errors()
    assert refitter.get_dynamic_range("h") == (-2.0, 2.0)


@pytest.mark.parametrize("flag", ["STRIP_PLAN", "REFIT_INDIVIDUAL"])
def test_ranges_that_stay(logger, builder, config, flag):
    config.set_flag(getattr(trt.BuilderFlag, flag))
    net = Product(builder)
    net.h.dynamic_range = (-2.0, 2.0)
    plan = builder.build_serialized_network(net.network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    assert trt.Refitter(engine, logger).get_tensors_with_dynamic_range() == []


def test_ranges_need_the_flag(logger, builder, x):
    net = Product(builder)
    net.h.dynamic_range = (-2.0, 2.0)
    plan = builder.build_serialized_network(net.network, builder.create_builder_config())
    np.testing.assert_allclose(run(logger, plan, x=x)["y"], net.expected(x), rtol=1e-5, atol=1e-5)


def test_a_range_quantizes_a_convolution(logger, builder, config):
    rng = np.random.default_rng(5)
    x = rng.normal(0, 1, (1, 3, 1, 1)).astype(np.float32)
    kernel = rng.normal(0, 1, (5, 3, 1, 1)).astype(np.float32)
    bias = rng.normal(0, 1, 5).astype(np.float32)
    network = builder.create_network(0)
    tensor = network.add_input("x", trt.float32, x.shape)
    tensor.dynamic_range = (-3, 3)
    layer = network.add_convolution_nd(tensor, 5, (1, 1), kernel, bias)
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    y = run(logger, builder.build_serialized_network(network, config), x=x)["y"]
    weights = quantized(kernel[:, :, 0, 0], None, axes=1)
    np.testing.assert_allclose(
        y[0, :, 0, 0], weights @ quantized(x[0, :, 0, 0], 3) + bias, rtol=1e-5, atol=1e-5
    )


class Batches:
    """The callbacks of a calibrator over some arrays."""

    def __init__(self, arrays, cache=b""):
        self.arrays, self.cache, self.kept = list(arrays), cache, []
        self.histograms = b""

    def get_batch_size(self):
        return 1

    def get_batch(self, names):
        assert names == ["x"]
        if not self.arrays:
            return None
        self.kept.append(device_memory.for_target().DeviceArray(self.arrays.pop(0)))
        return [self.kept[-1].ptr]

    def read_calibration_cache(self):
        return self.cache or None

    def write_calibration_cache(self, cache):
        self.cache = bytes(cache)

    def get_quantile(self):
        return 0.5

    def get_regression_cutoff(self):
        return 0.25

    def read_histogram_cache(self, length):
        return None

    def write_histogram_cache(self, ptr, length):
        self.histograms = length


KINDS = {
    "EntropyCalibration": trt.IInt8EntropyCalibrator,
    "EntropyCalibration2": trt.IInt8EntropyCalibrator2,
    "MinMaxCalibration": trt.IInt8MinMaxCalibrator,
    "LegacyCalibration": trt.IInt8LegacyCalibrator,
}


def calibrator_of(name, *arguments):
    base = KINDS[name]

    class Calibrator(Batches, base):
        def __init__(self):
            base.__init__(self)
            Batches.__init__(self, *arguments)

    return Calibrator()


def ranges(cache):
    lines = cache.decode().splitlines()
    scale = {name: struct.unpack("!f", bytes.fromhex(bits))[0]
             for name, bits in (line.rsplit(": ", 1) for line in lines[1:])}  # fmt: skip
    return lines[0], {name: value * 127 for name, value in scale.items()}


@pytest.mark.parametrize("name", KINDS)
def test_calibration(logger, builder, config, x, name):
    rng = np.random.default_rng(9)
    batches = [rng.normal(0, 1, (4, 16)).astype(np.float32) for _ in range(8)]
    calibrator = calibrator_of(name, batches)
    config.int8_calibrator = calibrator
    net = Product(builder)
    plan = builder.build_serialized_network(net.network, config)
    assert plan is not None, logger.errors()
    assert calibrator.arrays == []
    first, found = ranges(calibrator.cache)
    major, minor, patch = trt.__version__.split(".")[:3]
    assert first == f"TRT-{major}{int(minor):02}{int(patch):02}-{name}"
    assert set(found) == {"x", "h", "y"}
    largest = max(np.maximum(batch, 0).max() for batch in batches)
    if name == "MinMaxCalibration":
        np.testing.assert_allclose(found["h"], largest, rtol=1e-6)
    elif name == "LegacyCalibration":  # half of the elements are zeros
        np.testing.assert_allclose(found["h"], largest / 4, rtol=1e-3)
        assert calibrator.histograms > 0
    else:
        assert largest / 4 < found["h"] <= largest * 1.0001
    y = run(logger, plan, x=x)["y"]
    np.testing.assert_allclose(y, net.expected(x, found["h"]), rtol=1e-4, atol=1e-4)

    # The cache alone gives the same engine.
    again = calibrator_of(name, [], calibrator.cache)
    config.int8_calibrator = again
    cached = builder.build_serialized_network(net.network, config)
    np.testing.assert_array_equal(run(logger, cached, x=x)["y"], y)


def test_caches_of_others(logger, builder, config, x):
    cache = b"TRT-8601-EntropyCalibration2\nx: 3c010a14\nh: 3c23d70a\n"  # h: 0.01
    config.int8_calibrator = calibrator_of("EntropyCalibration2", [], cache)
    net = Product(builder)
    y = run(logger, builder.build_serialized_network(net.network, config), x=x)["y"]
    np.testing.assert_allclose(y, net.expected(x, 1.27), rtol=1e-5, atol=1e-5)

    other = calibrator_of("MinMaxCalibration", [x], cache)
    config.int8_calibrator = other
    assert builder.build_serialized_network(net.network, config) is not None
    assert "the cache is of another algorithm than MinMaxCalibration" in logger.messages_text()
    assert ranges(other.cache)[0].endswith("-MinMaxCalibration")

    config.int8_calibrator = calibrator_of(
        "MinMaxCalibration", [], b"TRT-1-MinMaxCalibration\nx 1\n"
    )
    assert builder.build_serialized_network(net.network, config) is None
    assert "[calibration] cache, line 'x 1': expected" in logger.errors()


def test_a_batch_without_an_address(logger, builder, config):
    class Calibrator(Batches, trt.IInt8MinMaxCalibrator):
        def __init__(self):
            trt.IInt8MinMaxCalibrator.__init__(self)
            Batches.__init__(self, [])

        def get_batch(self, names):
            return [0]

    config.int8_calibrator = Calibrator()
    assert builder.build_serialized_network(Product(builder).network, config) is None
    assert "[calibration] batch 0, input 'x': expected an address" in logger.errors()


def test_shapes_of_batches(logger, builder, config):
    """Those of the calibration profile, else the optimum of the first profile."""
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (-1, 2))
    y = network.add_activation(x, trt.ActivationType.RELU).get_output(0)
    network.mark_output(y)
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 2), (3, 2), (9, 2))
    config.add_optimization_profile(profile)
    calibration = builder.create_optimization_profile()
    calibration.set_shape("x", (5, 2), (5, 2), (5, 2))
    data = np.array([[1, 1], [1, 1], [1, 1], [1, 1], [7, 1]], np.float32)
    for chosen, largest in ((None, 1), (calibration, 7)):
        if chosen is not None:
            config.set_calibration_profile(chosen)
        config.int8_calibrator = known = calibrator_of("MinMaxCalibration", [data])
        assert builder.build_serialized_network(network, config) is not None, logger.errors()
        np.testing.assert_allclose(ranges(known.cache)[1]["x"], largest, rtol=1e-6)


def test_quantize_layers_need_no_flag(logger, builder, x):
    network = builder.create_network(0)
    tensor = network.add_input("x", trt.float32, x.shape)
    scale = network.add_constant((), np.array(0.05, np.float32)).get_output(0)
    narrow = network.add_quantize(tensor, scale)
    assert narrow.to_type == trt.int8 and narrow.axis == -1
    wide = network.add_dequantize(narrow.get_output(0), scale)
    assert wide.to_type == trt.float32
    wide.get_output(0).name = "y"
    network.mark_output(wide.get_output(0))
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    y = run(logger, plan, x=x)["y"]
    want = np.clip(np.rint(x / np.float32(0.05)), -128, 127) * np.float32(0.05)
    np.testing.assert_allclose(y, want, rtol=1e-6)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("way", ["transposed", "reshaped", "both", "rank 3"])
def test_weights_behind_shuffles(logger, builder, config, way, large):
    """They get a scale for each output channel, as direct constants do."""
    k, n = (160, 192) if large else (16, 8)  # large ones are computed when the plan is written
    rng = np.random.default_rng(5)
    w = (rng.normal(0, 1, (k, n)) * np.geomspace(0.01, 1, n)).astype(np.float32)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 4, k) if way == "rank 3" else (4, k))
    x.dynamic_range = (-3, 3)
    stored = {"transposed": w.T, "reshaped": w.reshape(-1), "both": w.T.reshape(-1), "rank 3": w.T}
    weights = np.ascontiguousarray(stored[way])
    layer = network.add_shuffle(network.add_constant(weights.shape, weights).get_output(0))
    if way in ("transposed", "rank 3"):
        layer.first_transpose = (1, 0)
    if way == "reshaped":
        layer.reshape_dims = (k, n)
    elif way == "both":
        layer.reshape_dims, layer.second_transpose = (n, k), (1, 0)
    elif way == "rank 3":
        layer.reshape_dims = (1, k, n)
    none = trt.MatrixOperation.NONE
    product = network.add_matrix_multiply(x, none, layer.get_output(0), none)
    product.get_output(0).name = "y"
    network.mark_output(product.get_output(0))
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    data = rng.normal(0, 1, tuple(x.shape)).astype(np.float32)
    want = quantized(data, 3) @ quantized(w, None, axes=0)
    got = run(logger, plan, x=data)["y"]
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
