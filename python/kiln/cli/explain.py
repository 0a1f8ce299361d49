# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln explain``: what a message means, why it happens, and what to do."""

import argparse
import re
from dataclasses import asdict

from kiln import _messages
from kiln.cli.arguments import Commands, add_json, print_json, stop

_MOST_RELATED = 12


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("explain", help="explain a message by its code, such as run-17")
    command.add_argument(
        "message",
        nargs="+",
        metavar="CODE",
        help="the code at the end of a message, or the message itself in quotation marks",
    )
    add_json(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the explanations."""
    found = [_find(text) for text in arguments.message]
    if arguments.json:
        print_json([asdict(entry) for entry in found])
        return 0
    for index, entry in enumerate(found):
        print("\n" if index else "", end="")
        _show(entry)
    return 0


def _find(text: str) -> _messages.Explanation:
    """The explanation of a code or a message; ends the program if there is none."""
    code = text.strip().strip("()").lower()
    if not re.fullmatch(r"[a-z]+-\d+", code):
        code = _messages.code_of(_messages.message(text.strip())) or ""
        if not code:
            stop(f"[explain] expected a code such as run-17, or a message of Kiln, got '{text}'")
    known = _messages.explanations()
    if code not in known:
        earlier = _messages.retired().get(code)
        if earlier:
            stop(f"[explain] {code}: this version has no such message. It was: {earlier}")
        area = code.partition("-")[0]
        areas = sorted({other.rpartition("-")[0] for other in known})
        remedy = (
            f"The codes of {area} end at {max(_number(c) for c in known if _area(c) == area)}."
            if area in areas
            else f"The areas are {', '.join(areas)}."
        )
        stop(f"[explain] {code}: there is no such code. {remedy}")
    return known[code]


def _area(code: str) -> str:
    return code.rpartition("-")[0]


def _number(code: str) -> int:
    return int(code.rpartition("-")[2])


def _show(entry: _messages.Explanation) -> None:
    print(f"{entry.code}: {entry.message}\n")
    print(f"{entry.title}\n{'-' * len(entry.title)}")
    print(_plain(entry.text))
    if entry.related:
        more = len(entry.related) - _MOST_RELATED
        rest = f" and {more} more" if more > 0 else ""
        print(f"\nRelated: {', '.join(entry.related[:_MOST_RELATED])}{rest}")


def _plain(text: str) -> str:
    """Markdown for a terminal: without the addresses of links and the marks of code."""
    blocks = re.split(r"^```\w*\n(.*?)^```\n?", text, flags=re.M | re.S)
    for index, block in enumerate(blocks):
        if index % 2:
            blocks[index] = "".join(f"    {line}".rstrip() + "\n" for line in block.splitlines())
        else:
            block = re.sub(r"\[([^]]+)\]\((?!http)[^)]*\)", r"\1", block)
            blocks[index] = block.replace("`", "")
    return "".join(blocks)
