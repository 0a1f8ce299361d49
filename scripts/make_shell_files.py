# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes packaging/shell: manual pages and completion scripts as they are installed.

    python scripts/make_shell_files.py [--check]

Both programs must be built: their own options are what is written. --check writes nothing and exits
with code 1 if a file differs.
"""

import argparse
import sys
from pathlib import Path

from kiln import cli
from kiln.cli import completion
from kiln.cli.shell import manual
from kiln.cli.shell.programs import programs

FOLDER = Path(__file__).resolve().parents[1] / "packaging" / "shell"
NAMES = {"bash": "{}", "zsh": "_{}", "fish": "{}.fish"}  # what each shell looks for


def files():
    """Yields the path in the folder and the text of each file."""
    for name, program in programs(cli.parser()).items():
        yield f"man/{name}.1", manual.page(program)
        for shell, spelled in NAMES.items():
            yield f"{shell}/{spelled.format(name)}", completion.script(shell, name, program)


def main():
    """Rewrites or compares the files; returns the exit code."""
    parser = argparse.ArgumentParser(description="Writes manual pages and completion scripts.")
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    failed = 0
    for name, text in files():
        file = FOLDER / name
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"packaging/shell/{name} is old. Run python scripts/{Path(__file__).name}")
            failed = 1
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
