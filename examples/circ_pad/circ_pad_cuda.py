# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared by the forms for GPUs: the kernel in CUDA C++, and its arguments."""

from math import prod
from pathlib import Path

import numpy as np
import tensorrt as trt

SOURCE = Path(__file__).with_name("circ_pad_kernel.cu").read_text()
BLOCK = 256  # threads


def entry_name(dtype):
    """The name of the kernel for a tensor type."""
    return f"circ_pad_{np.dtype(trt.nptype(dtype)).name}"


def scalars(shape, pairs):
    """Returns the kernel's arguments between x and y; extents may be expressions.

    shape: of x. pairs: before and after of each padded dimension.
    """
    first = len(shape) - len(pairs)
    padded = [(shape[first + i], *pair) for i, pair in enumerate(pairs)]
    dimensions = [(1, 0, 1)] * (4 - len(pairs)) + [
        (extent, before, extent + before + after) for extent, before, after in padded
    ]
    count = prod([*(shape[i] for i in range(first)), *(grown for _, _, grown in dimensions)])
    return [count, *(number for dimension in dimensions for number in dimension)]
