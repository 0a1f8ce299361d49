# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages with their codes, and the pages that explain them."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from kiln import _core

E = TypeVar("E", bound=BaseException)

PAGES = Path(__file__).parent / "messages"

_ITEM = re.compile(r"^- `([a-z]+-\d+)` `(.+)`$")


def message(text: str) -> str:
    """A message of Kiln with its code at the end."""
    return _core._with_message_code(text)


def coded(kind: "type[E]", text: str, **more: Any) -> E:
    """An exception whose text ends with the code of its message."""
    return kind(message(text), **more)


def code_of(text: str) -> "str | None":
    """The code at the end of a message; None if there is none."""
    return _core.message_code(text) or None


@dataclass
class Explanation:
    """What is known about one code."""

    code: str
    message: str  # with an ellipsis for each value
    area: str  # what the introduction of the area's page says
    title: str  # of the group of messages
    text: str  # Markdown
    related: list[str]  # the codes of the same group


@cache
def explanations() -> dict[str, Explanation]:
    """All codes that are in use."""
    found: dict[str, Explanation] = {}
    for path in sorted(PAGES.glob("*.md")):
        introduction, *groups = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.M)
        area = introduction.partition("\n")[2].strip()
        for group in groups:
            title, _, body = group.partition("\n")
            items = [match for line in body.splitlines() if (match := _ITEM.match(line))]
            lines = (line for line in body.splitlines() if not _ITEM.match(line))
            text = "\n".join(lines).strip()
            codes = [item[1] for item in items]
            for code, pattern in (item.groups() for item in items):
                related = [other for other in codes if other != code]
                found[code] = Explanation(code, pattern, area, title, text, related)
    return found


@cache
def retired() -> dict[str, str]:
    """The messages that earlier versions had, by code."""
    lines = (PAGES / "codes.txt").read_text(encoding="utf-8").splitlines()
    entries = (line.partition(" (retired) ") for line in lines if " (retired) " in line)
    return {code: text for code, _, text in entries}
