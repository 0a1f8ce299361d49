# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The layers that run.py measures. Shapes are for 1 MB of float; run.py scales the batch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tensorrt as trt


@dataclass
class Layer:
    """`shapes(n)`: input shapes for batch n; `build(network, inputs)` returns the output."""

    name: str
    shapes: Callable
    build: Callable
    types: tuple = ("float", "half", "bfloat16")
    format: trt.TensorFormat = trt.TensorFormat.LINEAR  # of the output
    from_format: trt.TensorFormat = trt.TensorFormat.LINEAR
    result: str = ""  # type of the output, if not that of the inputs


PAD = 1


def wrapped(network, x, axis, pad=PAD):
    """Circular padding of one axis: joins the right margin, the input and the left margin."""
    shape = list(x.shape)
    size = [*shape[:axis], pad, *shape[axis + 1 :]]
    right = [0] * len(shape)
    right[axis] = shape[axis] - pad
    ones = [1] * len(shape)
    margins = [network.add_slice(x, start, size, ones) for start in (right, [0] * len(shape))]
    joined = network.add_concatenation([margins[0].get_output(0), x, margins[1].get_output(0)])
    joined.axis = axis
    return joined.get_output(0)


def circular_padding(network, x):
    return wrapped(network, wrapped(network, x[0], 3), 2)


def circular_slice(network, x):
    shape = list(x[0].shape)
    size = [shape[0], shape[1], shape[2] + 2 * PAD, shape[3] + 2 * PAD]
    layer = network.add_slice(x[0], [0, 0, -PAD, -PAD], size, [1, 1, 1, 1])
    layer.mode = trt.SampleMode.WRAP
    return layer.get_output(0)


def sliced(start, less):
    def build(network, x):
        size = [extent - part for extent, part in zip(x[0].shape, less, strict=True)]
        return network.add_slice(x[0], start, size, [1] * len(size)).get_output(0)

    return build


def joined(axis):
    def build(network, x):
        layer = network.add_concatenation(x)
        layer.axis = axis
        return layer.get_output(0)

    return build


def transposed(*order):
    def build(network, x):
        layer = network.add_shuffle(x[0])
        layer.first_transpose = order
        return layer.get_output(0)

    return build


def activated(name):
    kind = getattr(trt.ActivationType, name)
    return lambda network, x: network.add_activation(x[0], kind).get_output(0)


def computed(name):
    operation = getattr(trt.UnaryOperation, name)
    return lambda network, x: network.add_unary(x[0], operation).get_output(0)


def combined(name):
    operation = getattr(trt.ElementWiseOperation, name)
    return lambda network, x: network.add_elementwise(x[0], x[1], operation).get_output(0)


def cast(kind):
    return lambda network, x: network.add_cast(x[0], kind).get_output(0)


def identity(network, x):
    return network.add_identity(x[0]).get_output(0)


def gathered(network, x):
    return network.add_gather(x[0], x[1], 0).get_output(0)


def accumulated(axis):
    def build(network, x):
        constant = network.add_constant((), np.array([axis], np.int32)).get_output(0)
        layer = network.add_cumulative(x[0], constant, trt.CumulativeOperation.SUM, False, False)
        return layer.get_output(0)

    return build


def scattered(network, x):
    indices = network.add_shuffle(x[1])
    indices.reshape_dims = (-1, 1)
    layer = network.add_scatter(x[0], indices.get_output(0), x[2], trt.ScatterMode.ND)
    return layer.get_output(0)


def reversed_sequences(network, x):
    return network.add_reverse_sequence(x[0], x[1]).get_output(0)


def image(n):
    return [(n, 4, 256, 256)]


def odd(n):
    return [(n, 4, 256, 259)]


LAYERS = [
    Layer("identity", image, identity),
    Layer("cast to half", image, cast(trt.float16), ("float", "bfloat16"), result="half"),
    Layer("cast to float", image, cast(trt.float32), ("half", "bfloat16"), result="float"),
    Layer("relu", image, activated("RELU")),
    *[
        Layer(name.lower(), image, activated(name))
        for name in ("SIGMOID", "TANH", "GELU_ERF", "GELU_TANH", "ELU", "SOFTPLUS")
    ],
    *[
        Layer(name.lower(), image, computed(name))
        for name in ("EXP", "LOG", "SQRT", "RECIP", "SIN", "ERF")
    ],
    Layer("sum", lambda n: image(n) * 2, combined("SUM")),
    Layer("quotient", lambda n: image(n) * 2, combined("DIV")),
    Layer("power", lambda n: image(n) * 2, combined("POW")),
    Layer("product with one number", lambda n: [*image(n), (1,) * 4], combined("PROD")),
    Layer("sum, channels", lambda n: [*image(n), (1, 4, 1, 1)], combined("SUM")),
    Layer("sum, last axis", lambda n: [*image(n), (1, 1, 1, 256)], combined("SUM")),
    Layer("sum, odd last axis", lambda n: [*odd(n), (1, 1, 1, 259)], combined("SUM")),
    Layer("sum, rows", lambda n: [(n, 1024, 256), (n, 1024, 1)], combined("SUM")),
    Layer("slice of rows", image, sliced([0, 0, 1, 0], [0, 0, 1, 0])),
    Layer("slice of columns, from 1", odd, sliced([0, 0, 0, 1], [0, 0, 0, 2])),
    Layer("slice of columns, from 4", image, sliced([0, 0, 0, 4], [0, 0, 0, 8])),
    Layer("concatenation, channels", lambda n: image(n) * 2, joined(1)),
    Layer("concatenation, columns", lambda n: odd(n) * 3, joined(3)),
    Layer("transpose NHWC", image, transposed(0, 2, 3, 1)),
    Layer("transpose of images", image, transposed(0, 1, 3, 2)),
    Layer("transpose, rows kept", image, transposed(0, 2, 1, 3)),
    Layer("transpose, all reversed", image, transposed(3, 2, 1, 0)),
    Layer("to HWC8", lambda n: [(n, 8, 128, 256)], identity, format=trt.TensorFormat.HWC8),
    Layer("to CHW2", image, identity, format=trt.TensorFormat.CHW2),
    Layer("to CHW4", image, identity, format=trt.TensorFormat.CHW4),
    Layer("to HWC", image, identity, format=trt.TensorFormat.HWC),
    Layer("from HWC8", lambda n: [(n, 8, 128, 256)], identity, from_format=trt.TensorFormat.HWC8),
    Layer("from CHW4", image, identity, from_format=trt.TensorFormat.CHW4),
    Layer("gather of rows", lambda n: [(n * 1024, 256), (n * 1024,)], gathered),
    Layer("gather of rows of 250", lambda n: [(n * 1024, 250), (n * 1024,)], gathered),
    Layer(
        "scatter of rows",
        lambda n: [(n * 1024, 256), (n * 512,), (n * 512, 256)],
        scattered,
    ),
    Layer("reverse sequence", lambda n: [(128, n * 8, 256), (n * 8,)], reversed_sequences),
    Layer("running sums of short rows", lambda n: [(n * 256, 1024)], accumulated(1)),
    Layer("running sums of a row", lambda n: [(1, n * 2**18)], accumulated(1)),
    Layer("running sums of columns", lambda n: [(n, 512, 512)], accumulated(1)),
    Layer("circular padding, slice", lambda n: [(1, n, 512, 512)], circular_slice),
    Layer("circular padding, layers", lambda n: [(1, n, 512, 512)], circular_padding),
]
