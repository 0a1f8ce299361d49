# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The completion script of a program for bash, which needs no package of completions."""

import shlex
from collections.abc import Iterator

from kiln.cli.shell.program import Command, Option, Program

# bash splits words at "=" if COMP_WORDBREAKS says so, as it does by default. _NAME_split undoes
# that: "current" is what to complete, "option" the option before it, "prefix" what to put back.
_FUNCTIONS = r"""
_NAME_split() {
    current=${COMP_WORDS[COMP_CWORD]} option='' prefix=''
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $current == = ]]; then
        current='' option=$before
    elif [[ $before == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == --*=* ]]; then
        option=${current%%=*} prefix=${current%%=*}= current=${current#*=}
    else
        option=$before
    fi
}

_NAME_offer() {
    local word
    for word in "$@"; do
        if [[ $word == "$current"* ]]; then
            COMPREPLY+=("$prefix$word")
        fi
    done
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

_NAME_files() {
    local file
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        COMPREPLY+=("$prefix$file")
    done < <(compgen -f -- "$current")
}
"""
_FIND_COMMAND = r"""
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == = ]]; then
            ((i++))
        elif [[ -z $command && $word != -* ]]; then
            command=$word
        elif [[ -n $command && $word != -* && ${COMP_WORDS[i + 1]-} != = ]]; then
            ((arguments++))
        fi
    done
"""


def script(program: Program) -> str:
    """The script, which defines functions and registers one."""
    name = program.name
    commands = program.commands or [Command("", "", program.options)]
    lines = [f"_{name}() {{", "    local current option prefix command='' word i arguments=0"]
    lines += ["    COMPREPLY=()", f"    _{name}_split"]
    if program.commands:
        lines += _FIND_COMMAND.strip("\n").splitlines()
        commands = [Command("", "", program.options), *commands]
    lines += ["    case $command:$option in", *_values(name, commands), "    esac"]
    lines += _rest(name, commands)
    lines += ["    if [[ $current == -* ]]; then", "        case $command in"]
    for command in commands:
        offered = " ".join(shlex.quote(word) for word in _spelled(command))
        lines.append(f"            {shlex.quote(command.name)}) _{name}_offer {offered} ;;")
    lines += ["        esac", "        return", "    fi", "    case $command in"]
    for command in commands:
        lines.append(f"        {shlex.quote(command.name)}) {_argument(program, command)} ;;")
    lines += ["    esac", "}", "", f"complete -F _{name} {name}", ""]
    return _FUNCTIONS.replace("NAME", name) + "\n" + "\n".join(lines)


def _spelled(command: Command) -> Iterator[str]:
    """The options as they are typed, with "=" if a value follows."""
    for option in command.proposed():
        for name in option.names:
            yield name + "=" if option.value and name.startswith("--") else name


def _values(name: str, commands: list[Command]) -> Iterator[str]:
    """What may follow an option that has a value."""
    for command in commands:
        for option in command.options:
            if option.value:
                cases = "|".join(f"{command.name}:{spelled}" for spelled in option.names)
                yield f"        {cases}) {_value(name, option)}return ;;"


def _value(name: str, option: Option) -> str:
    if option.words:
        return f"_{name}_offer {' '.join(map(shlex.quote, option.words))}; "
    return f"_{name}_files; " if option.takes_file else ""


def _rest(name: str, commands: list[Command]) -> Iterator[str]:
    """Commands that start another program: its arguments are files, as far as is known."""
    for command in commands:
        if any(argument.rest for argument in command.arguments):
            yield f"    if [[ $command == {command.name} && $arguments -gt 0 ]]; then"
            yield f"        _{name}_files"
            yield "        return"
            yield "    fi"


def _argument(program: Program, command: Command) -> str:
    """What the arguments of a command can be; without a command the commands, or the options."""
    name = program.name
    if not command.name:
        words = [c.name for c in program.commands] or list(_spelled(program))
    elif not command.arguments:
        return ":"
    elif command.arguments[0].words:
        words = list(command.arguments[0].words)
    else:
        return f"_{name}_files"
    return f"_{name}_offer {' '.join(map(shlex.quote, words))}"
