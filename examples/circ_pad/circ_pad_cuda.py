# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared by the forms for GPUs: the kernel in CUDA C++, and its arguments."""

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import circ_pad_v3
import numpy as np
import tensorrt as trt

SOURCE = Path(__file__).with_name("circ_pad_kernel.cu").read_text()
BLOCK = 256  # threads
Extent = TypeVar("Extent")  # int or trtp.ShapeExpr


def entry_name(dtype: trt.DataType) -> str:
    """The name of the kernel for a tensor type."""
    return f"circ_pad_{np.dtype(trt.nptype(dtype)).name}"


def scalars(shape: Sequence[Extent], pairs: Sequence[circ_pad_v3.Pair]) -> list[Extent | int]:
    """Returns the kernel's arguments between x and y; extents may be expressions.

    shape: of x. pairs: before and after of each padded dimension.
    """
    first = len(shape) - len(pairs)
    extents: list[Any] = list(shape)
    dimensions: list[Any] = [1, 0, 1] * (4 - len(pairs))
    for extent, (before, after) in zip(extents[first:], pairs, strict=True):
        dimensions += [extent, before, extent + before + after]
    return [prod([*extents[:first], *dimensions[2::3]]), *dimensions]
