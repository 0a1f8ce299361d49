# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""sample::circ_pad: the shared part of circular padding as decorated functions.

The same layer as in circ_pad_v3.py, with the same attribute pads. This file describes the layer.
The files that import it compute it, with an impl (circ_pad_decorated.py, and those with a framework
inside) or an aot_impl (circ_pad_aot_*.py).
"""

import os
from functools import lru_cache

import circ_pad_v3
import numpy as np
import numpy.typing as npt
import tensorrt as trt
import tensorrt.plugin as trtp

Pads = npt.NDArray[np.int32]
Key = tuple[tuple[int, ...], tuple[int, ...]]  # the shape of x and the pads


@trtp.register("sample::circ_pad")
def describe(x: trtp.TensorDesc, pads: Pads) -> trtp.TensorDesc:
    """The padded dimensions grow by their pads."""
    pairs = circ_pad_v3.pairs_of(pads.tolist())
    y = x.like()
    for axis, (before, after) in enumerate(pairs, start=x.ndim - len(pairs)):
        y.shape_expr[axis] += before + after
    return y


@trtp.autotune("sample::circ_pad")
def choices(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[trtp.AutoTuneCombination]:
    """Float or half; the output has the type of the input."""
    return [trtp.AutoTuneCombination("FP32|FP16, FP32|FP16")]


def key_of(x: trtp.Tensor, pads: Pads) -> Key:
    """Returns the arguments of layout_of: the shape of x and the pads.

    With CIRC_PAD_LOG=FILE in the environment, adds the name of each new tensor type to FILE.
    """
    if path := os.environ.get("CIRC_PAD_LOG"):
        log_type(path, x.dtype)
    return tuple(x.shape), tuple(pads.tolist())


@lru_cache
def layout_of(shape: tuple[int, ...], pads: tuple[int, ...]) -> tuple[int, npt.NDArray[np.intp]]:
    """Returns the number of elements of a block, and the source of each element of a padded block.

    y.reshape(-1, the number of offsets) is x.reshape(-1, block)[:, offsets]. An impl has no
    callback for a change of shape, so the result is cached.
    """
    pairs = circ_pad_v3.pairs_of(pads)
    return int(np.prod(shape[-len(pairs) :])), circ_pad_v3.source_offsets(shape, pairs)


@lru_cache
def log_type(path: str, dtype: trt.DataType) -> None:
    """Adds the name of a tensor type to a file, once."""
    with open(path, "a") as log:
        log.write(f"{np.dtype(trt.nptype(dtype)).name}\n")


def kernel_scalars(x: trtp.TensorDesc, pads: Pads) -> trtp.SymIntExprs:
    """Returns the extra arguments of a kernel: for each dimension, its extent and its pads.

    Extents are expressions: the engine evaluates them when shapes change.
    """
    pairs = circ_pad_v3.pairs_of(pads.tolist())
    padded = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    numbers: list[trtp.ShapeExpr | int] = []
    for extent, pair in zip(x.shape_expr, padded, strict=True):
        numbers += [extent, *pair]
    return trtp.SymIntExprs.from_tuple([trtp.SymInt32(number) for number in numbers])


def entry_name(x: trtp.TensorDesc) -> str:
    """The name of a kernel, which contains the type that it is compiled for."""
    return f"circ_pad_{np.dtype(trt.nptype(x.dtype)).name}"
