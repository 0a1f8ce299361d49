# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints the rows as an aligned table, each as soon as it is finished."""

import math
from collections.abc import Sequence

from .data import BATCH
from .rows import Outcome, Row

COLUMNS = (
    ("style", 24),
    ("inside", 6),
    ("way in", 11),
    ("way out", 12),
    ("type", 5),
    ("build ms", 9),
    (f"us/{BATCH}", 8),
    ("max diff", 9),
    ("accuracy", 8),
    ("verdict", 7),
)
FIRST_NUMBER = 5  # numbers are right-aligned, words left-aligned


def line(cells: Sequence[str]) -> str:
    """Aligns one text for each column."""
    parts = []
    for position, (cell, (_, width)) in enumerate(zip(cells, COLUMNS, strict=True)):
        numeric = FIRST_NUMBER <= position < len(COLUMNS) - 1
        parts.append(cell.rjust(width) if numeric else cell.ljust(width))
    return "  ".join(parts).rstrip()


def header() -> str:
    """The titles of the columns, underlined."""
    return line([title for title, _ in COLUMNS]) + "\n" + line(["-" * w for _, w in COLUMNS])


def number(value: float, pattern: str) -> str:
    """Formats a number; an unknown one as a dash."""
    return "-" if math.isnan(value) else format(value, pattern)


def row_line(row: Row, outcome: Outcome) -> str:
    """The line of a row; for a skipped row, a second line gives the reason."""
    cells = line(
        [
            row.form.style,
            row.form.framework,
            row.way_in,
            row.way_out,
            row.dtype,
            number(outcome.build_ms, ".1f"),
            number(outcome.run_us, ".0f"),
            number(outcome.difference, ".1e"),
            number(outcome.accuracy, ".2%"),
            "FAIL" if outcome.problem else "skip" if outcome.skipped else "ok",
        ]
    )
    return f"{cells}\n    {outcome.skipped}" if outcome.skipped else cells


def row_name(row: Row) -> str:
    """The name of a row."""
    return f"{row.form.style}, {row.form.framework}, {row.way_in}, {row.way_out}, {row.dtype}"


def problem_texts(problems: Sequence[tuple[Row, str]]) -> list[str]:
    """Returns a text for each distinct problem, with the names of its rows above.

    problems: [(row, problem), ...].
    """
    rows_of: dict[str, list[str]] = {}
    for row, problem in problems:
        rows_of.setdefault(problem, []).append(f"FAIL {row_name(row)}")
    return [
        "\n".join([*names, *(f"    {line}" for line in problem.splitlines())])
        for problem, names in rows_of.items()
    ]
