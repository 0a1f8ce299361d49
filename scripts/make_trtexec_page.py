# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of options in docs/trtexec.md from the output of ``trtexec --help``.

    python scripts/make_trtexec_page.py [--check] [--trtexec FILE]

--check writes nothing and exits with code 1 if the page differs.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from kiln.cli.shell.programs import trtexec_entries

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "trtexec.md"
BEGIN = "<!-- options: written by scripts/make_trtexec_page.py -->\n"
END = "<!-- end of options -->\n"
EFFECTS = {
    "No effect: ": "no effect",
    "On cuda: ": "works on cuda",
    "Refused: ": "refused",
}


def table(text):
    """The entries as Markdown, one table for each group."""
    lines = []
    last = None
    for group, option, words in trtexec_entries(text):
        if group != last:
            lines += ["", f"### {group}", "", "| option | effect | |", "|---|---|---|"]
            last = group
        effect = "works"
        for prefix, name in EFFECTS.items():
            if words.startswith(prefix):
                effect, words = name, words[len(prefix) :]
        cell = words.replace("|", "\\|")
        shown = ", ".join(f"`{name}`" for name in re.split(r",(?=-)", option))
        lines.append(f"| {shown} | {effect} | {cell} |")
    return "\n".join(lines).lstrip("\n") + "\n\n"


def main():
    """Rewrites or compares the page; returns the exit code."""
    parser = argparse.ArgumentParser(description="Writes the options of docs/trtexec.md.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--trtexec", default=str(ROOT / "build" / "bin" / "trtexec"))
    arguments = parser.parse_args()
    run = subprocess.run([arguments.trtexec, "--help"], check=True, capture_output=True, text=True)
    old = PAGE.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN)
    new = before + BEGIN + "\n" + table(run.stdout) + END + rest.split(END)[1]
    if arguments.check:
        if new != old:
            print(f"{PAGE.name} differs from --help. Run python scripts/{Path(__file__).name}")
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
