# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Embeds the example programs in the documentation.

    python scripts/embed_examples.py [--check]

This script writes the code block after each line `<!-- embed: PATH -->` in docs/*.md: the file
without its licence header. --check writes nothing and exits with code 1 if a block is outdated.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = {".py": "python", ".cpp": "cpp"}
MARK = re.compile(r"(<!-- embed: (\S+) -->\n)(?:```(?:python|cpp)\n.*?\n```\n)?", re.DOTALL)


def block_of(path: Path) -> str:
    """The code block for a file."""
    lines = path.read_text().splitlines()
    while lines and ("SPDX-" in lines[0] or lines[0] in ("", "//")):
        del lines[0]
    return f"```{LANGUAGES[path.suffix]}\n" + "\n".join(lines) + "\n```\n"


def with_examples(text: str) -> str:
    """The document with updated code blocks."""
    return MARK.sub(lambda match: match.group(1) + block_of(ROOT / match.group(2)), text)


def main() -> int:
    """Rewrites the documents, or lists the outdated ones."""
    failed = 0
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text()
        expected = with_examples(text)
        if text == expected:
            continue
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)}: an example changed. Run 'make format'.")
            failed = 1
        else:
            path.write_text(expected)
    return failed


if __name__ == "__main__":
    sys.exit(main())
