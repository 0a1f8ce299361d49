# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts: activations, biases, experts without tokens, partial tiles."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

SILU, NONE = trt.MoEActType.SILU, trt.MoEActType.NONE
PLAIN = (np.inf, 1.0, 0.0)


def _expert(x, weights, biases, activation, swiglu):
    gate, up = (x @ w + b for w, b in zip(weights[:2], biases[:2], strict=True))
    limit, alpha, beta = swiglu
    if activation == SILU:
        gate, up = np.minimum(gate, limit), np.clip(up, -limit, limit)
        up = up + beta
        gate = gate / (1.0 + np.exp(-alpha * gate))
    return gate * up @ weights[2] + biases[2]


def _formula(x, activation, swiglu):
    hidden, experts, scores, gate, up, down = x[:6]
    biases = x[6:9] or [np.zeros((len(gate), w.shape[2])) for w in (gate, up, down)]
    result = np.zeros_like(hidden)
    for at in np.ndindex(experts.shape):
        expert = int(experts[at])
        if 0 <= expert < len(gate):
            weights = (gate[expert], up[expert], down[expert])
            own = [bias[expert] for bias in biases]
            result[at[:-1]] += scores[at] * _expert(
                hidden[at[:-1]], weights, own, activation, swiglu
            )
    return result


def _layer(network, x, activation, swiglu):
    layer = network.add_moe(*x[:3])
    layer.set_gated_weights(*x[3:6], activation)
    if len(x) > 6:
        layer.set_gated_biases(*x[6:9])
    if swiglu != PLAIN:
        layer.set_swiglu_params(*swiglu)
    return layer


def _shapes(batch, length, slots, experts, hidden, inner, biases=False):
    wide, tall = (experts, hidden, inner), (experts, inner, hidden)
    added = ((experts, inner), (experts, inner), (experts, hidden)) if biases else ()
    tokens = ((batch, length, hidden), (batch, length, slots), (batch, length, slots))
    return (*tokens, wide, wide, tall, *added)


def _case(name, shapes, activation=SILU, swiglu=PLAIN, index=(np.int32, 0, 3), **options):
    # Sums of up to 200 products of rounded numbers: the inner ones are rounded to float16, too.
    options.setdefault("atol", 2e-2)
    return Case(
        name, shapes, lambda network, x, _: _layer(network, x, activation, swiglu).get_output(0),
        lambda x: _formula(x, activation, swiglu), others={1: index}, low=-0.5, high=0.5,
        **options,
    )  # fmt: skip


FEW = _shapes(2, 3, 2, 4, 8, 16)
CASES = [
    _case("silu", [FEW, _shapes(1, 9, 2, 4, 8, 16)], atol=2e-3),
    _case("none", [FEW], NONE, atol=2e-3),
    _case("biases", [_shapes(2, 3, 2, 4, 8, 16, biases=True)], atol=2e-3),
    _case("swiglu", [_shapes(2, 3, 2, 4, 8, 16, biases=True)], swiglu=(0.4, 1.7, 1.0), atol=2e-3),
    _case("partial_tiles", [_shapes(1, 150, 2, 3, 70, 90)], index=(np.int64, 0, 2)),
    _case("experts_that_do_not_exist", [FEW], index=(np.int32, -2, 6), atol=2e-3),
    _case("one_expert", [_shapes(1, 5, 1, 1, 33, 40)], index=(np.int32, 0, 0), atol=5e-3),
    _case("no_tokens", [_shapes(2, 0, 2, 4, 8, 16)]),
    _case("no_slots", [_shapes(2, 3, 0, 4, 8, 16)]),
    _case("no_inner", [_shapes(2, 3, 2, 4, 8, 0)]),
]  # fmt: skip


def _in_bfloat16(network, x):
    experts = network.add_cast(x[1], trt.int32).get_output(0)
    return _layer(network, [x[0], experts, *x[2:]], SILU, PLAIN)


CASES += [bfloat16_case("silu", [FEW], _in_bfloat16, lambda x: _formula(
    [x[0], np.trunc(x[1]), *x[2:]], SILU, PLAIN), low=-1.0, most=200.0)]  # fmt: skip
