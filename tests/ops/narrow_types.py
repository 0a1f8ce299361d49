# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantized numbers by NumPy and ml_dtypes: the reference of the tables of quantization."""

import ml_dtypes
import numpy as np
import tensorrt as trt

NUMPY = {
    trt.int8: np.int8,
    trt.uint8: np.uint8,
    trt.int4: ml_dtypes.int4,
    trt.fp8: ml_dtypes.float8_e4m3fn,
    trt.fp4: ml_dtypes.float4_e2m1fn,
    trt.DataType.E8M0: ml_dtypes.float8_e8m0fnu,
}
LIMITS = {
    trt.int8: (-128, 127),
    trt.uint8: (0, 255),
    trt.int4: (-8, 7),
    trt.fp8: (-448, 448),
    trt.fp4: (-6, 6),
}


def quantized(x, scale, to, zero=0.0):
    """The numbers that elements get, in float32; the scale has the shape of x."""
    y = x.astype(np.float32) / scale.astype(np.float32)
    if to in (trt.fp8, trt.fp4):
        clipped = np.clip(y + np.float32(zero), *LIMITS[to])
        return clipped.astype(NUMPY[to]).astype(np.float32)
    return np.clip(np.rint(y) + np.float32(zero), *LIMITS[to])


def spread(scale, shape, axis=None, blocks=None):
    """A scale with one number for each element."""
    scale = np.asarray(scale)
    if scale.size == 1 and blocks is None:
        return np.broadcast_to(scale.reshape(()), shape)
    if scale.ndim == 1 and axis is not None:
        wide = [1] * len(shape)
        wide[axis] = -1
        return np.broadcast_to(scale.reshape(wide), shape)
    for i, extent in enumerate(shape):
        block = -(-extent // max(scale.shape[i], 1)) if blocks is None else blocks[i]
        block = extent if block == -1 else block
        scale = np.repeat(scale, max(block, 1), i).take(range(extent), i)
    return scale


def packed(values, to):
    """Elements of a type as bytes: two of 4 bits in one, the first in its low bits."""
    codes = np.asarray(values).astype(NUMPY[to]).view(np.uint8).ravel()
    if to not in (trt.int4, trt.fp4):
        return codes
    codes = np.append(codes & 15, np.zeros(codes.size % 2, np.uint8))
    return codes[::2] | codes[1::2] << 4


def constant(network, values, to):
    """A constant of a quantized type. The bytes live as long as the network."""
    data = packed(values, to)
    weights = trt.Weights(to, data.ctypes.data, int(np.asarray(values).size))
    layer = network.add_constant(np.asarray(values).shape, weights)
    KEPT.append(data)
    return layer.get_output(0)


KEPT = []
