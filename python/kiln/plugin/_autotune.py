# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""AutoTuneCombination: the types, formats and tactics that an op supports."""

import operator
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kiln._core import TensorFormat
from kiln._messages import coded
from kiln.plugin._choices import FORMATS, TYPES, Choice, expand, parse_choices

LINEAR = Choice((TensorFormat.LINEAR,), False)


class Configuration(NamedTuple):
    """Types and formats of all operands, inputs first."""

    types: tuple[Any, ...]
    formats: tuple[Any, ...]


class AutoTuneCombination:
    """Combinations of types and formats that an op supports, with the tactics to choose from.

    io_types: str, the types of inputs and outputs, as in ``"FP32|FP16, FP32|FP16"``. Commas
    separate operands. ``|`` separates alternatives that go together, the first of each operand with
    the first of the others; ``*`` separates alternatives that go with all of the other operands'.
    Names are FP32, FP16 and those of DataType. layouts: str, the formats in the same syntax, by the
    names of TensorFormat; a single one applies to all operands. Default: LINEAR.
    tactics: positive ints. Default: none.
    Example: ``trtp.AutoTuneCombination("FP32|FP16, FP32|FP16", "LINEAR", [1, 2])``.
    """

    def __init__(
        self,
        io_types: str | None = None,
        layouts: str | None = None,
        tactics: Iterable[int] | None = None,
    ) -> None:
        self.io_types: dict[int, Choice] = {}
        self.layouts: dict[int, Choice] = {}
        self.combinations: list[Configuration] = []
        self._tactics: list[int] = []
        self._common_layout = LINEAR
        if io_types is not None:
            self.io_types = dict(enumerate(parse_choices(io_types, TYPES, "io_types")))
        if layouts is not None:
            choices = parse_choices(layouts, FORMATS, "layouts")
            if len(choices) == 1:
                self._common_layout = choices[0]
            else:
                self.layouts = dict(enumerate(choices))
        if tactics is not None:
            self.tactics(tactics)

    def pos(self, pos: Iterable[int], io_types: str, layouts: str = "LINEAR") -> None:
        """Sets types and formats of single operands.

        pos: int or ints, inputs first. io_types, layouts: str, as in the constructor, for one
        operand; they apply to each of the positions.
        """
        chosen = []
        for text, names, what in ((io_types, TYPES, "io_types"), (layouts, FORMATS, "layouts")):
            choices = parse_choices(text, names, what)
            if len(choices) != 1:
                raise coded(
                    ValueError,
                    f"[plugin] AutoTuneCombination.pos, {what} {text!r}: expected the alternatives "
                    f"of one operand, got {len(choices)} operands",
                )
            chosen.append(choices[0])
        for index in [pos] if isinstance(pos, int) else pos:
            if operator.index(index) < 0:
                raise coded(
                    ValueError,
                    f"[plugin] AutoTuneCombination.pos: expected positions from 0, got {index}",
                )
            self.io_types[index], self.layouts[index] = chosen

    def tactics(self, tactics: Iterable[int]) -> None:
        """Sets the tactics to choose from. tactics: different ints above 0."""
        numbers = [operator.index(tactic) for tactic in tactics]
        for i, tactic in enumerate(numbers):
            if tactic <= 0 or tactic >= 1 << 31:
                raise coded(
                    ValueError,
                    "[plugin] AutoTuneCombination.tactics: expected ints from 1 to 2147483647, got "
                    f"{tactic}. 0 stands for an op without tactics.",
                )
            if tactic in numbers[:i]:
                raise coded(
                    ValueError,
                    f"[plugin] AutoTuneCombination.tactics: expected different tactics, got "
                    f"{tactic} twice",
                )
        self._tactics = numbers

    def _expand(self, count: int, where: str) -> Iterator[Configuration]:
        """Fills ``combinations`` for an op with ``count`` operands. ``where`` is for messages."""
        given = sorted({*self.io_types, *self.layouts})
        if sorted(self.io_types) != list(range(count)) or given != list(range(count)):
            listed = ", ".join(map(str, given)) or "none"
            raise coded(
                ValueError,
                f"[plugin] {where}: expected types for each of {count} operands, inputs first, got "
                f"those of operands {listed}. Give one entry of io_types for each.",
            )
        types = [self.io_types[i] for i in range(count)]
        formats = [self.layouts.get(i, self._common_layout) for i in range(count)]
        self.combinations = [
            Configuration(chosen, laid_out)
            for chosen in expand(types, "io_types")
            for laid_out in expand(formats, "layouts")
        ]
        return iter(self.combinations)
