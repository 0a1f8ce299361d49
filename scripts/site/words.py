# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of both references: a page being written, and the text of comments as Markdown."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)


@dataclass
class Page:
    """A generated page. anchors: the names that it explains."""

    title: str
    intro: str = ""
    parts: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)

    def heading(self, level: int, text: str, anchor: str) -> None:
        """Adds a heading, with the anchor only once on the page."""
        mark = ""
        if anchor not in self.anchors:
            self.anchors.append(anchor)
            # Markdown would read the underscores of "__init__" in attributes as bold.
            mark = f' <a id="{anchor}"></a>' if "__" in anchor else f" {{ #{anchor} }}"
        self.parts.append(f"{'#' * level} {plain(text)}{mark}")

    def code(self, language: str, text: str) -> None:
        """Adds a block of code."""
        self.parts.append(f"```{language}\n{text}\n```")

    def text(self) -> str:
        """The page as Markdown."""
        return "\n\n".join([f"# {self.title}", self.intro, *self.parts]) + "\n"


def plain(text: str) -> str:
    """The text with the characters escaped that Markdown or HTML would read as their own."""
    return re.sub(r"([*_<\[\]])", r"\\\1", text).replace("\\<", "&lt;")


def prose(text: str, parameters: Iterable[str], links: Mapping[str, str]) -> str:
    """The text of a comment as Markdown.

    A line that starts with a parameter and a colon becomes an item of a list; names in links
    become links.
    """
    names = set(parameters)
    text = re.sub(r":\w+:(?=`)", "", text)  # roles of reStructuredText
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        items: list[str] = []
        for line in paragraph.split("\n"):
            start = re.match(r"(\w+(?:, \w+)*): ", line)
            if start and names.issuperset(start[1].split(", ")):
                items.append(f"- **{start[1]}**: {line[start.end() :].strip()}")
            elif items:
                items[-1] += " " + line.strip()
            else:
                items.append(line.strip())
        first_item = next(
            (i for i, item in enumerate(items) if item.startswith("- **")), len(items)
        )
        if 0 < first_item < len(items):
            items.insert(first_item, "")
        paragraphs.append("\n".join(items))
    pieces = CODE.split("\n\n".join(paragraphs))
    return "".join(
        piece if index % 2 else linked(escaped(piece), links) for index, piece in enumerate(pieces)
    )


def escaped(text: str) -> str:
    """Escapes what is neither code nor a list's mark."""
    bold = re.split(r"(\*\*[\w, ]+\*\*)", text)
    return "".join(part if i % 2 else plain(part) for i, part in enumerate(bold))


def linked(text: str, links: Mapping[str, str]) -> str:
    """Turns names of classes that consist of several words into links."""
    return re.sub(
        r"\b[A-Z]+[a-z0-9]+\w*[A-Z]\w*\b|\bI[A-Z][a-z]\w+\b",
        lambda match: f"[{match[0]}]({links[match[0]]})" if match[0] in links else match[0],
        text,
    )
