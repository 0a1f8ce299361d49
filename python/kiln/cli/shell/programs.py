# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads the options of kiln from its argument parser, and those of trtexec from its --help."""

import argparse
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import kiln
from kiln.cli.shell import exit_codes
from kiln.cli.shell.program import FILE, Argument, Command, Option, Program

TRTEXEC = Path(kiln.__file__).parent / "bin" / "trtexec"

# Values with these names are one of a few words, which trtexec lists if it gets another one.
_OF_WORDS = ("LEVEL", "MODE", "SPEC", "KIND")
_WRONG_WORD = "@"
_EXPECTED = re.compile(rf"expected (?:one of )?([\w+]+(?:(?:, | or )[\w+]+)+), got '{_WRONG_WORD}'")


def kiln_program(parser: argparse.ArgumentParser) -> Program:
    """The command kiln, with all of its commands."""
    top = _command("kiln", parser.description or "", parser)
    commands = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            summaries = {choice.dest: choice.help or "" for choice in action._choices_actions}
            commands = [_command(n, summaries[n], p) for n, p in action.choices.items()]
    return Program(
        top.name, top.summary, top.options, [], commands, exit_codes.KILN, kiln.kiln_version
    )


def _command(name: str, summary: str, parser: argparse.ArgumentParser) -> Command:
    command = Command(name, summary)
    for action in parser._actions:
        text = (action.help or "").replace("%%", "%")
        words = tuple(map(str, action.choices or ()))
        repeated = action.nargs in ("*", "+") or isinstance(action, argparse._AppendAction)
        if isinstance(action, argparse._SubParsersAction):
            continue
        if not action.option_strings:
            title = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
            rest = action.nargs == argparse.REMAINDER
            command.arguments.append(Argument(title, text, words, repeated, rest))
            continue
        value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
        command.options.append(
            Option(tuple(action.option_strings), text, value, words, "", repeated)
        )
    return command


def trtexec_program(file: Path = TRTEXEC) -> Program:
    """The program trtexec, as it describes itself."""
    run = subprocess.run([file, "--help"], check=True, capture_output=True, text=True)
    options = []
    for group, spelled, text in trtexec_entries(run.stdout):
        names, _, value = spelled.partition("=")
        several = "several times" in text
        option = Option(tuple(names.split(",")), text, value, (), group, several)
        option.refused = text.startswith("Refused: ")
        if value in _OF_WORDS and not option.refused:
            option.words = _words(file, option.names[0])
        options.append(option)
    summary = run.stdout.splitlines()[0].rstrip(".")
    return Program(
        "trtexec", summary, options, [], [], exit_codes.TRTEXEC, version=kiln.kiln_version
    )


def trtexec_entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yields (group, option, help) from the output of ``trtexec --help``."""
    group = option = ""
    words: list[str] = []
    for line in [*text.splitlines(), "end:"]:
        head = re.fullmatch(r"(\S.*):", line)
        start = re.match(r"  (-\S+)(?: +(\S.*))?$", line)
        if (head or start) and option:
            yield group, option, " ".join(words)
            option = ""
        if head:
            group = head.group(1)
        elif start:
            option, words = start.group(1), [start.group(2)] if start.group(2) else []
        elif option and line.strip():
            words.append(line.strip())


def _words(file: Path, option: str) -> tuple[str, ...]:
    """The values of an option that takes one of a few words, from the message for a wrong one."""
    run = subprocess.run(
        [file, f"{option}={_WRONG_WORD}"], check=False, capture_output=True, text=True
    )
    expected = _EXPECTED.search(run.stdout + run.stderr)
    return tuple(re.split(", | or ", expected.group(1))) if expected else ()


def programs(parser: argparse.ArgumentParser) -> dict[str, Program]:
    """Both programs by name; trtexec only if it was built."""
    found = {"kiln": kiln_program(parser)}
    if TRTEXEC.is_file():
        found["trtexec"] = trtexec_program()
    return found


__all__ = ["FILE", "kiln_program", "programs", "trtexec_entries", "trtexec_program"]
