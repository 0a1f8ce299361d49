# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Short words for shapes, types, sizes and times."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
TIMES = "\N{MULTIPLICATION SIGN}"
MICRO = "\N{MICRO SIGN}"
DOT = "\N{MIDDLE DOT}"

_TYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8": "f8"}


def compact(name: str) -> str:
    """A path without the parts that the next part begins with, as exporters of modules write them.

    "/layers/layers.9/body/body.2/body.2.0/Conv" is "layers.9/body.2.0/Conv".
    """
    parts = [part for part in name.split("/") if part]
    kept = [
        part
        for part, after in zip(parts, [*parts[1:], ""], strict=True)
        if after != part and not after.startswith(part + ".")
    ]
    return "/".join(kept) if name.startswith("/") and kept else name


def short(text: str, letters: int) -> str:
    """The text, or its beginning and its end, which tells layers of one block apart."""
    if len(text) <= letters:
        return text
    tail = (letters - 1) * 3 // 5
    return text[: letters - 1 - tail] + ELLIPSIS + text[-tail:]


def extents(shape: list[int]) -> str:
    """A shape, for example 1x64x56x56 with signs of multiplication."""
    return TIMES.join("?" if extent < 0 else str(extent) for extent in shape) or "scalar"


def type_word(name: str) -> str:
    """An element type as "f16"."""
    return _TYPES.get(name, name)


def format_word(name: str) -> str:
    """A tensor format, without what all of them share."""
    return name.lower()


def time(microseconds: float | None) -> str:
    """A time with three digits and its unit; empty if there is none."""
    if microseconds is None:
        return ""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} {MICRO}s"
