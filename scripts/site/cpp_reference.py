# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages about the names in C++, from the comments of the public headers.

The headers are formatted by clang-format, so indentation tells what belongs to a class: a class
starts in the first column or at a multiple of four, its members four columns further, and it ends
with a closing brace in its own column.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from words import Page, prose

# Page, title, the headers on it below include/. The first expression that matches decides.
TOPICS = [
    ("layers", "Layers", r"kiln/api/network/(?!network_definition|tensor|layers|forward).*"),
    ("network", "Networks", r"kiln/api/network/.*|kiln/extra_layers\.h"),
    ("builder", "Builder and configuration", r"kiln/api/builder/.*|.*optimization_profile\.h"),
    ("onnx", "ONNX parser", r"kiln/api/onnx.*"),
    ("plugins", "Plugins", r"kiln/api/(plugin|quick/|dimension_expr).*"),
    (
        "data",
        "Data, shapes, logs",
        r"kiln/api/(data_type|dims|legacy_dims|logger|weights|tensor|error).*",
    ),
    ("runtime", "Runtime, engines, contexts", r"kiln/api/.*"),
    ("kiln", "Kiln's additions", r"kiln/[^/]*\.h"),
]
SCOPE = re.compile(r"(?:enum class|enum|class|struct)\s+(?:\w+_API\s+)?(\w+)[^;(]*\{$")


@dataclass
class Entry:
    """A documented declaration. members: those of a class."""

    name: str
    comment: str
    code: str
    members: "list[Entry]" = field(default_factory=list)


def pages(root: Path) -> dict[str, Page]:
    """The pages by name. root: the tree."""
    include = root / "include"
    result = {name: Page(f"C++: {title}") for name, title, _ in TOPICS}
    headers: dict[Path, list[Entry]] = {}
    links = {}
    for path in sorted((include / "kiln").rglob("*.h")):
        headers[path] = read(path.read_text())
        for entry in headers[path]:
            links[entry.name.rsplit("::", 1)[-1]] = f"{topic_of(path, include)}.md#{anchor(entry)}"
    for path, entries in headers.items():
        page = result[topic_of(path, include)]
        page.intro = "From the public headers; programs include `NvInfer.h`, `NvOnnxParser.h` or a "
        page.intro += "header of `kiln/`."
        for entry in entries:
            write(page, entry, 2, path.relative_to(include).as_posix(), links)
    return result


def topic_of(path: Path, include: Path) -> str:
    """The page of a header."""
    name = path.relative_to(include).as_posix()
    return next(page for page, _, names in TOPICS if re.fullmatch(names, name))


def anchor(entry: Entry) -> str:
    """The anchor of a declaration: its name with dots."""
    return entry.name.replace("::", ".")


def write(page: Page, entry: Entry, level: int, header: str, links: Mapping[str, str]) -> None:
    """Writes a declaration and its members; overloads share a heading."""
    name = entry.name.rsplit("::", 1)[-1]
    if anchor(entry) not in page.anchors:
        page.heading(level, name, anchor(entry))
        if level == 2:
            page.parts.append(f"`{header}`")
    page.code("cpp", entry.code)
    page.parts.append(markdown(entry.comment, links))
    for member in entry.members:
        write(page, member, level + 1, header, links)


def markdown(comment: str, links: Mapping[str, str]) -> str:
    """The text of a comment: its commands become lists and words."""
    text = re.sub(r"\s*\\return ", "\n\nReturns: ", comment)
    text = re.sub(r"\\(?:brief|note|p|c) ", "", text)
    names = []

    def item(match: re.Match[str]) -> str:
        names.append(match[1].strip())
        return f"\n{match[1].strip()}: "

    text = re.sub(r"\n?\\t?param (\w+(?:, \w+)*) ", item, text)
    return prose(text, [part for name in names for part in name.split(", ")], links)


def read(text: str) -> list[Entry]:
    """The documented declarations of a header."""
    reader = Reader(text.split("\n"))
    while reader.at < len(reader.lines):
        reader.step()
    return reader.entries


class Reader:
    """Reads a header line by line. open: the classes around, with their columns."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.entries: list[Entry] = []
        self.namespaces: list[str] = []
        self.open: list[tuple[int, Entry]] = []
        self.comment: list[str] = []
        self.private = False

    def step(self) -> None:
        """Reads one line, or a whole declaration."""
        line = self.lines[self.at]
        words = line.strip()
        column = len(line) - len(line.lstrip())
        if self.open and words.startswith("}") and column == self.open[-1][0]:
            self.open.pop()
            self.private = False
        elif start := re.match(r"(?:inline )?namespace (\w+) \{", words):
            self.namespaces.append(start[1])
        elif re.match(r"\} // namespace", words):
            self.namespaces.pop()
        elif re.match(r"(public|protected|private):$", words):
            self.private = words == "private:"
        elif words.startswith("//!") and "\\file" not in words:
            self.comment.append(words.removeprefix("//!").removeprefix(" "))
            self.at += 1
            return
        elif self.comment and words and not words.startswith(("#if", "#endif", "#pragma")):
            self.declaration(column)
        self.comment = []
        self.at += 1

    def declaration(self, column: int) -> None:
        """Reads the declaration at this line, which self.comment explains."""
        first = self.at
        code = self.lines[first].strip()
        while not re.search(r"[;{}]$", re.sub(r"\s*//.*", "", code)) and code[:1] != "#":
            self.at += 1
            code += "\n" + self.lines[self.at].rstrip()[column:]
        scope = SCOPE.search(re.sub(r"^template <.*>\n", "", code))
        comment = "\n".join(self.comment)
        if self.private:
            return
        if scope and not code.startswith("class"):  # the whole body is shown
            while not re.match(r"\};?", self.lines[self.at][column:]):
                self.at += 1
            body = [line[column:] for line in self.lines[first : self.at + 1]]
            self.add(Entry(scope[1], comment, "\n".join(body)))
        elif scope:
            entry = Entry(scope[1], comment, code.removesuffix(" {") + ";")
            self.add(entry)
            self.open.append((column, entry))
        elif name := name_of(code):
            self.add(Entry(name, comment, without_body(code)))

    def add(self, entry: Entry) -> None:
        """Adds an entry to the class around it, or to the header."""
        if self.open:
            entry.name = f"{self.open[-1][1].name}::{entry.name}"
            self.open[-1][1].members.append(entry)
        else:
            entry.name = "::".join([*self.namespaces, entry.name])
            self.entries.append(entry)


def without_body(code: str) -> str:
    """The declaration without the body of a function."""
    code = re.sub(r"\s*\{.*$", ";", code, flags=re.DOTALL)
    return re.sub(r"\s*//!<.*", "", code)


def name_of(code: str) -> str | None:
    """The name that a declaration makes."""
    text = re.sub(r"^template <[^\n]*>\n", "", code)
    for pattern in (
        r"#define (\w+)",
        r"using (\w+) =",
        r"((?:operator\S+|~?\w+))\(",
        r"(\w+)(?:\[\w*\])?(?: = [^;]*|\{.*\})?;",
    ):
        if found := re.search(pattern, text):
            return found[1]
    return None
