# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The completion script of a program for fish."""

from collections.abc import Iterator

from kiln.cli.shell.program import Command, Option, Program


def script(program: Program) -> str:
    """The script: one line for each command, option and argument."""
    start = f"complete -c {program.name}"
    lines = [f"{start} -f"]  # no files where nothing says so
    if not program.commands:
        lines += [f"{start} {option}" for option in _options(program)]
    else:
        lines += [f"{start} -n __fish_use_subcommand {option}" for option in _options(program)]
    for command in program.commands:
        summary = _quoted(command.summary)
        lines.append(f"{start} -n __fish_use_subcommand -a {command.name} -d {summary}")
    for command in program.commands:
        inside = f"{start} -n '__fish_seen_subcommand_from {command.name}'"
        lines += [f"{inside} {option}" for option in _options(command)]
        if command.arguments:
            words = " ".join(command.arguments[0].words)
            lines.append(f"{inside} -a {_quoted(words)}" if words else f"{inside} -F")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _options(command: Command) -> Iterator[str]:
    for option in command.proposed():
        names = " ".join(
            f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
        )
        yield f"{names}{_value(option)} -d {_quoted(option.help)}"


def _value(option: Option) -> str:
    if option.words:
        return f" -xa {_quoted(' '.join(option.words))}"
    if option.takes_file:
        return " -rF"
    return " -x" if option.value else ""
