# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts: activations, biases, experts without tokens, partial tiles."""

import ml_dtypes
import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

SILU, NONE = trt.MoEActType.SILU, trt.MoEActType.NONE
PLAIN = (np.inf, 1.0, 0.0)


def _rounded(x, quantized):
    """x after quantization and back: `quantized` is a type and scales; none: x."""
    if quantized is None:
        return x
    kind, scale = quantized[0], np.float32(quantized[1])
    if len(quantized) == 3:
        return _rounded_by_blocks(x, *quantized)
    if kind == trt.int8:
        return np.clip(np.rint(x / scale), -128, 127) * scale
    size = np.clip(np.abs(x / scale), 2.0**-6, None)  # numbers of E4M3 have 4 bits
    step = np.exp2(np.floor(np.log2(size)) - 3)
    return np.clip(np.rint(x / scale / step) * step, -448, 448) * scale


NARROW = {trt.fp8: (ml_dtypes.float8_e4m3fn, 448), trt.fp4: (ml_dtypes.float4_e2m1fn, 6)}


def _rounded_by_blocks(x, kind, factor, block):
    """The scale of each block is rounded to FP8."""
    narrow, most = NARROW[kind]
    result = np.zeros_like(x)
    for i in range(0, len(x), block):
        part = x[i : i + block].astype(np.float32)
        scale = np.abs(part).max() / np.float32(most * factor)
        scale = scale.astype(ml_dtypes.float8_e4m3fn).astype(np.float32) * np.float32(factor)
        if scale > 0:
            numbers = np.clip(part / scale, -most, most).astype(narrow).astype(np.float32)
            result[i : i + block] = numbers * scale
    return result


def _expert(x, weights, biases, activation, swiglu, quantized=None):
    gate, up = (x @ w + b for w, b in zip(weights[:2], biases[:2], strict=True))
    limit, alpha, beta = swiglu
    if activation == SILU:
        gate, up = np.minimum(gate, limit), np.clip(up, -limit, limit)
        up = up + beta
        gate = gate / (1.0 + np.exp(-alpha * gate))
    return _rounded(gate * up, quantized) @ weights[2] + biases[2]


def _formula(x, activation, swiglu, quantized=None):
    hidden, experts, scores, gate, up, down = x[:6]
    biases = x[6:9] or [np.zeros((len(gate), w.shape[2])) for w in (gate, up, down)]
    result = np.zeros_like(hidden)
    for at in np.ndindex(experts.shape):
        expert = int(experts[at])
        if 0 <= expert < len(gate):
            weights = (gate[expert], up[expert], down[expert])
            own = [bias[expert] for bias in biases]
            result[at[:-1]] += scores[at] * _expert(
                hidden[at[:-1]], weights, own, activation, swiglu,
                quantized
                and (quantized[0], np.resize(quantized[1], len(gate))[expert], *quantized[2:]),
            )  # fmt: skip
    return result


def _layer(network, x, activation, swiglu, quantized=None):
    layer = network.add_moe(*x[:3])
    layer.set_gated_weights(*x[3:6], activation)
    if len(x) > 6:
        layer.set_gated_biases(*x[6:9])
    if swiglu != PLAIN:
        layer.set_swiglu_params(*swiglu)
    if quantized is not None:
        scale = np.array(quantized[1], np.float32)
        scale = network.add_constant(scale.shape, scale).get_output(0)
        if len(quantized) == 3:
            layer.set_quantization_dynamic_dbl_q(scale, quantized[0], (1, 1, quantized[2]), trt.fp8)
        else:
            layer.set_quantization_static(scale, quantized[0])
    return layer


def _shapes(batch, length, slots, experts, hidden, inner, biases=False):
    wide, tall = (experts, hidden, inner), (experts, inner, hidden)
    added = ((experts, inner), (experts, inner), (experts, hidden)) if biases else ()
    tokens = ((batch, length, hidden), (batch, length, slots), (batch, length, slots))
    return (*tokens, wide, wide, tall, *added)


def _case(
    name, shapes, activation=SILU, swiglu=PLAIN, index=(np.int32, 0, 3), quantized=None, **options
):
    # Sums of up to 200 products of rounded numbers: the inner ones are rounded to float16, too.
    options.setdefault("atol", 2e-2)
    return Case(
        name, shapes,
        lambda network, x, _: _layer(network, x, activation, swiglu, quantized).get_output(0),
        lambda x: _formula(x, activation, swiglu, quantized), others={1: index}, low=-0.5, high=0.5,
        **options,
    )  # fmt: skip


FEW = _shapes(2, 3, 2, 4, 8, 16)
BLOCKS = [FEW, _shapes(1, 3, 2, 4, 8, 40)]  # the last block is not full
CASES = [
    _case("silu", [FEW, _shapes(1, 9, 2, 4, 8, 16)], atol=2e-3),
    _case("none", [FEW], NONE, atol=2e-3),
    _case("biases", [_shapes(2, 3, 2, 4, 8, 16, biases=True)], atol=2e-3),
    _case("swiglu", [_shapes(2, 3, 2, 4, 8, 16, biases=True)], swiglu=(0.4, 1.7, 1.0), atol=2e-3),
    _case("partial_tiles", [_shapes(1, 150, 2, 3, 70, 90)], index=(np.int64, 0, 2)),
    _case("experts_that_do_not_exist", [FEW], index=(np.int32, -2, 6), atol=2e-3),
    _case("one_expert", [_shapes(1, 5, 1, 1, 33, 40)], index=(np.int32, 0, 0), atol=5e-3),
    # One step of the scale where rounding in the kernel differs.
    _case("static_fp8", [FEW], quantized=(trt.fp8, 0.01), atol=3e-2),
    _case("static_int8", [_shapes(2, 3, 2, 4, 8, 16, biases=True)], quantized=(trt.int8, 0.02),
          atol=3e-2),
    _case("static_by_expert", [FEW], quantized=(trt.fp8, [0.01, 0.02, 0.005, 0.04]), atol=3e-2),
    _case("blocks_fp4", BLOCKS, quantized=(trt.fp4, 0.001, 16), atol=8e-2),
    _case("blocks_fp8", BLOCKS, quantized=(trt.fp8, 0.001, 32), atol=3e-2),
    _case("no_tokens", [_shapes(2, 0, 2, 4, 8, 16)]),
    _case("no_slots", [_shapes(2, 3, 0, 4, 8, 16)]),
    _case("no_inner", [_shapes(2, 3, 2, 4, 8, 0)]),
]  # fmt: skip


def _in_bfloat16(network, x):
    experts = network.add_cast(x[1], trt.int32).get_output(0)
    return _layer(network, [x[0], experts, *x[2:]], SILU, PLAIN)


CASES += [bfloat16_case("silu", [FEW], _in_bfloat16, lambda x: _formula(
    [x[0], np.trunc(x[1]), *x[2:]], SILU, PLAIN), low=-1.0, most=200.0)]  # fmt: skip
