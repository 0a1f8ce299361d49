# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Updates the codes and lists of messages from the sources.

Writes docs/messages/codes.txt (the code of each message), the lists in docs/messages/*.md, and the
table of the library, src/base/message_table.cpp. On the pages, groups and their words are written
by hand; a message may stand in any group of any page. New messages come to the end of the page of
their area, under "Not explained yet": move them to a group, or write one.

    collect_messages.py                  update everything; asks about messages in other words
    collect_messages.py --reworded CODE  the message keeps its code: it says the same in other words
    collect_messages.py --new CODE       it does not: the code is retired, and the message is new
    collect_messages.py --check          print what is not current; exit code 1 if there is anything
CODE may be "all".
"""

import argparse
import re
import sys
from pathlib import Path

import message_codes
from message_codes import REGISTER, TABLE, Register, number
from message_sources import FOLDERS, HOLE, ROOT, collect

PAGES = ROOT / "docs" / "messages"
UNEXPLAINED = "## Not explained yet"
ITEM = re.compile(r"^- (?:`([a-z]+-\d+)` )?`(.+)`$")


def page_of(area: str) -> Path:
    """The page with the heading of an area; pages of small areas may have several."""
    for path in sorted(PAGES.glob("*.md")):
        if re.search(rf"^# .*\b{area}\b", path.read_text(), re.MULTILINE):
            return path
    return PAGES / f"{area}.md"


def rewritten(page: str, register: Register, listed: set[str]) -> str:
    """A page with the current codes and messages in its lists, and without those that are gone.

    Adds the codes on the page to `listed`, each of which stands once.
    """
    codes = register.codes()
    lines = []
    for line in page.splitlines():
        item = ITEM.match(line)
        if item:
            text = item[2]
            code = codes.get(text) or codes.get(f"{text} {HOLE}")
            code = code or (item[1] if item[1] in register.used else None)
            if code is None or code in listed:
                continue
            listed.add(code)
            line = f"- `{code}` `{register.used[code]}`"
        lines.append(line)
    text = "\n".join(lines) + "\n"
    return re.sub(rf"\n*{UNEXPLAINED}\n+(?=#|\Z)", "\n", text)


def with_unexplained(page: str, codes: list[str], register: Register) -> str:
    """A page with more messages under the last heading."""
    if UNEXPLAINED not in page:
        page = f"{page.rstrip()}\n\n{UNEXPLAINED}\n\n"
    items = "".join(f"- `{code}` `{register.used[code]}`\n" for code in codes)
    return page.rstrip("\n") + ("\n" if page.rstrip().endswith("`") else "\n\n") + items


def pages(register: Register) -> dict[Path, str]:
    """The current text of each page."""
    listed: set[str] = set()
    texts = {
        path: rewritten(path.read_text(), register, listed) for path in sorted(PAGES.glob("*.md"))
    }
    missing: dict[Path, list[str]] = {}
    for code in sorted(set(register.used) - listed, key=number):
        missing.setdefault(page_of(number(code)[0]), []).append(code)
    for path, codes in missing.items():
        page = texts.get(path, f"# {path.stem}\n")
        texts[path] = with_unexplained(page, codes, register)
    return texts


def problems(texts: dict[Path, str], questions: list[str], register: Register) -> list[str]:
    """What has to be done by hand."""
    found = list(questions)
    for path, text in texts.items():
        name = path.relative_to(ROOT)
        for line in text.partition(UNEXPLAINED)[2].splitlines():
            if ITEM.match(line):
                found.append(f"{name}: not explained: {line[2:]}. Move it to a group of the page.")
    sources = [p for f in FOLDERS for p in (ROOT / f).rglob("*") if p.suffix in (".cpp", ".h")]
    return found + message_codes.undocumented(sources, register)


def main() -> int:
    """Rewrites or checks the files."""
    parser = argparse.ArgumentParser(description="Updates the codes and lists of messages.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--reworded", action="append", default=[], metavar="CODE")
    parser.add_argument("--new", action="append", default=[], metavar="CODE")
    options = parser.parse_args()
    messages = collect()
    register = Register.read(REGISTER.read_text() if REGISTER.exists() else "")
    questions = message_codes.update(register, messages, set(options.reworded), set(options.new))
    texts = pages(register)
    files = {REGISTER: register.text(), TABLE: message_codes.table(register, messages), **texts}
    found = problems(texts, questions, register)
    for path, text in files.items():
        if path.exists() and path.read_text() == text:
            continue
        if options.check:
            found.append(f"{path.relative_to(ROOT)}: run 'python scripts/collect_messages.py'.")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found) and (options.check or bool(questions)))


if __name__ == "__main__":
    sys.exit(main())
