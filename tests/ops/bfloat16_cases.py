# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""bfloat16, which NumPy lacks: float32 cases that compute in bfloat16 between two casts.

The reference rounds inputs to 8 bits like the first cast; results are rounded once more.
"""

import numpy as np
import tensorrt as trt
from case import Case


def rounded(x):
    """The nearest bfloat16 values, as float64; ties go to the even one."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    kept = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
    return kept.astype(np.uint32).view(np.float32).astype(np.float64)


def _case(name, shapes, layer, formula, low=-2.0, most=2.0):
    """A case of layer(network, tensors) in bfloat16. Results are up to `most`, which sets the
    tolerance."""

    def build(network, x, _):
        narrow = [network.add_cast(t, trt.bfloat16).get_output(0) for t in x]
        result = layer(network, narrow).get_output(0)
        return network.add_cast(result, trt.float32).get_output(0)

    def expected(x):
        return formula([rounded(t) for t in x])

    # Half a unit in the last of 8 bits, and a margin for computing in float32.
    return Case(
        name, shapes, build, expected, types=(np.float32,), low=low, atol=most * 2.0**-8 * 1.1
    )


def _softmax(x):
    e = np.exp(x[0] - x[0].max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _softmax_layer(network, x):
    layer = network.add_softmax(x[0])
    layer.axes = 2
    return layer


def _convolution(x):
    view = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), axis=(2, 3))
    return np.einsum("nchwij,mcij->nmhw", view, x[1])


def _convolution_layer(network, x):
    layer = network.add_convolution_nd(x[0], 4, (3, 3), trt.Weights(), trt.Weights())
    layer.set_input(1, x[1])
    return layer


def _pooling(x):
    view = np.lib.stride_tricks.sliding_window_view(x[0], (2, 2), axis=(2, 3))
    return view.mean(axis=(-1, -2))


NONE = trt.MatrixOperation.NONE
PAIR = [((3, 70), (3, 70)), ((1, 70), (9, 70))]
CASES = [
    _case("sum", PAIR, lambda n, x: n.add_elementwise(*x, trt.ElementWiseOperation.SUM),
          lambda x: x[0] + x[1], most=4.0),
    _case("tanh", [((3, 70),), ((9, 70),)],
          lambda n, x: n.add_activation(x[0], trt.ActivationType.TANH),
          lambda x: np.tanh(x[0])),
    _case("sigmoid", [((3, 70),), ((9, 70),)],
          lambda n, x: n.add_activation(x[0], trt.ActivationType.SIGMOID),
          lambda x: 1 / (1 + np.exp(-x[0]))),
    _case("exp", [((3, 70),), ((9, 70),)],
          lambda n, x: n.add_unary(x[0], trt.UnaryOperation.EXP), lambda x: np.exp(x[0]),
          most=8.0),
    _case("mean", [((3, 70),), ((9, 70),)],
          lambda n, x: n.add_reduce(x[0], trt.ReduceOperation.AVG, 1 << 1, False),
          lambda x: x[0].mean(axis=1)),
    _case("softmax", [((3, 70),), ((9, 70),)], _softmax_layer, _softmax, most=1.0),
    _case("matrix_multiply", [((3, 20), (20, 70)), ((50, 20), (20, 70))],
          lambda n, x: n.add_matrix_multiply(x[0], NONE, x[1], NONE), lambda x: x[0] @ x[1],
          most=40.0),
    _case("convolution", [((1, 2, 8, 9), (4, 2, 3, 3)), ((3, 2, 5, 7), (4, 2, 3, 3))],
          _convolution_layer, _convolution, most=40.0),
    _case("pooling", [((1, 2, 8, 9),), ((3, 2, 5, 7),)],
          lambda n, x: n.add_pooling_nd(x[0], trt.PoolingType.AVERAGE, (2, 2)), _pooling),
    _case("concatenation", PAIR, lambda n, x: n.add_concatenation(x), np.concatenate),
]  # fmt: skip
