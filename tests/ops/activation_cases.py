# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Activation: every function."""

import math

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

ANY_ADDRESS = True

A, B = 0.3, 0.7  # alpha and beta, which are float32 inside
A, B = float(np.float32(A)), float(np.float32(B))
SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_erf = np.vectorize(math.erf, otypes=[np.float64])

FORMULAS = {
    "RELU": lambda x: np.maximum(x, 0),
    "SIGMOID": lambda x: 1 / (1 + np.exp(-x)),
    "TANH": np.tanh,
    "LEAKY_RELU": lambda x: np.where(x >= 0, x, A * x),
    "ELU": lambda x: np.where(x >= 0, x, A * (np.exp(x) - 1)),
    "SELU": lambda x: B * np.where(x > 0, x, A * np.exp(x) - A),
    "SOFTSIGN": lambda x: x / (1 + np.abs(x)),
    "SOFTPLUS": lambda x: A * np.log(np.exp(B * x) + 1),
    "CLIP": lambda x: np.maximum(A, np.minimum(B, x)),
    "HARD_SIGMOID": lambda x: np.clip(A * x + B, 0, 1),
    "SCALED_TANH": lambda x: A * np.tanh(B * x),
    "THRESHOLDED_RELU": lambda x: np.where(x > A, x, 0),
    "GELU_ERF": lambda x: x / 2 * (1 + _erf(x / math.sqrt(2))),
    "GELU_TANH": lambda x: x / 2 * (1 + np.tanh(SQRT_2_OVER_PI * (x + 0.044715 * x**3))),
}


def _case(name):
    def build(network, x, _):
        layer = network.add_activation(x[0], getattr(trt.ActivationType, name))
        layer.alpha, layer.beta = A, B
        return layer.get_output(0)

    return Case(
        name.lower(),
        [((2, 3, 5),), ((1, 3, 5),), ((0, 3, 5),), ((2, 3, 301),)],
        build,
        lambda x: FORMULAS[name](x[0]),
        low=-6,
        high=6,
        atol=1e-6,
    )


CASES = [_case(name) for name in FORMULAS]
CASES += [
    bfloat16_case(name, [((3, 70),), ((9, 70),)],
                  lambda n, x, name=name: n.add_activation(
                      x[0], getattr(trt.ActivationType, name.upper())),
                  formula)
    for name, formula in {
        "tanh": lambda x: np.tanh(x[0]),
        "sigmoid": lambda x: 1 / (1 + np.exp(-x[0])),
    }.items()
]  # fmt: skip
