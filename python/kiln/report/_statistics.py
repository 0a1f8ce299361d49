# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of the weights in a plan, read from its file."""

import math
from typing import Any

LIMIT_BYTES = 1 << 30
"""Of constants that are read together; the largest ones are left out."""

_TYPES = {"float32": "<f4", "float16": "<f2", "bfloat16": "<u2", "int8": "i1", "uint8": "u1",
          "bool": "u1", "int32": "<i4", "int64": "<i8"}  # fmt: skip
_FLOATS = ("float32", "float16", "bfloat16")
_CHUNK = 1 << 22


def add(path: str, tensors: list[dict[str, Any]]) -> None:
    """Gives constants their entry "statistics", if their elements are in the file.

    A packed constant has them in an order of its kernel, with zeros as padding. Those of integers
    may contain sums, too, and get no statistics.
    """
    left = LIMIT_BYTES
    constants = [one for one in tensors if one["role"] == "constant" and "file_offset" in one]
    for tensor in sorted(constants, key=lambda one: int(one["bytes"])):
        left -= tensor["bytes"]
        if left < 0:
            return
        if tensor["type"] in (_FLOATS if tensor["packed"] else _TYPES):
            found = _statistics(path, tensor)
            if found is not None:
                tensor["statistics"] = found


def _statistics(path: str, tensor: dict[str, Any]) -> dict[str, Any] | None:
    """None if what is stored cannot be the elements in another order."""
    import numpy as np  # here, since descriptions of networks do without

    kind = np.dtype(_TYPES[tensor["type"]])
    count = math.prod(tensor["shape"])
    stored = tensor["bytes"] // kind.itemsize
    if count == 0 or stored < count or tensor["bytes"] % kind.itemsize:
        return None
    elements = np.memmap(path, kind, "r", tensor["file_offset"], (stored,))
    nonzero = finite = 0
    total, low, high = 0.0, math.inf, -math.inf
    for start in range(0, stored, _CHUNK):
        part = np.asarray(elements[start : start + _CHUNK])
        if tensor["type"] == "bfloat16":
            part = (part.astype(np.uint32) << 16).view(np.float32)
        part = part[part != 0].astype(np.float64)
        nonzero += len(part)
        part = part[np.isfinite(part)]
        finite += len(part)
        if len(part):
            total += float(part.sum())
            low, high = min(low, float(part.min())), max(high, float(part.max()))
    zeros = count - nonzero
    if zeros < 0:
        return None
    if zeros:
        low, high = min(low, 0.0), max(high, 0.0)
    numbers = finite + zeros
    return {
        "count": count,
        "min": low if numbers else None,
        "max": high if numbers else None,
        "mean": total / numbers if numbers else None,
        "zeros": zeros,
        "not_finite": nonzero - finite,
    }
