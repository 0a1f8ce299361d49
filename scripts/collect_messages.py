# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Updates docs/messages.md from the messages in the sources.

The page has one section for each area (the word in brackets that starts a message). Text between
the heading and the marker of the list is written by hand; this script rewrites only the lists.

    collect_messages.py          rewrite the lists, add a section for each new area
    collect_messages.py --check  print missing and obsolete messages; exit code 1 if there are any
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "messages.md"
FOLDERS = ["src", "python", "tools"]
HOLE = "\N{HORIZONTAL ELLIPSIS}"

# Functions and types that take a message: FORMAT_SINKS as one fmt format string, PIECE_SINKS as
# several pieces.
FORMAT_SINKS = {"fail", "error", "warning", "Failure", "failCallback", "refuse", "problem"}
PIECE_SINKS = {"ImportError", "FormatError", "type_error", "value_error", "runtime_error", "raise"}
PIECE_SINKS |= {
    "report",
    "refuseNode",
    "failImport",
    "attribute_error",
    "buffer_error",
    "index_error",
}

# Area of messages without a tag, by folder; the first match counts.
AREA_OF_FOLDER = {
    "src/base": "kiln",
    "src/graph": "network",
    "src/plugin": "plugin",
    "src/target": "select",
    "src/plan": "plan",
    "src/runtime": "run",
    "src/compiler": "builder",
    "src/api": "kiln",
    "src/onnx": "onnx",
    "src/plugin_library": "plugin",
    "src/compat": "kiln",
    "python": "python",
    "tools": "trtexec",
}

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*)
      | R"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"
      | "(?P<text>(?:\\.|[^"\\\n])*)"
      | (?P<char>'(?:\\.|[^'\\\n])+')
      | (?P<word>\w+)
      | (?P<space>\s+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
AREA = re.compile(r"^\[([a-z]+)\] ")
START = "<!-- messages: {} (written by scripts/collect_messages.py) -->"
END = "<!-- end of messages -->"


def cpp_tokens(source: str) -> list[tuple[str, str]]:
    """Tokens ('text', literal) and ('code', word or sign); adjacent literals are merged."""
    tokens: list[tuple[str, str]] = []
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind in ("comment", "space"):
            continue
        literal = match["raw"] if match["raw"] is not None else match["text"]
        if literal is None:
            tokens.append(("code", match[0]))
        elif tokens and tokens[-1][0] == "text":
            tokens[-1] = ("text", tokens[-1][1] + literal)
        else:
            tokens.append(("text", literal))
    return tokens


def arguments(tokens: list[tuple[str, str]], start: int) -> int:
    """Index of the parenthesis that closes the one at `start`."""
    depth = 0
    for index in range(start, len(tokens)):
        kind, text = tokens[index]
        if kind == "code":
            depth += (text == "(") - (text == ")")
        if depth == 0:
            return index
    return len(tokens)


def joined(tokens: list[tuple[str, str]]) -> str:
    """Joins literals, with a hole for the code between two of them."""
    text = ""
    hole = False
    for kind, value in tokens:
        if kind == "text":
            text += (HOLE if hole and text else "") + value
            hole = False
        elif value not in "(),{}+":
            hole = True
    return text


def cpp_messages(source: str) -> Iterator[str]:
    """Yields the messages in one C++ file."""
    tokens = cpp_tokens(source)
    used: set[int] = set()
    for index, (kind, word) in enumerate(tokens[:-1]):
        is_call = kind == "code" and tokens[index + 1] == ("code", "(")
        if not is_call or index in used or word not in FORMAT_SINKS | PIECE_SINKS:
            continue
        end = arguments(tokens, index + 1)
        if word == "refuse" and end == index + 3:
            continue  # a text alone is the name of what is refused
        literals = [i for i in range(index + 1, end) if tokens[i][0] == "text"]
        if literals and word in FORMAT_SINKS and "text" not in {t for _, t in tokens[index:end]}:
            yield tokens[literals[0]][1]
        elif literals:
            yield joined(tokens[index + 2 : end])
        used.update(range(index, end))
    for index, (kind, text) in enumerate(tokens):
        if kind == "text" and index not in used and (AREA.match(text) or "expected " in text):
            yield text


def python_messages(source: str) -> Iterator[str]:
    """Yields the messages in one Python file: raised, given to _warn, or with a tag."""
    nodes = list(ast.walk(ast.parse(source)))
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        call = node.exc if isinstance(node, ast.Raise) else node
        if isinstance(call, ast.Call):
            if call is not node or getattr(call.func, "attr", "") == "_warn":
                yield from map(python_text, call.args[:1])
        elif id(node) not in inner and AREA.match(python_text(node)):
            yield python_text(node)


def python_text(node: ast.AST) -> str:
    """A literal with a hole for each value in it; nothing for other expressions."""
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else HOLE for part in node.values)
        return "".join(map(str, parts))
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""


