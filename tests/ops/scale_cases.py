# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Scale: each mode and set of coefficients, channel axes, weights in float32 for half inputs."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

RNG = np.random.default_rng(11)


def _array(shape, low, high):
    # Multiples of 1/16 are exact in float16 and bfloat16.
    return RNG.integers(int(low * 16), int(high * 16), shape, endpoint=True) / 16


def _coefficients(mode, shape, axis, roles):
    extents = [1] * len(shape)
    if mode == "CHANNEL":
        extents[axis] = shape[axis]
    elif mode == "ELEMENTWISE":
        extents[axis:] = shape[axis:]
    ranges = {"scale": (-2, 2), "shift": (-1, 1), "power": (1, 3)}
    return {role: _array(extents, *ranges[role]) for role in roles}


def _formula(x, coefficients):
    result = x * coefficients.get("scale", 1) + coefficients.get("shift", 0)
    return result ** coefficients["power"] if "power" in coefficients else result


def _layer(network, x, mode, axis, coefficients, dtype):
    weights = {k: np.ascontiguousarray(v, dtype).reshape(-1) for k, v in coefficients.items()}
    mode = getattr(trt.ScaleMode, mode)
    if axis == 1:
        return network.add_scale(x, mode, **weights)
    return network.add_scale_nd(x, mode, **weights, channel_axis=axis)


def _case(name, shapes, mode, roles, axis=1, weights_type=None, **options):
    coefficients = _coefficients(mode, shapes[0][0], axis, roles)
    return Case(
        name, shapes,
        lambda network, x, dtype: _layer(
            network, x[0], mode, axis, coefficients, weights_type or dtype
        ).get_output(0),
        lambda x: _formula(x[0], coefficients), **options,
    )  # fmt: skip


IMAGES = [((2, 3, 4, 5),), ((1, 3, 7, 2),), ((0, 3, 4, 5),)]
AFFINE = ("scale", "shift")
CASES = [
    _case("uniform", IMAGES, "UNIFORM", AFFINE),
    _case("channel", IMAGES, "CHANNEL", AFFINE),
    _case("elementwise", [((2, 3, 4),), ((5, 3, 4),)], "ELEMENTWISE", AFFINE),
    # Powers of positive numbers: x * scale + shift would be negative for some.
    _case("power", IMAGES, "CHANNEL", ("power",), low=0.0, atol=1e-5),
    _case("shift_only", IMAGES, "CHANNEL", ("shift",)),
    _case("nothing", IMAGES, "UNIFORM", ()),
    _case("last_axis", [((2, 3, 6),), ((4, 1, 6),)], "CHANNEL", AFFINE, axis=2),
    _case("first_axis", [((3, 4),), ((3, 9),)], "CHANNEL", AFFINE, axis=0),
    _case("rank_1", [((5,),)], "UNIFORM", AFFINE),
    _case("elements_of_the_last_axis", [((2, 3, 6),)], "ELEMENTWISE", AFFINE, axis=2),
    _case("float_weights", IMAGES, "CHANNEL", AFFINE, weights_type=np.float32),
]
_BY_CHANNEL = _coefficients("CHANNEL", (2, 3, 4, 5), 1, AFFINE)
CASES += [
    bfloat16_case(
        "channels", [((2, 3, 4, 5),)],
        lambda network, x: _layer(network, x[0], "CHANNEL", 1, _BY_CHANNEL, np.float32),
        lambda x: _formula(x[0], _BY_CHANNEL), most=8.0,
    )
]  # fmt: skip
