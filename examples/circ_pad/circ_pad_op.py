# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""sample::circ_pad: circular padding as decorated functions, the part that all forms share.

The same layer as in circ_pad_v3.py, with the same attribute pads. Here is what it is; how it is
computed stands in the files that import this one, each with an impl (circ_pad_decorated.py, and
those with a framework inside) or an aot_impl (circ_pad_aot_*.py).
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
    """The padded dimensions grow by what is put before and after."""
    pairs = circ_pad_v3.pairs_of(pads.tolist())
    y = x.like()
    for axis, (before, after) in enumerate(pairs, start=x.ndim - len(pairs)):
        y.shape_expr[axis] += before + after
    return y


@trtp.autotune("sample::circ_pad")
def choices(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[trtp.AutoTuneCombination]:
    """Float or half, and the output as the input."""
    return [trtp.AutoTuneCombination("FP32|FP16, FP32|FP16")]


def key_of(x: trtp.Tensor, pads: Pads) -> Key:
    """Returns what decides how x is padded, its shape and the pads, for layout_of.

    With CIRC_PAD_LOG=FILE in the environment, FILE gets the name of each tensor type that is new.
    """
    if path := os.environ.get("CIRC_PAD_LOG"):
        log_type(path, x.dtype)
    return tuple(x.shape), tuple(pads.tolist())


@lru_cache
def layout_of(shape: tuple[int, ...], pads: tuple[int, ...]) -> tuple[int, npt.NDArray[np.intp]]:
    """Returns how many elements a block has, and where each element of a padded block comes from.

    y.reshape(-1, the number of offsets) is x.reshape(-1, block)[:, offsets]. An impl hears of a new
    shape only by being called with one, so what is computed here is kept.
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
    """The name of a kernel, which tells the type that it was compiled for."""
    return f"circ_pad_{np.dtype(trt.nptype(x.dtype)).name}"
