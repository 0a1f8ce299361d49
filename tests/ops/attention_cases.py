# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention: masks, causal kinds, grouped heads, lengths, packed sequences, quantized weights."""

from itertools import pairwise

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

NONE, UPPER, LOWER = (
    trt.CausalMaskKind.NONE,
    trt.CausalMaskKind.UPPER_LEFT,
    trt.CausalMaskKind.LOWER_RIGHT,
)
SOFTMAX, PLAIN = trt.AttentionNormalizationOp.SOFTMAX, trt.AttentionNormalizationOp.NONE
PACKED = trt.AttentionIOForm.PACKED_NHD
# Scores of up to 8 and weights are rounded to float16 where an attention is several kernels.
ATOL = {np.float32: 4e-6, np.float16: 8e-3}


def _one(q, k, v, seen, added, norm, quantized):
    """Attention of one sequence: [heads, length, size], of as many heads of keys."""
    scores = q @ k.swapaxes(1, 2) + added
    if norm == PLAIN:
        weights = np.where(seen, scores, 0.0)
    else:
        scores = np.where(seen, scores, -np.inf)
        most = np.max(scores, axis=2, keepdims=True, initial=-1e30)
        weights = np.exp(scores - most)
        total = weights.sum(axis=2, keepdims=True)
        weights = np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)
    if quantized:
        weights = np.clip(np.round(weights / quantized), -128, 127) * quantized
    return weights @ v


def _seen(queries, keys, causal):
    i, j = np.arange(queries)[:, None], np.arange(keys)
    if causal == NONE:
        return np.ones((queries, keys), bool)
    return j <= i + (keys - queries if causal == LOWER else 0)


def _attend(q, k, v, mask=None, causal=NONE, norm=SOFTMAX, quantized=None):
    """The same for lists of sequences, whose heads of keys may be fewer."""
    results = []
    for b, (x, y, z) in enumerate(zip(q, k, v, strict=True)):
        group = x.shape[0] // max(y.shape[0], 1)
        y, z = np.repeat(y, group, 0), np.repeat(z, group, 0)
        seen, added = _seen(x.shape[1], y.shape[1], causal), 0.0
        if mask is not None:
            own = mask[b % len(mask)][:, : x.shape[1], : y.shape[1]]
            seen, added = (seen & own, 0.0) if own.dtype == bool else (seen, own)
        results.append(_one(x, y, z, seen, added, norm, quantized))
    return results


def _sequences(x, lengths, packed):
    if packed:
        return [x[begin:end].swapaxes(0, 1) for begin, end in pairwise(lengths)]
    return [x[b, :, :n] for b, n in enumerate(lengths)] if lengths is not None else list(x)


def _formula(x, masked, causal, norm, quantized, lengths, packed):
    q, k, v = x[:3]
    own = [_sequences(t, lengths[i > 0], packed[i > 0]) for i, t in enumerate((q, k, v))]
    results = _attend(*own, x[3] if masked else None, causal, norm, quantized)
    if packed[0]:
        return np.concatenate([r.swapaxes(0, 1) for r in results]) if results else q
    whole = np.zeros((*q.shape[:3], v.shape[-1]))
    for b, result in enumerate(results):
        whole[b, :, : result.shape[1]] = result
    return whole


def _constant(network, values):
    values = np.array(values, np.int32)
    return network.add_constant(values.shape, values).get_output(0)


def _layer(network, x, masked, causal, norm, quantized, lengths, packed):
    attention = network.add_attention_v2(*x[:3], norm, causal)
    if masked:
        attention.mask = x[3]
    if packed[0]:
        attention.query_form = PACKED
    if packed[1]:
        attention.key_value_form = PACKED
    if lengths[0] is not None:
        attention.query_lengths = _constant(network, lengths[0])
    if lengths[1] is not None:
        attention.key_value_lengths = _constant(network, lengths[1])
    if quantized:
        scale = network.add_constant((), np.array(quantized, np.float32)).get_output(0)
        attention.normalization_quantize_scale = scale
        attention.normalization_quantize_to_type = trt.int8
    return attention


def _cases(name, shapes, mask=None, causal=NONE, norm=SOFTMAX, quantized=None,
           lengths=(None, None), packed=(False, False), atol=0.0):  # fmt: skip
    """A case for each type. mask: the type of input 3."""
    settings = (mask is not None, causal, norm, quantized, lengths, packed)
    return [
        Case(
            f"{name}_{dtype.__name__}", shapes,
            lambda network, x, _: _layer(network, x, *settings).get_output(0),
            lambda x: _formula(x, *settings), types=(dtype,), low=-1.0, high=1.0,
            atol=max(atol, ATOL[dtype]), others={3: (np.bool_, 0, 1)} if mask is bool else {},
        )
        for dtype in (np.float32, np.float16)
    ]  # fmt: skip


