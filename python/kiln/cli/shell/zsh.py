# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The completion script of a program for zsh: a file of fpath, or text for eval."""

import re
from collections.abc import Iterator

from kiln.cli.shell.program import Argument, Command, Option, Program


def script(program: Program) -> str:
    """The script, which defines a function; loaded from fpath it also calls it."""
    name = program.name
    lines = [f"_{name}() {{"]
    if program.commands:
        lines += ['    local curcontext="$curcontext" state line', "    typeset -A opt_args"]
        ends = ["'1:command:->command'", "'*::argument:->argument'"]
        lines += _arguments("    ", [*_options(program), *ends], "-C ")
        lines += ["    case $state in", "        command)", "            local -a commands=("]
        for command in program.commands:
            lines.append(f"                {_quoted(f'{command.name}:{command.summary}')}")
        lines += ["            )", "            _describe command commands", "            ;;"]
        lines += ["        argument)", "            case $words[1] in"]
        for command in program.commands:
            lines.append(f"                {command.name})")
            specs = [*_options(command), *map(_argument, range(1, 99), command.arguments)]
            lines += [*_arguments(" " * 20, specs), " " * 20 + ";;"]
        lines += ["            esac", "            ;;", "    esac"]
    else:
        lines += _arguments("    ", list(_options(program)))
    lines += ["}", "", f'if [[ "$funcstack[1]" == _{name} ]]; then', f'    _{name} "$@"']
    lines += ["else", f"    compdef _{name} {name}", "fi", ""]
    return "\n".join(lines)


def _arguments(indent: str, specs: list[str], flags: str = "") -> list[str]:
    lines = [f"{indent}_arguments {flags}{chr(92)}"]
    lines += [f"{indent}    {spec} {chr(92)}" for spec in specs[:-1]]
    return [*lines, f"{indent}    {specs[-1]}"]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _escaped(text: str) -> str:
    """Text inside of a specification, where colons and brackets have a meaning."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def _options(command: Command) -> Iterator[str]:
    """A specification for each name of each option; one excludes the others."""
    for option in command.proposed():
        excluded = "" if option.repeated else f"({' '.join(option.names)})"
        for name in option.names:
            joined = "=" if option.value and name.startswith("--") else ""
            star = "*" if option.repeated else ""
            yield _quoted(
                f"{excluded}{star}{name}{joined}[{_escaped(option.help)}]{_value(option)}"
            )


def _value(option: Option) -> str:
    if not option.value:
        return ""
    action = "_files" if option.takes_file else " "
    if option.words:
        action = f"({' '.join(option.words)})"
    return f":{_escaped(option.value)}:{action}"


def _argument(number: int, argument: Argument) -> str:
    place = "*" if argument.repeated or argument.rest else str(number)
    action = f"({' '.join(argument.words)})" if argument.words else "_files"
    return _quoted(f"{place}:{argument.name}:{action}")
