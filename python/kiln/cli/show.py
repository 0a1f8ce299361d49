# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables: drawn by rich on a terminal, otherwise columns of plain text."""

import sys
from collections.abc import Iterable, Sequence


def shape(extents: Sequence[int]) -> str:
    """Extents as in "1x8x-1"; "scalar" for none."""
    return "x".join(map(str, extents)) or "scalar"


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Prints a table with a title; prints "none" if there are no rows."""
    texts = [[str(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _drawn(title, columns, texts)
    else:
        _plain(title, columns, texts)


def _drawn(title: str, columns: Sequence[str], rows: list[list[str]]) -> None:
    import rich.table
    from rich.console import Console
    from rich.text import Text

    if not rows:
        Console().print(Text(f"{title}: none\n"))
        return
    drawn = rich.table.Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        drawn.add_column(column, overflow="fold")
    for row in rows:
        drawn.add_row(*map(Text, row))  # as Text: names may contain rich's markup
    Console().print(drawn)


def _plain(title: str, columns: Sequence[str], rows: list[list[str]]) -> None:
    if not rows:
        print(f"{title}: none\n")
        return
    lines = [list(columns), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    print(title)
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  " + "  ".join(cells).rstrip())
    print()
