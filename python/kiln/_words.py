# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them. Needs no binding, so that commands start fast."""


def size(count: int) -> str:
    """A number of bytes in a unit that fits: 1536 is "1.5 KiB"."""
    if count < 1024:
        return f"{count} B"
    amount = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        amount /= 1024
        if amount < 1024 or unit == "GiB":
            break
    return f"{amount:.1f} {unit}"


def counted(count: int, word: str) -> str:
    """A number with its word: "1 layer", "2 layers"."""
    return f"{count} {word}{'' if count == 1 else 's'}"
