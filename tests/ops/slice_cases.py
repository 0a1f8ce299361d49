# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Slice: strides of both signs, every mode, axes; start, size and stride as tensors."""

import numpy as np
import tensorrt as trt
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int8, np.bool_)
FILL = 1  # a value that every type has


def _coordinates(mode, start, size, stride, extent):
    """Returns the coordinates along one axis, and the mask of those inside."""
    at = start + stride * np.arange(size)
    inside = (at >= 0) & (at < extent)
    if mode == "CLAMP":
        at = np.clip(at, 0, extent - 1)
    elif mode == "WRAP":
        at = at % extent
    elif mode == "REFLECT":
        period = max(2 * (extent - 1), 1)
        at = at % period
        at = np.where(at < extent, at, period - at)
    elif mode == "FILL":
        return np.where(inside, at, 0), inside
    return at, np.ones(size, bool)


def sliced(x, start, size, stride, mode="STRICT_BOUNDS", axes=None, fill=0):
    axes = range(x.ndim) if axes is None else axes
    for axis, first, count, step in zip(axes, start, size, stride, strict=True):
        at, inside = _coordinates(mode, first, count, step, x.shape[axis])
        mask = inside.reshape((-1,) + (1,) * (x.ndim - 1 - axis % x.ndim))
        if x.shape[axis] == 0:
            x = np.full((*x.shape[:axis], count, *x.shape[axis + 1 :]), fill, x.dtype)
        else:
            x = np.where(mask, np.take(x, at, axis), np.asarray(fill, x.dtype))
    return x


def _case(name, shapes, start, size, stride, mode="STRICT_BOUNDS", axes=None, fill=None):
    def build(network, x, dtype):
        layer = network.add_slice(x[0], start, size, stride)
        layer.mode = getattr(trt.SampleMode, mode)
        if axes is not None:
            layer.axes = axes
        if fill is not None:
            layer.set_input(4, network.add_constant((), np.array([fill], dtype)).get_output(0))
        return layer.get_output(0)

    def expected(x):
        return sliced(x[0], start, size, stride, mode, axes, fill or 0)

    return Case(name, shapes, build, expected, types=TYPES, low=2, high=9)


def _constant(network, values):
    return network.add_constant((len(values),), np.array(values, np.int64)).get_output(0)


def _tensors_case():
    """Start, size and stride as tensors. The size is the input's shape without its borders."""

    def build(network, x, _):
        layer = network.add_slice(x[0], (), (), ())
        shape = network.add_shape(x[0]).get_output(0)
        subtract = trt.ElementWiseOperation.SUB
        size = network.add_elementwise(shape, _constant(network, [2, 2]), subtract).get_output(0)
        layer.set_input(2, size)
        layer.set_input(1, _constant(network, [1, 1]))
        layer.set_input(3, _constant(network, [1, 1]))
        return layer.get_output(0)

    shapes = [((4, 5),), ((9, 3),)]
    return Case("tensors", shapes, build, lambda x: x[0][1:-1, 1:-1], types=TYPES, low=2, high=9)


def _start_case():
    """The last two rows: the start is computed from the input's shape."""

    def build(network, x, _):
        shape = network.add_shape(x[0]).get_output(0)
        rows = network.add_slice(shape, (0,), (1,), (1,)).get_output(0)
        subtract = trt.ElementWiseOperation.SUB
        start = network.add_elementwise(rows, _constant(network, [2]), subtract).get_output(0)
        layer = network.add_slice(x[0], (), (2,), (1,))
        layer.axes = (0,)
        layer.set_input(1, start)
        return layer.get_output(0)

    shapes = [((4, 5),), ((9, 5),)]
    return Case("start_tensor", shapes, build, lambda x: x[0][-2:], types=TYPES, low=2, high=9)


PLAIN = [((4, 5, 6),), ((7, 5, 6),)]
CASES = [
    _case("part", PLAIN, (1, 0, 2), (2, 5, 3), (1, 1, 1)),
    _case("steps", PLAIN, (0, 1, 0), (2, 2, 3), (2, 3, 2)),
    _case("backwards", PLAIN, (3, 4, 5), (4, 5, 2), (-1, -1, -5)),
    _case("nothing", PLAIN, (9, 0, 0), (0, 5, 6), (1, 1, 1)),
    _case("standing", PLAIN, (1, 2, 3), (3, 3, 3), (0, 0, 0)),
    _case("one_row_of_each", [((3, 4, 5),), ((3, 7, 5),)], (0, 2, 0), (3, 1, 5), (1, 1, 1)),
    _case("axes", PLAIN, (1, 2), (2, 3), (2, 1), axes=(-1, 0), mode="CLAMP"),
    _case("fill_value", [((2, 3),), ((0, 3),)], (-1, -2), (4, 8), (1, 1), "FILL", fill=FILL),
    _tensors_case(),
    _start_case(),
]
CASES += [
    _case(mode.lower(), [((3, 4),), ((1, 4),)], (-7, 9), (20, 8), (1, -3), mode)
    for mode in ("CLAMP", "WRAP", "REFLECT", "FILL")
]
# Rows of several words, and tiles of several of those.
IMAGES = [((2, 3, 37, 61),), ((1, 3, 40, 64),)]
CASES += [
    _case("long_rows", IMAGES, (0, 1, 3, 1), (1, 2, 33, 58), (1, 1, 1, 1)),
    _case("whole_rows", IMAGES, (0, 0, 5), (1, 3, 30), (1, 1, 1), axes=(0, 1, 2)),
    _case("every_other_row", IMAGES, (0, 2, 1, 0), (1, 1, 18, 61), (1, 1, 2, 1)),
    _case(
        "every_other_column",
        [((2, 3, 37, 64),), ((1, 3, 40, 65),)],
        (0, 0, 0, 0),
        (1, 3, 37, 32),
        (1, 1, 1, 2),
    ),
    _case(
        "odd_columns",
        [((2, 3, 37, 64),), ((1, 3, 40, 67),)],
        (0, 1, 2, 1),
        (1, 2, 18, 32),
        (1, 1, 2, 2),
    ),
    _case(
        "odd_columns_of_fill",
        [((2, 3, 37, 64),)],
        (0, 0, -2, 1),
        (1, 2, 40, 32),
        (1, 1, 1, 2),
        "FILL",
        fill=FILL,
    ),
    _case("circular_padding", IMAGES, (-1, -3), (40, 70), (1, 1), "WRAP", axes=(2, 3)),
    _case("zero_padding", IMAGES, (-2, -30), (45, 130), (1, 1), "FILL", axes=(2, 3), fill=FILL),
    _case("border_padding", IMAGES, (-2, -30), (45, 130), (1, 1), "CLAMP", axes=(2, 3)),
    _case("mirrored_padding", IMAGES, (-2, -30), (45, 130), (1, 1), "REFLECT", axes=(2, 3)),
]
