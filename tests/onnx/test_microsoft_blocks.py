# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Fused blocks of com.microsoft: experts, gates, biases of positions, quantized embeddings.

Results are those of ONNX Runtime, or of NumPy where it has none on the CPU.
"""

import numpy as np
import pytest
from test_against_onnxruntime import compare, real
from test_microsoft_operators import result_of

NUMBERS = np.random.default_rng(5)


def near(found, wanted, tolerance=1e-4):
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


TOKENS, WIDTH, INNER, EXPERTS = 5, 16, 32, 4


def experts_of(activation, fusion):
    outer = INNER * 2 if activation == "swiglu" and fusion else INNER
    return [
        real(EXPERTS, outer, WIDTH) * 0.3,
        real(EXPERTS, outer),
        real(EXPERTS, WIDTH, INNER) * 0.3,
        real(EXPERTS, WIDTH),
    ]


@pytest.mark.parametrize("normalizes", [0, 1])
@pytest.mark.parametrize("activation", ["relu", "gelu", "silu", "identity"])
def test_experts(activation, normalizes):
    inputs = [real(TOKENS, WIDTH), real(TOKENS, EXPERTS), *experts_of(activation, 0)]
    attributes = {"k": 2, "activation_type": activation, "normalize_routing_weights": normalizes}
    compare("MoE", inputs, **attributes)


@pytest.mark.parametrize("limit", [None, 0.7])
def test_gated_experts(limit):
    inputs = [real(2, TOKENS, WIDTH), real(2 * TOKENS, EXPERTS), *experts_of("swiglu", 1)]
    attributes = {"k": 2, "activation_type": "swiglu", "swiglu_fusion": 1}
    attributes |= {"activation_alpha": 1.7, "activation_beta": 1.0}
    if limit:
        attributes["swiglu_limit"] = limit
    compare("MoE", inputs, **attributes, normalize_routing_weights=1)


@pytest.mark.parametrize("fusion", [0, 2])
def test_gated_experts_apart(fusion):
    x, router = real(TOKENS, WIDTH), real(TOKENS, EXPERTS)
    first, firstBias, second, secondBias = experts_of("swiglu", 2)
    halves = [first[:, :INNER], firstBias[:, :INNER], first[:, INNER:], firstBias[:, INNER:]]
    gate, gateBias, up, upBias = [np.ascontiguousarray(half) for half in halves]
    inputs = [x, router, first, firstBias, second, secondBias]
    if fusion == 0:
        inputs = [x, router, gate, gateBias, second, secondBias, up, upBias]
    attributes = {"k": 1, "activation_type": "swiglu", "swiglu_fusion": fusion}
    (found,) = result_of("MoE", inputs, **attributes, activation_alpha=1.0)
    wanted = np.zeros_like(x)
    for token, scores in enumerate(softmax(router)):
        e = scores.argmax()
        g = gate[e] @ x[token] + gateBias[e]
        inner = g * sigmoid(g) * (up[e] @ x[token] + upBias[e])
        wanted[token] = scores[e] * (second[e] @ inner + secondBias[e])
    near(found, wanted)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("block", [0, 16])
@pytest.mark.parametrize("bits", [4, 8])
def test_quantized_experts(bits, block, zeros):
    def packed(*shape):
        return NUMBERS.integers(0, 256, (*shape[:-1], shape[-1] * bits // 8)).astype(np.uint8)

    def scales(rows, columns):
        shape = (EXPERTS, rows, columns // block) if block else (EXPERTS, rows)
        return np.abs(real(*shape)) * 0.1 * 16 / 2**bits

    def points(rows, columns):
        shape = (EXPERTS, rows, columns // block) if block else (EXPERTS, rows)
        return packed(*shape) if zeros else None

    inputs = [
        real(TOKENS, 32),
        real(TOKENS, EXPERTS),
        packed(EXPERTS, 2 * INNER, 32),
        scales(2 * INNER, 32),
        real(EXPERTS, 2 * INNER),
        packed(EXPERTS, 32, INNER),
        scales(32, INNER),
        real(EXPERTS, 32),
        None,
        None,
        None,
        points(2 * INNER, 32),
        points(32, INNER),
    ]
    inputs = inputs if zeros else inputs[:8]
    attributes = {"k": 2, "activation_type": "swiglu", "swiglu_fusion": 1}
    attributes |= {"expert_weight_bits": bits, "normalize_routing_weights": 1}
    attributes |= {"activation_alpha": 1.2, "activation_beta": 1.0}
    if block:
        attributes["block_size"] = block
    compare("QMoE", inputs, constants=True, tolerance=2e-3, **attributes)


@pytest.mark.parametrize("kind", [0, 1], ids=["fp4", "nf4"])
@pytest.mark.parametrize("rows, columns", [(12, 32), (5, 24)])
def test_matmul_of_bitsandbytes(kind, rows, columns):
    block = 16
    packed = NUMBERS.integers(0, 256, (rows * columns + 1) // 2).astype(np.uint8)
    largest = np.abs(real((rows * columns + block - 1) // block))
    attributes = {"K": columns, "N": rows, "block_size": block, "quant_type": kind}
    compare("MatMulBnb4", [real(2, 3, columns), packed, largest], constants=True, **attributes)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("segmented", [False, True])
def test_quantized_embedding(segmented, masked):
    ids = np.array([[1, 3, 0], [2, 2, 1]], np.int32)
    segments = np.array([[0, 0, 1], [0, 1, 1]], np.int32)
    mask = np.array([[1, 1, 1], [1, 1, 0]], np.int32)

    def table(*shape):
        return NUMBERS.integers(0, 256, shape).astype(np.uint8)

    scales = [np.array(0.01 + 0.01 * i, np.float32) for i in range(5)]
    zeros = [np.array(100 + i, np.uint8) for i in range(5)]
    inputs = [ids, segments, table(5, 8), table(4, 8), table(2, 8), table(8), table(8)]
    inputs += [mask if masked else None, *scales, *zeros]
    if not segmented:
        inputs[1] = inputs[4] = inputs[10] = inputs[15] = None
    compare("QEmbedLayerNormalization", inputs, ["y", "m"])


@pytest.mark.parametrize("both", [0, 1])
def test_relative_bias(both):
    buckets, heads, farthest, length = 8, 3, 20, 30
    table = real(buckets, heads)
    sizes = [np.array([length], np.int64)] * 2
    attributes = {"max_distance": farthest, "is_bidirectional": both}
    found = constant_lengths(table, sizes, attributes)
    distance = np.arange(length)[None] - np.arange(length)[:, None]
    side = (distance > 0) * (buckets // 2) if both else 0
    back = np.abs(distance) if both else np.maximum(-distance, 0)
    share = buckets // 2 if both else buckets
    exact = share // 2
    growth = np.log(np.maximum(back, 1) / exact) / np.log(farthest / exact) * (share - exact)
    far = np.minimum(exact + np.trunc(growth), share - 1)
    wanted = table[(np.where(back < exact, back, far) + side).astype(int)]
    near(found, wanted.transpose(2, 0, 1)[None])


def constant_lengths(table, sizes, attributes):
    import node_suite
    from test_against_onnxruntime import MS, model_of

    model = model_of("RelativePositionBias", [table, *sizes], ["y"], MS, attributes)
    model, given = node_suite.with_constants(model, [table, *sizes])
    return node_suite.run(model, given, node_suite.Messages())[0]


def test_gated_relative_bias():
    batch, length, heads, size, parts = 2, 5, 3, 4, 8
    query, bias = real(batch, length, heads * size), real(heads * size)
    position, weight, offset = real(1, heads, length, length), real(size, parts), real(parts)
    factor = real(1, heads, 1, 1)
    inputs = [query, bias, position, weight, offset, factor]
    (found,) = result_of("GatedRelativePositionBias", inputs, num_heads=heads)
    rows = (query + bias).reshape(batch, length, heads, size).transpose(0, 2, 1, 3)
    sums = (rows @ weight + offset).reshape(batch, heads, length, 2, parts // 2).sum(-1)
    u, r = sigmoid(sums[..., :1]), sigmoid(sums[..., 1:])
    near(found, (u * (r * factor - 1) + 2) * position)


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("rank", [3, 4])
def test_rotary_of_three_positions(layout, rank):
    batch, length, heads, size, rotated = 2, 4, 2, 16, 12
    sections = [2, 2, 2]
    cosines, sines = real(20, rotated // 2), real(20, rotated // 2)
    positions = NUMBERS.integers(0, 20, (3, batch, length)).astype(np.int64)
    x = real(batch, heads, length, size)
    packed = np.ascontiguousarray(x.transpose(0, 2, 1, 3).reshape(batch, length, -1))
    streams = [0, 0, 1, 1, 2, 2] if layout == 0 else [0, 1, 2, 0, 1, 2]
    attributes = {"mrope_section": sections, "mrope_layout": layout, "num_heads": heads}
    attributes["rotary_embedding_dim"] = rotated
    inputs = [x if rank == 4 else packed, positions, cosines, sines]
    (found,) = result_of("MRotaryEmbedding", inputs, **attributes)
    pick = [cache[positions][streams, :, :, range(6)] for cache in (cosines, sines)]
    c, s = [part.transpose(1, 2, 0)[:, None] for part in pick]
    a, b, rest = x[..., :6], x[..., 6:12], x[..., 12:]
    wanted = np.concatenate([a * c - b * s, b * c + a * s, rest], -1)
    if rank == 3:
        wanted = wanted.transpose(0, 2, 1, 3).reshape(batch, length, -1)
    near(found, wanted)


def test_rotary_of_gemma():
    angles, q, k = real(2, 5, 8), real(2, 3, 5, 8), real(2, 3, 5, 8)
    halves = [np.concatenate([-x[..., 4:], x[..., :4]], -1) for x in (q, k)]
    found = result_of("GemmaRotaryEmbedding", [angles, q, halves[0], k, halves[1]], ["a", "b"])
    for result, x, half in zip(found, (q, k), halves, strict=True):
        near(result, x * np.cos(angles)[:, None] + half * np.sin(angles)[:, None])


def root(x, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)


@pytest.mark.parametrize("activation", ["silu", "sigmoid"])
def test_gated_norm(activation):
    x, scale, gate = real(2, 3, 12), real(4), real(2, 3, 12)
    inputs = [x, scale, gate]
    (found,) = result_of("GatedRMSNorm", inputs, activation=activation, epsilon=1e-5)
    wanted = (root(x.reshape(2, 3, 3, 4), 1e-5) * scale).reshape(x.shape) * sigmoid(gate)
    near(found, wanted * gate if activation == "silu" else wanted)


@pytest.mark.parametrize("scale", [None, (12,), (3, 4), (4,)])
@pytest.mark.parametrize("flat", [False, True])
def test_norm_of_branches(flat, scale):
    x = real(2, 12) if flat else real(2, 3, 4)
    factor = None if scale is None else real(*scale)
    attributes = {"num_branches": 3} if flat else {}
    (found,) = result_of("BranchwiseRMSNorm", [x, factor], **attributes, epsilon=1e-5)
    wanted = root(x.reshape(2, 3, 4), 1e-5)
    if factor is not None:
        wanted = wanted * (factor.reshape(3, 4) if factor.size == 12 else factor)
    near(found, wanted.reshape(x.shape))


def test_gates():
    x, y, gate = real(2, 3, 4), real(2, 3, 4), real(2, 3, 1)
    near(result_of("GatedAdd", [x, y, gate])[0], x + y * gate)
    near(result_of("ScaledSiLU", [x], alpha=1.5)[0], 1.5 * x * sigmoid(1.5 * x))
    half = np.array(0.5, np.float32)
    near(result_of("ScaledSiLU", [x, half])[0], 0.5 * x * sigmoid(0.5 * x))
    a, bias, scale, b = real(2, 3, 4), real(4), -np.abs(real(4)), real(2, 3, 4)
    decay, rate = result_of("LinearAttentionGate", [a, bias, scale, b], ["d", "r"])
    near(decay, scale * np.log1p(np.exp(a + bias)))
    near(rate, sigmoid(b))
