# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Parses the strings that list the types and formats of an op's operands.

Commas separate operands, '|' or '*' separates the alternatives of one operand. Alternatives with
'|' go together, the first of each operand with the first of the others; with '*' each goes with
all.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kiln._core import DataType, TensorFormat
from kiln._messages import coded

TYPES: dict[str, Any] = {"FP32": DataType.FLOAT, "FP16": DataType.HALF}
TYPES.update((member.name, member) for member in DataType)
FORMATS: dict[str, Any] = {member.name: member for member in TensorFormat}


class Choice(NamedTuple):
    """The alternatives of one operand."""

    values: tuple[Any, ...]
    is_dependent: bool


def _pieces(text: str, separator: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """The stripped parts of a text and where each starts."""
    for part in text.split(separator):
        yield start + len(part) - len(part.lstrip()), part.strip()
        start += len(part) + 1


def parse_choices(text: Any, names: dict[str, Any], what: str) -> list[Choice]:
    """The choices of the operands in a text. ``what`` names the argument in messages."""
    if not isinstance(text, str):
        raise coded(
            TypeError,
            f"[plugin] AutoTuneCombination, {what}: expected a str such as "
            f"'{next(iter(names))}', got {type(text).__name__}",
        )
    choices = []
    for start, operand in _pieces(text, ","):
        separators = [mark for mark in "|*" if mark in operand]
        if len(separators) == 2:
            at = start + max(map(operand.index, separators)) + 1
            raise coded(
                ValueError,
                f"[plugin] AutoTuneCombination, {what} {text!r}, character {at}: expected one kind "
                "of separator in an operand, got both '|' and '*'",
            )
        values = []
        for at, name in _pieces(operand, separators[0] if separators else ",", start):
            if name not in names:
                raise coded(
                    ValueError,
                    f"[plugin] AutoTuneCombination, {what} {text!r}, character {at + 1}: expected "
                    f"one of {', '.join(names)}, got {name!r}",
                )
            values.append(names[name])
        choices.append(Choice(tuple(values), "|" in separators))
    return choices


def expand(choices: Sequence[Choice], what: str) -> Iterator[tuple[Any, ...]]:
    """Every combination of one alternative for each operand."""
    dependent = [i for i, choice in enumerate(choices) if choice.is_dependent]
    counts = {len(choices[i].values) for i in dependent}
    if len(counts) > 1:
        listed = ", ".join(f"{len(choices[i].values)} for operand {i}" for i in dependent)
        raise coded(
            ValueError,
            f"[plugin] AutoTuneCombination, {what}: expected as many alternatives with '|' for "
            f"each operand that has them, got {listed}",
        )
    for together in range(max(counts, default=1)):
        options = [
            choice.values[together : together + 1] if choice.is_dependent else choice.values
            for choice in choices
        ]
        yield from itertools.product(*options)