def _shapes(batch, heads, queries, keys, size, own=None, wide=None, mask=None):
    """Query, key, value and mask. own: heads of keys; wide: size of values."""
    key = (batch, own or heads, keys, size)
    shapes = ((batch, heads, queries, size), key, (*key[:3], wide or size))
    return (*shapes, mask) if mask is not None else shapes


TWO = [_shapes(2, 4, 5, 7, 8), _shapes(1, 4, 9, 3, 8)]
CASES = [
    *_cases("plain", TWO),
    *_cases("one_query", [_shapes(2, 4, 1, 33, 16)]),
    *_cases("wide_values", [_shapes(2, 3, 5, 7, 8, wide=20)]),
    *_cases("grouped_heads", [_shapes(2, 6, 5, 7, 8, own=2), _shapes(1, 6, 4, 9, 8, own=2)]),
    *_cases("one_head_of_keys", [_shapes(2, 4, 5, 7, 8, own=1)]),
    *_cases("large_heads", [_shapes(1, 2, 17, 40, 160)], atol=2e-5),
    *_cases("bool_mask", [_shapes(2, 4, 5, 7, 8, mask=(2, 4, 5, 7)),
                          _shapes(1, 4, 3, 6, 8, mask=(1, 4, 3, 6))], mask=bool),
    *_cases("bool_mask_of_keys", [_shapes(2, 4, 5, 7, 8, mask=(2, 1, 1, 7))], mask=bool),
    *_cases("added_mask", [_shapes(2, 4, 5, 7, 8, mask=(1, 4, 5, 7))], mask=float),
    *_cases("added_mask_of_all", [_shapes(2, 4, 5, 7, 8, mask=(2, 1, 5, 7))], mask=float),
    *_cases("upper_left", TWO, causal=UPPER),
    *_cases("lower_right", TWO, causal=LOWER),
    *_cases("lower_right_one_query", [_shapes(2, 4, 1, 9, 8, own=2)], causal=LOWER),
    *_cases("causal_and_bool_mask", [_shapes(2, 4, 5, 7, 8, mask=(2, 1, 1, 7)),
                                     _shapes(2, 4, 3, 8, 8, mask=(2, 1, 1, 8))],
            mask=bool, causal=LOWER),
    *_cases("causal_and_added_mask", [_shapes(2, 4, 5, 7, 8, mask=(1, 1, 5, 7))], mask=float,
            causal=UPPER),
    *_cases("not_normalized", [_shapes(2, 4, 5, 7, 8)], norm=PLAIN, atol=2e-5),
    *_cases("not_normalized_causal", [_shapes(2, 4, 5, 7, 8)], norm=PLAIN, causal=UPPER, atol=2e-5),
    # A weight at the middle of two steps may be rounded to either.
    *_cases("quantized", [_shapes(2, 2, 5, 7, 8)], quantized=1 / 64, atol=2e-2),
    *_cases("no_queries", [_shapes(2, 4, 0, 7, 8)]),
    *_cases("no_keys", [_shapes(2, 4, 5, 0, 8)]),
    *_cases("no_batch", [_shapes(0, 4, 5, 7, 8)]),
]  # fmt: skip

LENGTHS = ([3, 5], [7, 2])
CASES += [
    *_cases("key_lengths", [_shapes(2, 4, 5, 7, 8)], lengths=(None, LENGTHS[1])),
    *_cases("lengths", [_shapes(2, 4, 5, 7, 8)], lengths=LENGTHS),
    *_cases("lengths_upper_left", [_shapes(2, 4, 5, 7, 8)], causal=UPPER, lengths=LENGTHS),
    *_cases("lengths_lower_right", [_shapes(2, 4, 5, 7, 8)], causal=LOWER, lengths=LENGTHS),
    *_cases("lengths_and_added_mask", [_shapes(2, 4, 5, 7, 8, mask=(1, 1, 5, 7))], mask=float,
            lengths=LENGTHS),
]  # fmt: skip

TOKENS = ([0, 3, 3, 8], [0, 4, 6, 11])
Q, K = (8, 4, 8), (11, 2, 8)
for kind, causal in (("", NONE), ("_upper_left", UPPER), ("_lower_right", LOWER)):
    CASES += [
        *_cases(f"packed{kind}", [(Q, K, K)], causal=causal, lengths=TOKENS, packed=(True, True)),
        *_cases(f"packed_queries{kind}", [(Q, (3, 2, 5, 8), (3, 2, 5, 6))], causal=causal,
                lengths=(TOKENS[0], [5, 2, 4]), packed=(True, False)),
        *_cases(f"packed_keys{kind}", [((3, 4, 6, 8), K, K)], causal=causal,
                lengths=(None, TOKENS[1]), packed=(False, True)),
    ]  # fmt: skip
CASES += [
    bfloat16_case(
        "causal", [_shapes(2, 4, 5, 7, 8, own=2)],
        lambda n, x: n.add_attention_v2(*x, SOFTMAX, UPPER),
        lambda x: _formula(x, False, UPPER, SOFTMAX, None, (None, None), (False, False)),
        low=-0.5, most=8.0,
    ),
]  # fmt: skip
