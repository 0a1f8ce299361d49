# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups C++ sources for unity builds: unity_groups.py <size> <source>...

Prints one line for each source: the group number and the path. Within a group, no source, and no
project header that it includes, uses a file-local name (unnamed namespace, static, macro) of
another source. So different files may use the same local names. A source that replaces operator new
gets its own group, because the compiler could inline the operator into other sources. The parser
relies on the project's format: such declarations start in column 1.
"""

import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE_FOLDERS = [ROOT / name for name in ("src", "tests", "python/src", "tools/trtexec")]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
UNNAMED = re.compile(r"^namespace \{$.*?^\} // namespace$", re.DOTALL | re.MULTILINE)
PRIVATE = re.compile(r"^(?:static|constexpr|const|thread_local)\b.*$", re.MULTILINE)
MACRO = re.compile(r"^#\s*define (\w+)", re.MULTILINE)
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)")
ALIAS = re.compile(r"using (\w+) =")
REPLACED = re.compile(r"^void\*? operator (?:new|delete)\b", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
# Lines that declare no name, or may be repeated in many files.
SKIPPED = re.compile(r"[\s}#)/]|using namespace|using [\w:]+;|namespace |template\b|$")


def declared(line: str) -> str:
    """The name declared by the first line of a declaration; empty if there is none."""
    if SKIPPED.match(line):
        return ""
    for pattern in (TYPE, ALIAS):
        if match := pattern.match(line):
            return match[1]
    head = re.split(r"[(={;\[]", line, maxsplit=1)[0]
    words = WORD.findall(head)
    # A single word is a macro, such as TEST or PIN.
    return words[-1] if len(words) > 1 else ""


@functools.cache
def found(folder: Path, name: str) -> list[Path]:
    """The project headers that `#include "name"` may mean in a file of a folder."""
    return [place / name for place in [folder, *INCLUDE_FOLDERS] if (place / name).is_file()]


def included(folder: Path, text: str) -> list[Path]:
    """The project headers that a file in a folder includes, given its text."""
    return [path for name in INCLUDE.findall(text) for path in found(folder, name)]


@functools.cache
def header_names(path: Path) -> frozenset[str]:
    """The names declared in a header and the headers that it includes."""
    text = path.read_text()
    names = {declared(line) for line in text.splitlines()}
    return frozenset(names).union(*map(header_names, included(path.parent, text)))


@functools.cache
def stays_alone(path: Path) -> bool:
    """Whether a source, or a file that it includes, replaces operator new or delete."""
    text = path.read_text()
    return bool(REPLACED.search(text)) or any(map(stays_alone, included(path.parent, text)))


def read(path: Path) -> tuple[set[str], set[str]]:
    """The file-local names of a source, and all words in it plus the names of its headers."""
    text = path.read_text()
    plain = RAW_STRING.sub('""', text)
    macros = set(MACRO.findall(plain))
    plain = COMMENT_OR_STRING.sub(
        lambda m: m[0] if m[0].startswith("// namespace") else '""', plain
    )
    lines = [line for block in UNNAMED.findall(plain) for line in block.splitlines()]
    lines += PRIVATE.findall(plain)
    own = {declared(line) for line in lines} | macros
    words = set(WORD.findall(plain))
    return own - {""}, words.union(*map(header_names, included(path.parent, text))) - {""}


def grouped(size: int, paths: list[Path]) -> list[list[Path]]:
    """The groups, each of at most `size` sources."""
    groups: list[tuple[list[Path], set[str], set[str]]] = []
    alone = [path for path in paths if stays_alone(path)]
    for path in paths:
        if path in alone:
            continue
        own, words = read(path)
        for members, taken, used in groups:
            if len(members) < size and not own & used and not taken & words:
                break
        else:
            members, taken, used = [], set(), set()
            groups.append((members, taken, used))
        members.append(path)
        taken |= own
        used |= words
    return [members for members, _, _ in groups] + [[path] for path in alone]


def main() -> int:
    """Prints the groups."""
    for number, members in enumerate(grouped(int(sys.argv[1]), [Path(p) for p in sys.argv[2:]])):
        for path in members:
            print(number, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
