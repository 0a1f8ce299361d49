# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Resize: every mode, transformation, rounding and selector; by shape, scales and a tensor.

The reference applies one matrix [output, input] to each axis that changes.
"""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

TYPES = (np.float32, np.float16)
MOVED = (np.float32, np.float16, np.int64, np.int8, np.bool_)
ROUND = {
    "HALF_UP": lambda x: np.floor(x + 0.5),
    "HALF_DOWN": lambda x: np.ceil(x - 0.5),
    "FLOOR": np.floor,
    "CEIL": np.ceil,
}


def coordinates(size, count, scale, transformation, selector):
    """The input coordinates of `count` outputs of an axis."""
    x = np.arange(count, dtype=np.float64)
    if count == 1 and selector == "UPPER":
        return np.zeros(1)
    if transformation == "ALIGN_CORNERS":
        return np.zeros(1) if count == 1 else x * (size - 1) / (count - 1)
    shift = 0.5 if transformation == "HALF_PIXEL" else 0.0
    if scale is None:
        return (x + shift) * size / count - shift
    return np.float64(np.float32(x + shift) / np.float32(scale)) - shift


def weights(distance, mode, cubic):
    d = np.abs(distance)
    if mode == "LINEAR":
        return np.maximum(1 - d, 0)
    near = (cubic + 2) * d**3 - (cubic + 3) * d**2 + 1
    far = cubic * d**3 - 5 * cubic * d**2 + 8 * cubic * d - 4 * cubic
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def matrix(size, count, scale, options):
    """[count, size]: what each output takes from each input of an axis."""
    mode = options["resize_mode"]
    x = coordinates(size, count, scale, options["transformation"], options["selector"])
    result = np.zeros((count, size))
    if mode == "NEAREST":
        at = np.clip(ROUND[options["rounding"]](x), 0, size - 1).astype(int)
        result[np.arange(count), at] = 1
        return result
    for tap in range(-1, 3):
        at = np.floor(x) + tap
        weight = weights(x - at, mode, options["cubic"])
        if options["exclude_outside"]:
            weight = np.where((at < 0) | (at >= size), 0, weight)
        np.add.at(result, (np.arange(count), np.clip(at, 0, size - 1).astype(int)), weight)
    return result / (result.sum(axis=1, keepdims=True) if options["exclude_outside"] else 1)


def resized(x, shape, scales, options):
    y = x.astype(np.float64)
    for axis, (size, count) in enumerate(zip(x.shape, shape, strict=True)):
        scale = None if scales is None else scales[axis]
        if size == count and scale in (None, 1.0):
            continue
        y = np.moveaxis(np.tensordot(matrix(size, count, scale, options), y, (1, axis)), 0, axis)
    return y.astype(x.dtype) if x.dtype.kind in "bi" else y


DEFAULTS = {
    "resize_mode": "NEAREST",
    "transformation": "ASYMMETRIC",
    "selector": "FORMULA",
    "rounding": "FLOOR",
    "cubic": -0.75,
    "exclude_outside": False,
}


def _layer(network, x, options):
    layer = network.add_resize(x)
    layer.resize_mode = getattr(trt.InterpolationMode, options["resize_mode"])
    layer.coordinate_transformation = getattr(
        trt.ResizeCoordinateTransformation, options["transformation"]
    )
    layer.selector_for_single_pixel = getattr(trt.ResizeSelector, options["selector"])
    layer.nearest_rounding = getattr(trt.ResizeRoundMode, options["rounding"])
    layer.cubic_coeff = options["cubic"]
    layer.exclude_outside = options["exclude_outside"]
    return layer


def _shape(name, shapes, shape, types=None, any_address=False, **given):
    """The output has a constant shape."""
    options = DEFAULTS | given

    def build(network, x, _):
        layer = _layer(network, x[0], options)
        layer.shape = shape
        return layer.get_output(0)

    types = types or (MOVED if options["resize_mode"] == "NEAREST" else TYPES)
    return Case(name, shapes, build, lambda x: resized(x[0], shape, None, options), types=types,
                atol=4e-6, any_address=any_address)  # fmt: skip


def _scales(name, shapes, scales, **given):
    options = DEFAULTS | given

    def build(network, x, _):
        layer = _layer(network, x[0], options)
        layer.scales = scales
        assert np.allclose(layer.scales, scales)
        return layer.get_output(0)

    def expected(x):
        shape = np.floor(np.float32(x[0].shape) * np.float32(scales)).astype(int)
        return resized(x[0], shape, scales, options)

    return Case(name, shapes, build, expected, types=TYPES, atol=4e-6)


def _tensor(name, shapes, **given):
    """The output has the shape of a second input."""
    options = DEFAULTS | given

    def build(network, x, _):
        layer = _layer(network, x[0], options)
        layer.set_input(1, network.add_shape(x[1]).get_output(0))
        return layer.get_output(0)

    return Case(name, shapes, build, lambda x: resized(x[0], x[1].shape, None, options),
                types=TYPES, atol=4e-6)  # fmt: skip


MAPS = [((2, 3, 5, 7),)]
OTHERS = [((2, 3, 5, 7),), ((1, 3, 8, 4),)]
CASES = [
    _shape(f"nearest_{t.lower()}_{r.lower()}", MAPS, (2, 3, 11, 4), (np.float32,),
           transformation=t, rounding=r)
    for t in ("ALIGN_CORNERS", "ASYMMETRIC", "HALF_PIXEL")
    for r in ROUND
]  # fmt: skip
CASES += [
    _shape(f"{mode.lower()}_{t.lower()}", MAPS, (2, 3, 12, 5), resize_mode=mode, transformation=t)
    for mode in ("LINEAR", "CUBIC")
    for t in ("ALIGN_CORNERS", "ASYMMETRIC", "HALF_PIXEL")
]
CASES += [
    _shape(f"single_{mode}_{t}_{s}".lower(), [((1, 2, 4, 6),)], (1, 2, 1, 1), (np.float32,),
           resize_mode=mode, transformation=t, selector=s)
    for mode in ("NEAREST", "LINEAR", "CUBIC")
    for t in ("ALIGN_CORNERS", "ASYMMETRIC", "HALF_PIXEL")
    for s in ("FORMULA", "UPPER")
]  # fmt: skip
HALF = {"transformation": "HALF_PIXEL"}
CASES += [
    _shape(f"doubled_nearest_{t.lower()}_{r.lower()}", [((2, 3, 5, 8),)], (2, 3, 10, 16),
           (np.float32,), transformation=t, rounding=r)
    for t in ("ASYMMETRIC", "HALF_PIXEL")
    for r in ROUND
]  # fmt: skip
CASES += [
    _shape("twice", MAPS, (2, 3, 10, 14), any_address=True),
    _shape("nothing", MAPS, (2, 3, 5, 7), any_address=True),
    _shape("channels", MAPS, (2, 5, 5, 7)),
    _shape("four_axes", [((2, 3, 2, 3),)], (3, 5, 1, 4)),
    _shape("five_axes", [((2, 1, 3, 2, 3),)], (3, 5, 1, 4, 2)),
    _shape("two_far_axes", [((3, 2, 2, 4),)], (5, 2, 2, 7)),
    _shape("rank_1", [((6,),)], (9,)),
    _shape("of_nothing", [((0, 3, 4),)], (0, 6, 4)),
    _shape("to_nothing", [((2, 3, 4),)], (2, 0, 4)),
    _shape("large", [((1, 2, 33, 65),)], (1, 2, 70, 1311), any_address=True),
    _shape("linear_rank_1", [((6,),)], (9,), resize_mode="LINEAR"),
    _shape("linear_height", MAPS, (2, 3, 9, 7), resize_mode="LINEAR", any_address=True, **HALF),
    _shape("linear_width", MAPS, (2, 3, 5, 9), resize_mode="LINEAR", any_address=True, **HALF),
    _shape("linear_cube", [((2, 3, 4, 5),)], (2, 7, 2, 8), resize_mode="LINEAR", **HALF),
    _shape("linear_rank_5", [((1, 2, 3, 4, 5),)], (1, 2, 5, 4, 9), resize_mode="LINEAR"),
    _shape("linear_smaller", [((1, 2, 40, 5000),)], (1, 2, 7, 9), resize_mode="LINEAR", **HALF),
    _shape("linear_large", [((1, 2, 33, 65),)], (1, 2, 70, 1311), resize_mode="LINEAR",
           any_address=True, **HALF),
    _shape("doubled", [((2, 3, 9, 40),)], (2, 3, 18, 80), any_address=True),
    _shape("doubled_linear", [((2, 3, 9, 40),)], (2, 3, 18, 80), resize_mode="LINEAR",
           any_address=True, **HALF),
    _shape("doubled_linear_from_first", [((2, 3, 6, 8),)], (2, 3, 12, 16), resize_mode="LINEAR"),
    _shape("doubled_cubic", [((2, 3, 9, 40),)], (2, 3, 18, 80), resize_mode="CUBIC",
           any_address=True, **HALF),
    _shape("doubled_cubic_from_first", [((2, 3, 6, 8),)], (2, 3, 12, 16), resize_mode="CUBIC"),
    _shape("doubled_cubic_exclude", [((2, 3, 6, 8),)], (2, 3, 12, 16), resize_mode="CUBIC",
           exclude_outside=True, **HALF),
    _shape("doubled_corners", [((2, 3, 6, 8),)], (2, 3, 12, 16), resize_mode="LINEAR",
           transformation="ALIGN_CORNERS"),
    _shape("doubled_row", [((1, 1, 1, 4),)], (1, 1, 2, 8), resize_mode="LINEAR", **HALF),
    _shape("halved_linear", [((2, 3, 10, 64),)], (2, 3, 5, 32), resize_mode="LINEAR",
           any_address=True, **HALF),
    _shape("halved_linear_from_first", [((2, 3, 8, 16),)], (2, 3, 4, 8), resize_mode="LINEAR"),
    _shape("strips", [((2, 3, 9, 40),)], (2, 3, 20, 80), any_address=True),
    _shape("strips_of_odd_rows", [((1, 2, 9, 301),)], (1, 2, 20, 1203)),
    _shape("strips_smaller", [((1, 2, 9, 80),)], (1, 2, 4, 41)),
    _shape("linear_strips", [((2, 3, 9, 40),)], (2, 3, 20, 80), resize_mode="LINEAR",
           any_address=True, **HALF),
    _shape("linear_strips_wide", [((1, 2, 9, 304),)], (1, 2, 40, 1209), resize_mode="LINEAR",
           **HALF),
    _shape("linear_strips_corners", [((1, 2, 9, 64),)], (1, 2, 19, 511), resize_mode="LINEAR",
           transformation="ALIGN_CORNERS"),
    _shape("linear_strips_smaller", [((1, 70, 21, 96),)], (1, 70, 9, 33), resize_mode="LINEAR",
           any_address=True, **HALF),
    _shape("linear_strips_cube", [((2, 3, 4, 24),)], (2, 7, 2, 48), resize_mode="LINEAR", **HALF),
    _shape("cubic_strips", [((2, 3, 9, 40),)], (2, 3, 20, 80), resize_mode="CUBIC",
           any_address=True, **HALF),
    _shape("cubic_strips_exclude", [((1, 3, 9, 45),)], (1, 3, 7, 99), resize_mode="CUBIC",
           exclude_outside=True, **HALF),
    _shape("cubic_coefficient", MAPS, (2, 3, 9, 9), resize_mode="CUBIC", cubic=-0.5, **HALF),
    _shape("cubic_exclude", MAPS, (2, 3, 9, 3), resize_mode="CUBIC", exclude_outside=True, **HALF),
    _shape("cubic_width", MAPS, (2, 3, 5, 3), resize_mode="CUBIC", **HALF),
    _scales("scales_double", [((2, 3, 5, 8),), ((1, 3, 8, 16),)], (1.0, 1.0, 2.0, 2.0),
            resize_mode="LINEAR", **HALF),
    _scales("scales_halve", [((2, 3, 6, 32),), ((1, 3, 8, 16),)], (1.0, 1.0, 0.5, 0.5),
            resize_mode="LINEAR", **HALF),
    _scales("scales", OTHERS, (1.0, 1.0, 2.0, 1.7)),
    _scales("scales_down", OTHERS, (1.0, 1.0, 0.7, 0.4), **HALF),
    _scales("scales_linear", OTHERS, (1.0, 1.0, 2.5, 0.6), resize_mode="LINEAR", **HALF),
    _scales("scales_cubic", OTHERS, (1.0, 1.0, 1.3, 1.1), resize_mode="CUBIC", **HALF),
    _scales("scales_strips", [((1, 2, 8, 100),), ((1, 2, 7, 33),)], (1.0, 1.0, 1.3, 2.7),
            resize_mode="LINEAR", **HALF),
    _scales("scales_strips_down", [((1, 2, 8, 100),), ((1, 2, 7, 80),)], (1.0, 1.0, 1.3, 0.31),
            resize_mode="LINEAR", **HALF),
    _scales("scales_that_keep", [((1, 1, 7, 9),)], (1.0, 1.0, 1.05, 1.0), resize_mode="LINEAR"),
    _tensor("tensor", [((2, 3, 5, 7), (2, 3, 8, 9)), ((1, 3, 8, 4), (1, 3, 3, 11))]),
    _tensor("tensor_linear", [((2, 5, 7), (2, 8, 9)), ((1, 8, 4), (1, 3, 11))],
            resize_mode="LINEAR", **HALF),
]  # fmt: skip


def _integers():
    """Means of two are rounded, halves to the even one."""

    def build(network, x, _):
        layer = _layer(network, x[0], DEFAULTS | {"resize_mode": "LINEAR"})
        layer.shape = (2, 8)
        return layer.get_output(0)

    def expected(x):
        y = resized(x[0].astype(float), (2, 8), None, DEFAULTS | {"resize_mode": "LINEAR"})
        return np.rint(y).astype(x[0].dtype)

    types = (np.int8, np.uint8, np.int32)
    return Case("linear_integers", [((2, 4),)], build, expected, types=types, low=0, high=100)


def _of_bfloat16(x):
    return resized(x[0], (2, 3, 9, 10), None, DEFAULTS | {"resize_mode": "LINEAR"} | HALF)


def _bfloat16_layer(network, x):
    layer = _layer(network, x[0], DEFAULTS | {"resize_mode": "LINEAR"} | HALF)
    layer.shape = (2, 3, 9, 10)
    return layer


CASES += [_integers(), bfloat16_case("linear", MAPS, _bfloat16_layer, _of_bfloat16)]
