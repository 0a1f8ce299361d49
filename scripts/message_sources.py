# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the messages in the sources, for collect_messages.py.

A message is a pattern: its text with a hole for each value, as it is printed. The pages show its
``template``: one line without backquotes.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["src", "python", "tools"]
GENERATED = "src/base/message_table.cpp"
HOLE = "\N{HORIZONTAL ELLIPSIS}"
LOOSE = "\x03"  # a hole before or after a part of a message

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
    "setError",
}

PYTHON_SINKS = {"_coded", "_warn", "coded", "message", "warn"}

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
CODE = re.compile(r" \([a-z]+-[0-9]+\)$")
ESCAPES = {"n": "\n", "t": "\t"}


def unescaped(literal: str) -> str:
    """The text of a C++ literal that is not raw."""
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), literal)


def cpp_tokens(source: str) -> list[tuple[str, str]]:
    """Tokens ('text', literal) and ('code', word or sign); adjacent literals are merged."""
    tokens: list[tuple[str, str]] = []
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind in ("comment", "space"):
            continue
        literal = match["raw"]
        if match["text"] is not None:
            literal = unescaped(match["text"])
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
    """Joins literals, with a hole for the code around them and for words that a condition picks."""
    text = ""
    index = 0
    while index < len(tokens):
        kind, value = tokens[index]
        before = tokens[index - 1][1] if index else ""
        is_choice = before in ("?", ":") and tokens[index - 1][0] == "code"
        if kind == "text" and not is_choice:
            text += value
        elif kind == "text" or value not in "(),{}+":
            text += HOLE
        if value == "format" and index + 2 < len(tokens) and tokens[index + 2][0] == "text":
            text += tokens[index + 2][1]  # its values are holes already
            index = arguments(tokens, index + 1)
        index += 1
    said = text.strip(HOLE)
    start, end = text.startswith(HOLE), text.endswith(HOLE)
    # A text that ends in a space waits for a value; else the code may come from elsewhere.
    last = HOLE if end and said.endswith(" ") else LOOSE * end
    return LOOSE * start + said + last


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
            said = [i for i in literals if says_something(template(tokens[i][1]))]
            yield tokens[(said or literals)[0]][1]
        elif literals:
            whole = joined(tokens[index + 2 : end])
            said = says_something(template(whole))
            yield from [whole] if said else (f"{LOOSE}{tokens[i][1]}{LOOSE}" for i in literals)
        used.update(range(index, end))
    for index, (kind, text) in enumerate(tokens):
        if kind == "text" and index not in used and (AREA.match(text) or "expected " in text):
            yield text if AREA.match(text) else f"{LOOSE}{text}{LOOSE}"


def python_messages(source: str) -> Iterator[str]:
    """Yields the messages in one Python file: raised, given to a sink, or with a tag."""
    nodes = list(ast.walk(ast.parse(source)))
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        call = node.exc if isinstance(node, ast.Raise) else node
        if isinstance(call, ast.Call):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if call is not node or name in PYTHON_SINKS:
                first = int(name in ("_coded", "coded"))  # after the type of the exception
                yield from map(python_text, call.args[first : first + 1])
        elif id(node) not in inner and AREA.match(python_text(node)):
            yield python_text(node)


def python_text(node: ast.AST) -> str:
    """A literal with a hole for each value in it; nothing for other expressions."""
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else HOLE for part in node.values)
        return "".join(map(str, parts))
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""


def pattern(text: str, whole: bool = True) -> str:
    """A message with one hole for the values between two words, and without its code.

    whole: with the holes around it, too.
    """
    text = text.replace("{{", "\x01").replace("}}", "\x02")
    text = re.sub(r"\{[^{}]*\}", HOLE, text).replace("\x01", "{").replace("\x02", "}")
    text = re.sub(rf"{HOLE}(\s*{HOLE})+", HOLE, text)
    return CODE.sub("", re.sub(rf"[{HOLE}{LOOSE}]+", HOLE, text) if whole else text)


def template(text: str) -> str:
    """Converts a message to its form on the page: one line, without the object before it."""
    text = pattern(text, whole=False).replace(LOOSE, "").replace("`", "'")
    return " ".join(text.split()).removeprefix(": ")


def says_something(text: str) -> bool:
    """Whether a message has words besides its holes: three, or two at its beginning."""
    if re.fullmatch(rf"\[[^]]*\]|expected {HOLE}, got {HOLE}", text):
        return False
    words = len(re.findall(r"[A-Za-z]{2,}", AREA.sub("", text)))
    starts = AREA.match(text) is not None and ":" in text
    return words >= 3 or (words == 2 and (starts or text.startswith(("expected ", "cannot "))))


def area_of(path: Path, text: str) -> str:
    """The tag of a message, or the area of the folder."""
    tagged = AREA.match(text)
    if tagged:
        return tagged[1]
    name = path.relative_to(ROOT).as_posix()
    folders = [folder for folder in AREA_OF_FOLDER if name.startswith(folder + "/")]
    folders += [folder for folder in AREA_OF_FOLDER if name.startswith(folder)]
    return AREA_OF_FOLDER[folders[0]]


def collect() -> dict[str, dict[str, set[str]]]:
    """The messages of the tree: area, template, patterns."""
    found: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h") and path != ROOT / GENERATED:
                texts = cpp_messages(path.read_text())
            elif path.suffix == ".py":
                texts = python_messages(path.read_text())
            else:
                continue
            for text in texts:
                if says_something(template(text)):
                    found[area_of(path, template(text))][template(text)].add(pattern(text))
    return {area: dict(texts) for area, texts in sorted(found.items())}
