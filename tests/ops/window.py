# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Sliding windows in NumPy, shared by convolution and pooling."""

import numpy as np


def padding(mode, extent, size, stride, dilation, before, after):
    """(before, after, output extent) of one axis; the formulas of PaddingMode."""
    span = 1 + dilation * (size - 1)
    if mode.startswith("SAME"):
        output = -(-extent // stride)
        total = max((output - 1) * stride + span - extent, 0)
        less = total // 2
        return (
            (less, total - less, output) if mode == "SAME_UPPER" else (total - less, less, output)
        )
    room = extent + before + after - span
    steps = -(-room // stride) if mode == "EXPLICIT_ROUND_UP" else room // stride
    return before, after, steps + 1


def windows(x, mode, size, stride, dilation, before, after, fill):
    """[batch, channels, spatial..., size...]: what each output sees, `fill` in the padding."""
    rank = len(size)
    axes = [
        padding(mode, x.shape[2 + i], size[i], stride[i], dilation[i], before[i], after[i])
        for i in range(rank)
    ]
    # Pad after the data as far as the last window reaches.
    ends = [
        max(0, (output - 1) * stride[i] + 1 + dilation[i] * (size[i] - 1) - first - x.shape[2 + i])
        for i, (first, _, output) in enumerate(axes)
    ]
    widths = [(0, 0), (0, 0), *((axes[i][0], ends[i]) for i in range(rank))]
    padded = np.pad(x, widths, constant_values=fill)
    spans = tuple(1 + dilation[i] * (size[i] - 1) for i in range(rank))
    view = np.lib.stride_tricks.sliding_window_view(padded, spans, axis=tuple(range(2, 2 + rank)))
    steps = [slice(None, None, step) for step in (*stride, *dilation)]
    view = view[(slice(None), slice(None), *steps)]
    return view[(slice(None), slice(None), *(slice(output) for _, _, output in axes))]
