# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Pointwise layers at the limits of arithmetic: infinities, NaN, integer limits, zero divisors."""

import numpy as np
import tensorrt as trt
from case import TRT_TYPES, Case

ANY_ADDRESS = True

NAN, INF = float("nan"), float("inf")
LOWEST, HIGHEST = -(2**31), 2**31 - 1
SHAPE = (3, 41)  # whole vectors and a tail


def _number_to_integer(to):
    limits = np.iinfo(to)

    def expected(x):
        whole = [
            0 if v != v else max(limits.min, min(limits.max, int(max(-1e30, min(1e30, v)))))
            for v in x[0].ravel()
        ]
        return np.array(whole, to).reshape(x[0].shape)

    return Case(
        f"to_{np.dtype(to).name}", [(SHAPE,)],
        lambda network, x, _: network.add_cast(x[0], TRT_TYPES[to]).get_output(0),
        expected, types=(np.float32, np.float16),
        values={0: [NAN, INF, -INF, 6e4, -6e4, 127.9, -128.9, 0.9, -0.9, 0, 200, 1]},
    )  # fmt: skip


def _integer_to_narrower(to):
    return Case(
        f"low_bits_to_{np.dtype(to).name}", [(SHAPE,)],
        lambda network, x, _: network.add_cast(x[0], TRT_TYPES[to]).get_output(0),
        lambda x: x[0].astype(to), types=(np.int64, np.int32),
        values={0: [LOWEST, HIGHEST, 300, -300, 128, -129, 65536, 0]},
    )  # fmt: skip


def _to_bool():
    return Case(
        "to_bool", [(SHAPE,)],
        lambda network, x, _: network.add_cast(x[0], trt.bool).get_output(0),
        lambda x: x[0] != 0, values={0: [0.0, -0.0, NAN, 1e-5, INF, -1]},
    )  # fmt: skip


def _integers(name, expected, left, right):
    operation = getattr(trt.ElementWiseOperation, name)
    return Case(
        f"{name.lower()}_of_integers", [(SHAPE, SHAPE)],
        lambda network, x, _: network.add_elementwise(x[0], x[1], operation).get_output(0),
        lambda x: np.array(
            [expected(int(a), int(b)) for a, b in zip(x[0].ravel(), x[1].ravel(), strict=True)],
            np.int64,
        ).astype(np.int32).reshape(x[0].shape),
        types=(np.int32,), values={0: left, 1: right},
    )  # fmt: skip


def _truncated(a, b):
    return 0 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def _power(a, b):
    if b < 0:
        return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)
    low = a**b % 2**32
    return low - 2**32 if low >= 2**31 else low


def _floats(name, expected):
    operation = getattr(trt.ElementWiseOperation, name)

    def reference(x):
        with np.errstate(all="ignore"):
            return expected(x[0], x[1])

    return Case(
        f"{name.lower()}_of_floats", [(SHAPE, SHAPE)],
        lambda network, x, _: network.add_elementwise(x[0], x[1], operation).get_output(0),
        reference,
        values={0: [NAN, 1, INF, -INF, 0, -2, 3], 1: [1, NAN, 2, 2, 0, 0.0, -4, 2, INF]},
    )  # fmt: skip


def _activation(name, expected):
    def build(network, x, _):
        layer = network.add_activation(x[0], getattr(trt.ActivationType, name))
        layer.alpha, layer.beta = 0.5, 2.0
        return layer.get_output(0)

    def reference(x):
        with np.errstate(all="ignore"):
            return expected(x[0])

    return Case(
        name.lower(), [(SHAPE,)], build, reference,
        values={0: [NAN, INF, -INF, 0, -0.0, 1e-4, -1e-4, 88, -88, 104, -104, 0.55, -0.5]},
    )  # fmt: skip


def _softplus(x):
    return 0.5 * (np.maximum(2 * x, 0) + np.log1p(np.exp(-np.abs(2 * x))))


CASES = [
    *[_number_to_integer(to) for to in (np.int8, np.int32, np.int64)],
    *[_integer_to_narrower(to) for to in (np.int8, np.int32)],
    _to_bool(),
    _integers("DIV", _truncated, [LOWEST, -7, 7, 0, HIGHEST], [-1, 2, 0, -3, 5, -2]),
    _integers("FLOOR_DIV", lambda a, b: 0 if b == 0 else a // b,
              [LOWEST, -(2**21) - 1, -(2**21), 2**21 - 1, 2**21, -7, 7, 0, HIGHEST],
              [-1, 2, 0, -3, 5, -2, 2**21 - 1, -(2**21), 2**21]),
    _integers("POW", _power, [2, -1, 1, 0, -3, 3], [-1, -2, 3, 0, 31, 2, 20]),
    _integers("SUM", lambda a, b: a + b, [LOWEST, HIGHEST, 1], [LOWEST, HIGHEST, -1, 1]),
    _integers("PROD", lambda a, b: a * b, [LOWEST, HIGHEST, 65536], [-1, 2, 65536, HIGHEST]),
    _floats("MAX", np.maximum),
    _floats("MIN", np.minimum),
    _floats("DIV", np.divide),
    _floats("POW", np.power),
    _floats("SUM", np.add),
    _floats("EQUAL", np.equal),
    _floats("LESS", np.less),
    _activation("RELU", lambda x: np.maximum(x, 0)),
    _activation("SIGMOID", lambda x: 1 / (1 + np.exp(-x))),
    _activation("TANH", np.tanh),
    _activation("ELU", lambda x: np.where(x < 0, 0.5 * np.expm1(x), x)),
    _activation("SELU", lambda x: 2 * np.where(x > 0, x, 0.5 * np.expm1(x))),
    _activation("SOFTPLUS", _softplus),
    _activation("CLIP", lambda x: np.clip(x, 0.5, 2)),
]  # fmt: skip
