# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The classification extension: the largest values of an output with their indices, as texts."""

import struct

import numpy as np

from kiln.serve.request import Array


def classes(array: Array, count: int, batch: bool) -> Array:
    """The `count` largest values of each row, largest first.

    batch: the first axis counts rows; else the whole array is one. Gives texts "value:index" of
    the shape [rows, count] or [count].
    """
    rows = array.reshape(array.shape[0], -1) if batch and array.ndim > 0 else array.reshape(1, -1)
    count = min(count, rows.shape[1])
    values = rows.astype(np.float64)
    order = np.argsort(-values, axis=1, kind="stable")[:, :count]
    texts = [
        [f"{row[index]:f}:{index}" for index in indices]
        for row, indices in zip(values, order, strict=True)
    ]
    found = np.array(texts, dtype=object).reshape(len(texts), count)
    return found if batch else found[0]


def serialized(texts: Array) -> bytes:
    """Texts as the protocol has BYTES: each behind its length in four bytes."""
    encoded = [str(text).encode() for text in texts.flat]
    return b"".join(struct.pack("<I", len(text)) + text for text in encoded)
