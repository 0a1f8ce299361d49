# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of com.microsoft: results are those of ONNX Runtime, or of NumPy where it has none."""

import node_suite
import numpy as np
import onnx_lab as lab
import pytest
from test_against_onnxruntime import MS, compare, model_of, real

import onnx

NUMBERS = np.random.default_rng(11)


def small(*shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return NUMBERS.integers(info.min // 2, info.max // 2, shape).astype(dtype)


def scale(value):
    return np.array(value, np.float32)


def zero(value, dtype=np.uint8):
    return np.array(value, dtype)


def result_of(op, inputs, outputs=("y",), **attributes):
    """What Kiln computes, for operators that ONNX Runtime has on GPUs alone."""
    model = model_of(op, inputs, list(outputs), MS, attributes)
    given = [x for x in inputs if x is not None]
    return node_suite.run(model, given, node_suite.Messages())


@pytest.mark.parametrize(
    "activation, parameters",
    [
        ("Relu", None),
        ("Tanh", None),
        ("Sigmoid", None),
        ("LeakyRelu", [0.2]),
        ("Clip", [-0.3, 0.4]),
        ("HardSigmoid", [0.3, 0.4]),
    ],
)
@pytest.mark.parametrize("adds", [False, True])
def test_fused_conv(activation, parameters, adds):
    attributes = {"activation": activation, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    if parameters:
        attributes["activation_params"] = parameters
    inputs = [real(2, 3, 5, 5), real(4, 3, 3, 3), real(4)] + ([real(2, 4, 5, 5)] if adds else [])
    compare("FusedConv", inputs, **attributes)


def test_nhwc_conv():
    x, weights, bias = real(2, 5, 6, 3), real(4, 3, 2, 3), real(4)
    first = result_of("NhwcConv", [x, weights, bias], kernel_shape=[3, 2], pads=[1, 0, 1, 0])
    plain = model_of(
        "Conv",
        [x.transpose(0, 3, 1, 2), weights.transpose(0, 3, 1, 2), bias],
        ["y"],
        "",
        {"kernel_shape": [3, 2], "pads": [1, 0, 1, 0]},
    )
    inputs = [x.transpose(0, 3, 1, 2), weights.transpose(0, 3, 1, 2), bias]
    (wanted,) = node_suite.run(plain, inputs, node_suite.Messages())
    np.testing.assert_allclose(first[0], wanted.transpose(0, 2, 3, 1), rtol=1e-4, atol=1e-4)


def group_norm(x, gamma, beta, groups, silu):
    """Channels last."""
    n, channels = x.shape[0], x.shape[-1]
    data = np.moveaxis(x, -1, 1).reshape(n, groups, -1).astype(np.float64)
    mean = data.mean(-1, keepdims=True)
    deviation = np.sqrt(data.var(-1, keepdims=True) + 1e-5)
    shape = (n, channels, *x.shape[1:-1])
    result = np.moveaxis(((data - mean) / deviation).reshape(shape), 1, -1) * gamma + beta
    return result / (1 + np.exp(-result)) if silu else result


@pytest.mark.parametrize("silu", [0, 1])
@pytest.mark.parametrize("groups", [1, 4, 8])
@pytest.mark.parametrize("last", [0, 1])
def test_group_norm(groups, silu, last):
    x, gamma, beta = real(2, 5, 3, 8), real(8), real(8)
    given = x if last else np.ascontiguousarray(np.moveaxis(x, -1, 1))
    attributes = {"groups": groups, "activation": silu, "channels_last": last, "epsilon": 1e-5}
    (found,) = result_of("GroupNorm", [given, gamma, beta], **attributes)
    wanted = group_norm(x, gamma, beta, groups, silu)
    wanted = wanted if last else np.moveaxis(wanted, -1, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(2, 5, 3, 8), (2, 1, 1, 8), (2, 8)])
def test_skip_group_norm(shape):
    x, gamma, beta, skip, bias = real(2, 5, 3, 8), real(8), real(8), real(*shape), real(8)
    y, total = result_of(
        "SkipGroupNorm", [x, gamma, beta, skip, bias], ["y", "s"], groups=4, activation=1
    )
    wide = skip.reshape(2, 1, 1, 8) if len(shape) == 2 else skip
    np.testing.assert_allclose(total, x + wide + bias, rtol=1e-5, atol=1e-5)
    wanted = group_norm(x + wide + bias, gamma, beta, 4, True)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-4)


def softmax(x, axes):
    powers = np.exp(x - x.max(axes, keepdims=True))
    return powers / powers.sum(axes, keepdims=True)


@pytest.mark.parametrize("axis, axes", [(3, (3,)), (2, (2, 3)), (-1, (3,))])
def test_bias_softmax(axis, axes):
    x, bias = real(2, 3, 4, 5), real(2, 1, 1, 5)
    (found,) = result_of("BiasSoftmax", [x, bias], axis=axis, is_inner_broadcast=0)
    np.testing.assert_allclose(found, softmax(x + bias, axes), rtol=1e-5, atol=1e-6)


def test_bias_dropout():
    x, bias, residual = real(2, 3, 8), real(8), real(2, 3, 8)
    (found,) = result_of("BiasDropout", [x, bias, residual])
    np.testing.assert_allclose(found, x + bias + residual, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("upper", [0, 1])
def test_trilu(upper):
    compare("Trilu", [real(2, 4, 5), np.array(1, np.int64)], upper=upper)


@pytest.mark.parametrize("transposed", [0, 1])
@pytest.mark.parametrize("by_channel", [False, True])
@pytest.mark.parametrize("to_float", [False, True])
def test_qgemm(transposed, by_channel, to_float):
    a, b = small(4, 6), small(7, 6, dtype=np.int8) if transposed else small(6, 7, dtype=np.int8)
    b_scale = (NUMBERS.random(7) * 0.02 + 0.01).astype(np.float32) if by_channel else scale(0.02)
    b_zero = np.zeros(7, np.int8) if by_channel else zero(3, np.int8)
    c = NUMBERS.integers(-500, 500, (4, 7)).astype(np.int32)
    inputs = [a, scale(0.03), zero(100), b, b_scale, b_zero, c]
    inputs += [] if to_float else [scale(0.5), zero(120)]
    compare("QGemm", inputs, step=0 if to_float else 1, transB=transposed, alpha=1.0)


@pytest.mark.parametrize("counts", [0, 1])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_qlinear_average_pool(counts, dtype):
    inputs = [small(1, 3, 6, 7, dtype=dtype), scale(0.03), zero(10, dtype), scale(0.02)]
    attributes = {"kernel_shape": [3, 2], "pads": [1, 1, 1, 0], "strides": [2, 1]}
    compare(
        "QLinearAveragePool",
        [*inputs, zero(7, dtype)],
        step=1,
        count_include_pad=counts,
        **attributes,
    )


def test_qlinear_where():
    condition = NUMBERS.random((2, 5)) > 0.5
    inputs = [condition, small(2, 5), scale(0.03), zero(10), small(1, 5), scale(0.05), zero(20)]
    compare("QLinearWhere", [*inputs, scale(0.04), zero(3)], step=1)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
def test_quantize_and_dequantize(dtype):
    x = (real(3, 4) * 5).astype(np.float32)
    compare("QuantizeLinear", [x, scale(0.03), zero(5, dtype)])
    compare("DequantizeLinear", [small(3, 4, dtype=dtype), scale(0.03), zero(5, dtype)])


@pytest.mark.parametrize(
    ("domain", "owner"),
    [
        ("com.microsoft", "ONNX Runtime"),
        (
            "com.microsoft.nchwc",
            "ONNX Runtime (its level ORT_ENABLE_ALL writes layouts of one kind of processor; "
            "ORT_ENABLE_EXTENDED does not)",
        ),
        ("ai.onnx.ml", "the part of ONNX for trees and tables"),
        ("ai.onnx.preview", "a part of ONNX that is for training or not final"),
        ("someone", ""),
    ],
)
def test_operators_that_others_own(domain, owner):
    node = onnx.helper.make_node("Absent", ["x"], ["y"], domain=domain)
    values = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in "xy"]
    graph = onnx.helper.make_graph([node], "g", values[:1], values[1:])
    imports = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid(domain, 1)]
    (error,) = lab.refused(onnx.helper.make_model(graph, opset_imports=imports))
    named = f"operator Absent of {domain} belongs to {owner} and is not supported"
    assert (named if owner else "no plugin creator is registered") in error.desc()
