# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A program's command line as data: what completion and manual pages are written from."""

from collections.abc import Iterator
from dataclasses import dataclass, field

FILE = "FILE"


@dataclass
class Option:
    """An option with all of its names."""

    names: tuple[str, ...]
    help: str
    value: str = ""  # what the help calls the value; empty for an option without one
    words: tuple[str, ...] = ()  # the values, if there are few
    group: str = ""
    repeated: bool = False
    refused: bool = False  # shown in the manual, never proposed

    @property
    def takes_file(self) -> bool:
        """Whether the value is the path of a file or folder."""
        return self.value in (FILE, "FOLDER")


@dataclass
class Argument:
    """An argument that has a place and no name."""

    name: str
    help: str
    words: tuple[str, ...] = ()  # the values; else it is a file
    repeated: bool = False
    rest: bool = False  # all that follows, options included, belongs to another program


@dataclass
class Command:
    """A command of a program, or a program without commands."""

    name: str
    summary: str
    options: list[Option] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)

    def proposed(self) -> Iterator[Option]:
        """The options that completion proposes."""
        return (option for option in self.options if not option.refused)


@dataclass
class Program(Command):
    """A program; its options are those that stand before a command."""

    commands: list[Command] = field(default_factory=list)
    exit_codes: dict[str, str] = field(default_factory=dict)
    version: str = ""
