# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plain operators of com.microsoft: channels last, distances, complex numbers, integers, crops."""

import numpy as np
import pytest
from test_against_onnxruntime import compare, real
from test_microsoft_operators import result_of, small

NUMBERS = np.random.default_rng(6)


def near(found, wanted, tolerance=1e-4):
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("ceil", [0, 1])
def test_pool_with_channels_last(dtype, ceil):
    attributes = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
    x = small(2, 6, 7, 3, dtype=dtype)
    compare("NhwcMaxPool", [x], **attributes, ceil_mode=ceil)


@pytest.mark.parametrize("adds", [False, True])
def test_fused_convolution_with_channels_last(adds):
    x, weights, bias, residual = real(2, 6, 7, 4), real(6, 2, 3, 3), real(6), real(2, 6, 7, 6)
    attributes = {"pads": [1, 1, 1, 1], "group": 2, "activation": "Relu"}
    inputs = [x, weights, bias] + ([residual] if adds else [])
    (found,) = result_of("NhwcFusedConv", inputs, **attributes)
    first = [np.ascontiguousarray(t.transpose(0, 3, 1, 2)) for t in (x, residual)]
    inputs = [first[0], weights, bias] + ([first[1]] if adds else [])
    (wanted,) = result_of("FusedConv", inputs, **attributes)
    near(found, wanted.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_distances(metric):
    compare("CDist", [real(5, 6), real(4, 6)], metric=metric)


def pairs(x):
    return x[..., 0] + 1j * x[..., 1]


@pytest.mark.parametrize("conjugates", [False, True])
def test_complex_products(conjugates):
    a, b = real(2, 3, 2), real(3, 2)
    (found,) = result_of("ComplexMulConj" if conjugates else "ComplexMul", [a, b])
    near(pairs(found), pairs(a) * (pairs(b).conj() if conjugates else pairs(b)))


@pytest.mark.parametrize("length", [8, 10])
def test_real_transforms(length):
    x = real(2, 3, length)
    attributes = {"signal_ndim": 1, "normalized": 0, "onesided": 1}
    (bins,) = result_of("Rfft", [x], **attributes)
    near(pairs(bins), np.fft.rfft(x))
    (back,) = result_of("Irfft", [bins], **attributes)
    near(back, x)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("step", [1, 2])
def test_unfold(axis, step):
    compare("UnfoldTensor", [real(5, 6, 7)], dim=axis, size=3, step=step)


def test_integers():
    left = NUMBERS.integers(-30000, 30000, (2, 3, 4)).astype(np.int16)
    right = NUMBERS.integers(-30000, 30000, (4, 5)).astype(np.int16)
    (found,) = result_of("MatMulInteger16", [left.astype(np.int32), right.astype(np.int32)])
    np.testing.assert_array_equal(found, left.astype(np.int32) @ right.astype(np.int32))
    x = small(2, 3, 4)
    (found,) = result_of("ReduceSumInteger", [x], axes=[1], keepdims=0)
    np.testing.assert_array_equal(found, x.astype(np.int32).sum(1))
    y, zero = small(3, 4), np.array(7, np.uint8)
    (found,) = result_of("MulInteger", [x, zero, y])
    np.testing.assert_array_equal(found, (x.astype(np.int32) - 7) * y)


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(4, 5), (1, 3)])
def test_crops(mode, size):
    boxes = np.array([[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.9], [0.6, 0.3, 1.3, -0.2]], np.float32)
    images = np.array([0, 1, 1], np.int32)
    inputs = [real(2, 3, 6, 8), boxes, images, np.array(size, np.int32)]
    compare("CropAndResize", inputs, constants=True, mode=mode, extrapolation_value=0.25)


def test_all_finite():
    x = real(3, 4)
    odd, far = x.copy(), x.copy()
    odd[1, 2], far[2, 1] = np.nan, -np.inf
    for inputs, attributes, wanted in [
        ([x, real(5)], {}, True),
        ([x, odd], {}, False),
        ([far, x], {}, False),
        ([far], {"isnan_only": 1}, True),
        ([odd], {"isinf_only": 1}, True),
    ]:
        (found,) = result_of("IsAllFinite", inputs, **attributes)
        assert found.shape == () and bool(found) == wanted


def test_products():
    x, weights, bias = real(2, 3, 8), real(8, 5), real(5)
    (found,) = result_of("GemmFastGelu", [x, weights, bias])
    y = x @ weights + bias
    near(found, 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3))))
    attributes = {"activation": "Relu", "alpha": 0.5, "transB": 1}
    (found,) = result_of("FusedMatMulActivation", [x, weights.T.copy()], **attributes)
    near(found, np.maximum(0.5 * (x @ weights), 0))


def test_forms_of_standard_operators():
    x = real(3, 4)
    compare("Pad", [x, np.array([1, 0, 0, 2], np.int64), np.float32([1.5])[0:1]], constants=True)
    compare("Range", [np.array(1, np.int64), np.array(9, np.int64)], constants=True)
    compare("ExpandDims", [x, np.array(1, np.int32)], constants=True)
    compare("GatherND", [x, np.array([[0, 1], [2, 3]], np.int64)])
    compare("Unique", [np.float32([2, 1, 1, 3, 4, 3])], ["y", "i", "n"])
    grid = np.clip(real(1, 4, 5, 2), -1.2, 1.2)
    compare("GridSample", [real(1, 2, 6, 7), grid], mode="bilinear", align_corners=1)
    (found,) = result_of("TorchEmbedding", [x, np.array([[2, 0]], np.int64)])
    np.testing.assert_array_equal(found, x[[[2, 0]]])