def template(text: str) -> str:
    """Converts a message to its form on the page: one line, with a hole for each value."""
    text = text.replace("{{", "\x01").replace("}}", "\x02")
    text = re.sub(r"\{[^{}]*\}", HOLE, text).replace("\x01", "{").replace("\x02", "}")
    text = text.replace("\\n", " ").replace('\\"', '"').replace("\\\\", "\\").replace("`", "'")
    text = re.sub(rf"{HOLE}(\s*{HOLE})+", HOLE, text)
    return " ".join(text.split()).removeprefix(": ")


def says_something(text: str) -> bool:
    """Whether a message has at least three words besides its holes."""
    return len(re.findall(r"[A-Za-z]{2,}", AREA.sub("", text))) >= 3


def area_of(path: Path, text: str) -> str:
    """The tag of a message, or the area of the folder."""
    tagged = AREA.match(text)
    if tagged:
        return tagged[1]
    name = path.relative_to(ROOT).as_posix()
    folders = [folder for folder in AREA_OF_FOLDER if name.startswith(folder + "/")]
    folders += [folder for folder in AREA_OF_FOLDER if name.startswith(folder)]
    return AREA_OF_FOLDER[folders[0]]


def collect() -> dict[str, list[str]]:
    """The sorted messages of the tree, by area."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                texts = cpp_messages(path.read_text())
            elif path.suffix == ".py":
                texts = python_messages(path.read_text())
            else:
                continue
            for text in map(template, texts):
                if says_something(text):
                    found[area_of(path, text)].add(text)
    return {area: sorted(texts) for area, texts in sorted(found.items())}


def block(area: str, texts: list[str]) -> str:
    """The generated part of one section."""
    return "\n".join([START.format(area), *(f"- `{text}`" for text in texts), END])


def rewritten(page: str, messages: dict[str, list[str]]) -> str:
    """The page with updated lists."""
    for area in re.findall(re.escape(START).replace(r"\{\}", r"(\w+)"), page):
        pattern = re.escape(START.format(area)) + r".*?" + re.escape(END)
        new = block(area, messages.get(area, []))
        page = re.sub(pattern, lambda _, new=new: new, page, count=1, flags=re.DOTALL)
    for area, texts in messages.items():
        if START.format(area) not in page:
            page = page.rstrip("\n") + f"\n\n## {area}\n\n{block(area, texts)}\n"
    return page


def listed(page: str) -> set[str]:
    """The messages on the page."""
    return set(re.findall(r"^- `(.*)`$", page, re.MULTILINE))


def main() -> int:
    """Rewrites or checks the page."""
    old = PAGE.read_text() if PAGE.exists() else "# Messages\n"
    new = rewritten(old, collect())
    if "--check" not in sys.argv[1:]:
        if new != old:
            PAGE.write_text(new)
        return 0
    for text in sorted(listed(new) - listed(old)):
        print(f"docs/messages.md: missing: {text}")
    for text in sorted(listed(old) - listed(new)):
        print(f"docs/messages.md: no longer in the sources: {text}")
    if new != old:
        print("docs/messages.md: run 'python scripts/collect_messages.py'.")
    return int(new != old)


if __name__ == "__main__":
    sys.exit(main())
