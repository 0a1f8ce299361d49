# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Products and convolutions between dequantizations on the target cuda, against NumPy.

Operands are small integers, which all types have, so sums are exact and only scales round.
"""

import itertools
import json

import kiln
import numpy as np
import pytest
import tensorrt as trt
from numbered_choice import NumberedChoice
from quantized_nets import run

NONE, TRANSPOSE = trt.MatrixOperation.NONE, trt.MatrixOperation.TRANSPOSE
SUM = trt.ElementWiseOperation.SUM
WIDE = {trt.float32: np.float32, trt.float16: np.float16}
OURS, BLAS = "region_quantized", "cuda/region_quantized_cublaslt"
HAS_CUBLASLT = any(
    library["name"] == "cuBLASLt" and library.get("version")
    for library in kiln.describe_target("cuda").get("libraries", [])
)


@pytest.fixture(autouse=True)
def keep_quantized(monkeypatch):
    """Times of the emulated GPU do not matter."""
    monkeypatch.setenv("KILN_KEEP_QUANTIZED", "1")


def fp8_codes(numbers):
    """E4M3 codes of integers from -8 to 8."""
    size = np.abs(numbers)
    exponent = np.where(size > 0, np.floor(np.log2(np.maximum(size, 1))), 0).astype(int)
    code = (exponent + 7 << 3) + (size * 8 >> exponent) - 8
    return np.where(size == 0, 0, code + np.where(numbers < 0, 128, 0)).astype(np.uint8)


def to_int8(x, scale):
    return np.clip(np.rint((x / np.float32(scale)).astype(np.float32)), -128, 127)


class Net:
    """A strongly typed network whose layers compute in `wide`, of operands of `narrow`."""

    def __init__(self, logger, narrow=trt.int8, wide=trt.float32, seed=1):
        self.logger, self.narrow, self.wide = logger, narrow, wide
        self.rng = np.random.default_rng(seed)
        self.builder = trt.Builder(logger)
        self.network = self.builder.create_network(
            1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
        )
        self.config = self.builder.create_builder_config()
        self.inputs, self.kept = {}, []

    def integers(self, shape):
        low = 0 if self.narrow == trt.uint8 else -8
        return self.rng.integers(low, 9, shape)

    def codes(self, numbers):
        if self.narrow == trt.fp8:
            return fp8_codes(numbers)
        return numbers.astype(np.uint8 if self.narrow == trt.uint8 else np.int8)

    def constant(self, array, dtype=None):
        array = np.ascontiguousarray(array)
        self.kept.append(array)
        weights = array if dtype is None else trt.Weights(dtype, array.ctypes.data, array.size)
        return self.network.add_constant(array.shape, weights).get_output(0)

    def numbers(self, array):
        return self.constant(np.asarray(array, WIDE[self.wide]))

    def dequantized(self, tensor, scale, axis=-1):
        layer = self.network.add_dequantize(tensor, self.numbers(scale), self.wide)
        layer.axis = axis
        return layer.get_output(0)

    def quantized(self, tensor, scale):
        layer = self.network.add_quantize(tensor, self.numbers(scale), trt.int8)
        return layer.get_output(0)

    def input(self, name, shape, declared=None, scale=0.5):
        """An input of quantized elements: the dequantized tensor, and its numbers."""
        numbers = self.integers(shape)
        tensor = self.network.add_input(name, self.narrow, declared or shape)
        self.inputs[name] = self.codes(numbers)
        return self.dequantized(tensor, scale), numbers * float(scale)

    def weights(self, shape, axis=-1):
        """Constant quantized weights with a scale for each index along the axis."""
        numbers = self.integers(shape)
        tensor = self.constant(self.codes(numbers), self.narrow)
        wide = [1] * len(shape)
        if axis >= 0:
            wide[axis] = shape[axis]
        scale = self.rng.choice([0.25, 0.5, 1.0], wide)
        given = scale.reshape(-1) if axis >= 0 else scale.reshape(())
        return self.dequantized(tensor, given, axis), numbers * scale

    def result(self, tensor, want, kernel=OURS, tolerance=2e-3):
        """Checks the results of all kernels that the target offers; returns their names."""
        tensor.name = "y"
        self.network.mark_output(tensor)
        self.config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        names, most, number = set(), 1, 0
        while number < most:
            self.config.algorithm_selector = selector = NumberedChoice(number)
            plan = self.builder.build_serialized_network(self.network, self.config)
            assert plan is not None, self.logger.errors()
            kernels = self.kernels_of(plan)
            if kernel:
                assert any(kernel in name for name in kernels), kernels
            names.update(kernels)
            got = run(self.logger, plan, **self.inputs)["y"]
            assert got.shape == want.shape
            if tensor.dtype == trt.int8:
                assert np.abs(got.astype(int) - want).max() <= 1
                assert (got == want).mean() > 0.95
            else:
                np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
            most, number = selector.most, number + 1
        return names

    def kernels_of(self, plan):
        engine = trt.Runtime(self.logger).deserialize_cuda_engine(plan)
        text = engine.create_engine_inspector().get_engine_information(
            trt.LayerInformationFormat.JSON
        )
        return [layer["TacticName"] for layer in json.loads(text)["Layers"]]


TYPES = [(trt.int8, trt.float32), (trt.uint8, trt.float16), (trt.fp8, trt.float16)]


@pytest.mark.parametrize(("narrow", "wide"), TYPES, ids=str)
@pytest.mark.parametrize("shape", [(5, 64, 48), (130, 72, 200), (33, 336, 7), (1, 3, 1)], ids=str)
def test_products(logger, narrow, wide, shape):
    m, k, n = shape
    net = Net(logger, narrow, wide)
    x, a = net.input("x", (m, k))
    w, b = net.weights((k, n), 1)
    y = net.network.add_matrix_multiply(x, NONE, w, NONE).get_output(0)
    bias = net.integers((1, n))
    y = net.network.add_elementwise(y, net.numbers(bias), SUM).get_output(0)
    y = net.network.add_activation(y, trt.ActivationType.RELU).get_output(0)
    kernels = net.result(y, np.maximum(a @ b + bias, 0))
    if HAS_CUBLASLT and narrow != trt.uint8 and k % 16 == n % 16 == 0:
        assert BLAS in kernels


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("wide", [trt.float32, trt.float16], ids=str)
def test_fp8_in_one_call(logger, wide, relu):
    """With one scale for all weights, and nothing behind or a ReLU."""
    net = Net(logger, trt.fp8, wide)
    x, a = net.input("x", (3, 20, 64))
    w, b = net.weights((1, 64, 32))
    y = net.network.add_matrix_multiply(x, NONE, w, NONE).get_output(0)
    want = a @ b
    if relu:
        y = net.network.add_activation(y, trt.ActivationType.RELU).get_output(0)
        want = np.maximum(want, 0)
    assert not HAS_CUBLASLT or BLAS in net.result(y, want)


@pytest.mark.parametrize("left", [NONE, TRANSPOSE], ids=str)
@pytest.mark.parametrize("right", [NONE, TRANSPOSE], ids=str)
@pytest.mark.parametrize("batch", [(), (2, 3)], ids=str)
def test_batches_of_inputs(logger, left, right, batch):
    """No operand is constant; the second one is repeated along an axis of the batch."""
    net = Net(logger)
    m, k, n = 20, 48, 34
    x, a = net.input("x", (*batch, *((k, m) if left == TRANSPOSE else (m, k))))
    other = tuple(1 if i == 0 else extent for i, extent in enumerate(batch))
    w, b = net.input("w", (*other, *((n, k) if right == TRANSPOSE else (k, n))), scale=0.25)
    y = net.network.add_matrix_multiply(x, left, w, right).get_output(0)
    a = np.swapaxes(a, -1, -2) if left == TRANSPOSE else a
    b = np.swapaxes(b, -1, -2) if right == TRANSPOSE else b
    net.result(y, a @ b)


@pytest.mark.parametrize("transposed", [False, True])
def test_quantized_results(logger, transposed):
    """With a matrix that is added, and int8 results."""
    net = Net(logger)
    x, a = net.input("x", (2, 33, 80))
    w, b = net.weights((1, 40, 80) if transposed else (1, 80, 40))
    y = net.network.add_matrix_multiply(x, NONE, w, TRANSPOSE if transposed else NONE).get_output(0)
    more = net.integers((2, 33, 40)).astype(np.float32)
    other = net.network.add_input("other", trt.float32, more.shape)
    net.inputs["other"] = more
    y = net.network.add_elementwise(y, other, SUM).get_output(0)
    want = a @ (np.swapaxes(b, -1, -2) if transposed else b) + more
    net.result(net.quantized(y, 3.0), to_int8(want, 3.0))


def convolved(x, w, stride, padding, dilation, groups):
    """Channels second; by the definition."""
    batch = x.shape[0]
    axes = range(x.ndim - 2)
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    size = [
        (x.shape[2 + i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1 for i in axes
    ]
    y = np.zeros((batch, groups, w.shape[0] // groups, *size))
    kernel = w.reshape(groups, -1, *w.shape[1:])
    for tap in itertools.product(*(range(w.shape[2 + i]) for i in axes)):
        places = tuple(
            slice(tap[i] * dilation[i], tap[i] * dilation[i] + stride[i] * (size[i] - 1) + 1,
                  stride[i])
            for i in axes
        )  # fmt: skip
        part = x[(slice(None), slice(None), *places)].reshape(batch, groups, -1, *size)
        y += np.einsum("bgc...,gmc->bgm...", part, kernel[(..., *tap)])
    return y.reshape(batch, -1, *size)


CONVOLUTIONS = {  # input, maps, window, and arguments
    "1x1": ((2, 32, 9, 9), 48, (1, 1), {}),
    "3x3": ((2, 32, 9, 10), 40, (3, 3), {"padding": (1, 1)}),
    "128 channels": ((1, 128, 5, 7), 132, (3, 3), {"padding": (1, 2), "stride": (1, 2)}),
    "stem": ((1, 3, 21, 21), 16, (7, 7), {"padding": (3, 3), "stride": (2, 2)}),
    "dilated": ((1, 20, 12, 9), 9, (3, 2), {"dilation": (2, 3), "padding": (2, 0)}),
    "groups": ((2, 64, 6, 6), 32, (3, 3), {"groups": 2, "padding": (1, 1)}),
    "3d": ((1, 16, 5, 6, 7), 20, (3, 1, 2), {"padding": (1, 0, 1), "stride": (2, 1, 1)}),
}


KINDS = [(trt.int8, "float16"), (trt.fp8, "int8")]


@pytest.mark.parametrize(("narrow", "result"), KINDS, ids=str)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(logger, name, narrow, result):
    shape, maps, window, arguments = CONVOLUTIONS[name]
    rank = len(window)
    stride = arguments.get("stride", (1,) * rank)
    padding = arguments.get("padding", (0,) * rank)
    dilation = arguments.get("dilation", (1,) * rank)
    groups = arguments.get("groups", 1)
    net = Net(logger, narrow, trt.float16)
    x, a = net.input("x", shape)
    w, b = net.weights((maps, shape[1] // groups, *window), 0)
    bias = net.integers(maps).astype(np.float16)
    net.kept.append(bias)
    layer = net.network.add_convolution_nd(x, maps, window, trt.Weights(), trt.Weights(bias))
    layer.set_input(1, w)
    layer.stride_nd, layer.padding_nd, layer.dilation_nd = stride, padding, dilation
    layer.num_groups = groups
    y = net.network.add_activation(layer.get_output(0), trt.ActivationType.RELU).get_output(0)
    want = convolved(a, b, stride, padding, dilation, groups)
    want = np.maximum(want + bias.astype(float).reshape(-1, *(1,) * rank), 0)
    if result == "int8":
        net.result(net.quantized(y, 2.0), to_int8(want, 2.0))
        return
    kernels = net.result(y, want)
    if shape[1] % 16 == 0 and groups == 1 and rank == 2:
        assert "cuda/region_quantized_warpgroups" in kernels


@pytest.mark.parametrize("rows", [1, 17, 200])
def test_dynamic_rows(logger, rows):
    net = Net(logger)
    x, a = net.input("x", (rows, 64), declared=(-1, 64))
    w, b = net.weights((64, 24), 1)
    profile = net.builder.create_optimization_profile()
    profile.set_shape("x", (1, 64), (32, 64), (200, 64))
    net.config.add_optimization_profile(profile)
    net.result(net.network.add_matrix_multiply(x, NONE, w, NONE).get_output(0), a @ b)


@pytest.mark.parametrize("shape", [(0, 16, 8), (4, 16, 0)], ids=str)
def test_empty_results(logger, shape):
    m, k, n = shape
    net = Net(logger)
    x, a = net.input("x", (m, k))
    w, b = net.input("w", (k, n))
    y = net.network.add_matrix_multiply(x, NONE, w, NONE).get_output(0)
    net.result(y, a @ b, kernel=None)


def test_sums_of_no_terms(logger):
    net = Net(logger)
    x, _ = net.input("x", (3, 0))
    w, _ = net.input("w", (0, 5))
    y = net.network.add_matrix_multiply(x, NONE, w, NONE).get_output(0)
    net.result(y, np.zeros((3, 5)), kernel=None)


def test_small_groups_stay_in_floats(logger):
    """Depthwise convolutions fill no tiles: the weights are dequantized when the plan is built."""
    net = Net(logger)
    x, a = net.input("x", (1, 8, 5, 5))
    w, b = net.weights((8, 1, 3, 3), 0)
    layer = net.network.add_convolution_nd(x, 8, (3, 3), trt.Weights(), trt.Weights())
    layer.set_input(1, w)
    layer.num_groups = 8
    want = convolved(a, b, (1, 1), (0, 0), (1, 1), 8)
    net.result(layer.get_output(0), want, kernel=None)


def packed_int4(numbers):
    """Two numbers in a byte, the first one in the low bits."""
    pairs = numbers.reshape(-1, 2) & 15
    return (pairs[:, 0] | pairs[:, 1] << 4).astype(np.uint8)


FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def narrow_weights(net, kind, shape):
    """A constant of this type, and its numbers."""
    if kind == trt.fp4:
        codes = net.rng.integers(0, 16, shape)
        bits, numbers = packed_int4(codes), FP4[codes]
    elif kind == trt.int4:
        numbers = net.rng.integers(-8, 8, shape)
        bits = packed_int4(numbers)
    else:
        net.narrow = kind
        numbers = net.integers(shape)
        bits = net.codes(numbers)
    net.kept.append(bits)
    weights = trt.Weights(kind, bits.ctypes.data, numbers.size)
    return net.network.add_constant(shape, weights).get_output(0), numbers


NARROW = "cuda/region_narrow_weights"


@pytest.mark.parametrize("kind", [trt.int4, trt.fp4, trt.int8, trt.fp8], ids=str)
@pytest.mark.parametrize(("rows", "transposed"), [(1, False), (20, True), (64, False)])
def test_narrow_weights(logger, kind, rows, transposed):
    """Rows of float16 by weights with a scale for each block of 16 terms."""
    net = Net(logger, kind, trt.float16)
    k, n = 208, 72
    x = net.network.add_input("x", trt.float16, (rows, k))
    a = net.inputs["x"] = net.rng.integers(-2, 3, (rows, k)).astype(np.float16)
    w, numbers = narrow_weights(net, kind, (n, k) if transposed else (k, n))
    scales = net.rng.choice([0.25, 0.5], (n, k // 16) if transposed else (k // 16, n))
    wide = net.network.add_dequantize(w, net.numbers(scales), trt.float16).get_output(0)
    b = numbers * np.repeat(scales, 16, axis=1 if transposed else 0)
    operation = TRANSPOSE if transposed else NONE
    y = net.network.add_matrix_multiply(x, NONE, wide, operation).get_output(0)
    bias = net.integers((1, n)) if kind in (trt.int8, trt.fp8) else np.ones((1, n))
    y = net.network.add_elementwise(y, net.numbers(bias), SUM).get_output(0)
    want = a.astype(float) @ (b.T if transposed else b) + bias
    net.result(y, want, kernel=NARROW, tolerance=4e-3)


@pytest.mark.parametrize("scale", ["one", "columns", "terms"])
@pytest.mark.parametrize("shape", [(3, 1, 40, 33), (2, 3, 77, 8)], ids=str)
def test_scales_of_narrow_weights(logger, shape, scale):
    """Also rows that are not aligned, columns that fill no tile, and batches of rows."""
    net = Net(logger, trt.int8, trt.float16)
    batch, rows, k, n = shape
    x = net.network.add_input("x", trt.float16, (batch, rows, k))
    a = net.inputs["x"] = net.rng.integers(-2, 3, (batch, rows, k)).astype(np.float16)
    w, numbers = narrow_weights(net, trt.int8, (1, k, n))
    axis = {"one": -1, "columns": 2, "terms": 1}[scale]
    scales = net.rng.choice([0.25, 0.5], () if axis < 0 else (1, k, n)[axis])
    b = numbers * (scales if axis < 0 else scales.reshape((-1, 1) if axis == 1 else (1, -1)))
    wide = net.dequantized(w, scales, axis)
    y = net.network.add_matrix_multiply(x, NONE, wide, NONE).get_output(0)
    net.result(y, a.astype(float) @ b, kernel=None if scale == "terms" else NARROW)


def test_many_rows_of_narrow_weights(logger):
    """They are dequantized when the plan is built: float16 products are faster then."""
    net = Net(logger, trt.int8, trt.float16)
    x = net.network.add_input("x", trt.float16, (200, 64))
    a = net.inputs["x"] = net.rng.integers(-2, 3, (200, 64)).astype(np.float16)
    w, numbers = narrow_weights(net, trt.int8, (64, 32))
    y = net.network.add_matrix_multiply(x, NONE, net.dequantized(w, 0.5), NONE).get_output(0)
    kernels = net.result(y, a.astype(float) @ numbers * 0.5, kernel=None)
    assert NARROW not in kernels


def test_times_decide(logger, monkeypatch):
    """Whichever kernels are faster here, the numbers are the same."""
    monkeypatch.delenv("KILN_KEEP_QUANTIZED")
    net = Net(logger, trt.int8, trt.float16)
    x, a = net.input("x", (2, 32, 9, 10))
    w, b = net.weights((16, 32, 3, 3), 0)
    layer = net.network.add_convolution_nd(x, 16, (3, 3), trt.Weights(), trt.Weights())
    layer.set_input(1, w)
    want = convolved(a, b, (1, 1), (0, 0), (1, 1), 1)
    net.result(layer.get_output(0), want, kernel=None)
