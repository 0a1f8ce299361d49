# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Grid sample: every interpolation, sample mode and alignment; coordinates far outside."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

MODES = ("FILL", "CLAMP", "REFLECT")


def _cubic(distance):
    d, a = np.abs(distance), -0.75
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _placed(x, size, mode, aligned):
    """Coordinates where the sample mode puts them."""
    if mode == "REFLECT":
        low, high = (0, size - 1) if aligned else (-0.5, size - 0.5)
        if high == low:
            return np.zeros_like(x)
        rest = np.mod(x - low, 2 * (high - low))
        x = low + np.minimum(rest, 2 * (high - low) - rest)
    return x if mode == "FILL" else np.clip(x, 0, size - 1)


def _samples(coordinate, size, interpolation, mode, aligned):
    """Pairs of indices and weights; indices outside have weight 0."""
    half = (coordinate + 1) / 2
    x = half * (size - 1) if aligned else half * size - 0.5
    if interpolation != "CUBIC":
        x = _placed(x, size, mode, aligned)
    if interpolation == "NEAREST":
        pairs = [(np.rint(x), np.ones_like(x))]
    elif interpolation == "LINEAR":
        pairs = [(np.floor(x) + i, 1 - np.abs(x - np.floor(x) - i)) for i in (0, 1)]
    else:
        taps = [np.floor(x) + i for i in (-1, 0, 1, 2)]
        pairs = [(_placed(tap, size, mode, aligned), _cubic(x - tap)) for tap in taps]
    return [
        (np.clip(at, 0, size - 1).astype(int), np.where((at < 0) | (at >= size), 0, weight))
        for at, weight in pairs
    ]


def _formula(x, interpolation, mode, aligned):
    image, grid = x
    height, width = image.shape[2:]
    result = np.zeros((*image.shape[:2], *grid.shape[1:3]))
    batch = np.arange(len(image))[:, None, None]
    for y, of_y in _samples(grid[..., 1], height, interpolation, mode, aligned):
        for x_, of_x in _samples(grid[..., 0], width, interpolation, mode, aligned):
            taken = image[batch, :, y, x_] * (of_y * of_x)[..., None]
            result += np.moveaxis(taken, -1, 1)
    return result


def _layer(network, x, interpolation, mode, aligned):
    layer = network.add_grid_sample(x[0], x[1])
    layer.interpolation_mode = getattr(trt.InterpolationMode, interpolation)
    layer.sample_mode = getattr(trt.SampleMode, mode)
    layer.align_corners = aligned
    return layer


def _case(name, shapes, interpolation="LINEAR", mode="FILL", aligned=False, low=-2.0,
          types=(np.float32, np.float16), atol=2e-4, **options):  # fmt: skip
    parameters = (interpolation, mode, aligned)
    others = {1: (np.float32, low, -low)} if types == (np.float32,) else {}
    return Case(
        name, shapes, lambda network, x, _: _layer(network, x, *parameters).get_output(0),
        lambda x: _formula(x, *parameters), types=types, atol=atol, others=others, **options,
    )  # fmt: skip


IMAGES = [((2, 3, 5, 7), (2, 4, 6, 2))]
OTHERS = [((2, 3, 5, 7), (2, 4, 6, 2)), ((1, 9, 4, 8), (1, 11, 13, 2))]
CASES = [
    _case(f"{interpolation}_{mode}_{'aligned' if aligned else 'edges'}".lower(), IMAGES,
          interpolation, mode, aligned, types=(np.float32,))
    for interpolation in ("NEAREST", "LINEAR", "CUBIC")
    for mode in MODES
    for aligned in (False, True)
]  # fmt: skip
CASES += [
    _case("far", IMAGES, mode="REFLECT", low=-9.0, types=(np.float32,), atol=1e-3),
    _case("dynamic", OTHERS, any_address=True),
    _case("dynamic_cubic", OTHERS, interpolation="CUBIC", mode="CLAMP"),
    _case("many_positions", [((1, 2, 9, 9), (1, 20, 30, 2))], mode="CLAMP"),
    Case("wide_grid", OTHERS,
         lambda network, x, _: _layer(network, x, "LINEAR", "CLAMP", False).get_output(0),
         lambda x: _formula(x, "LINEAR", "CLAMP", False), types=(np.float16,), atol=2e-4,
         others={1: (np.float32, -2.0, 2.0)}),
    _case("one_element", [((1, 2, 1, 1), (1, 3, 3, 2))], mode="REFLECT", aligned=True),
    _case("of_nothing", [((0, 2, 3, 3), (0, 3, 3, 2))]),
    bfloat16_case("linear", [((2, 3, 5, 7), (2, 4, 6, 2))],
                  lambda network, x: _layer(network, x, "LINEAR", "CLAMP", True),
                  lambda x: _formula(x, "LINEAR", "CLAMP", True)),
]  # fmt: skip
