# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site into build/site: python scripts/site/build.py

A dead link or anchor is an error. If nothing that the site shows has changed, this does nothing.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
STAMP = ROOT / "build" / "site.stamp"
PAGES = ("index", "404")
SHOWN = ("docs", "include", "python/kiln", "examples", "scripts/site", "benchmarks", "requirements")


def fingerprint() -> str:
    """A hash of everything that the site is made from."""
    digest = hashlib.sha256()
    files = [ROOT / "mkdocs.yml", ROOT / "CHANGELOG.md"]
    for folder in SHOWN:
        found = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        files += [path for path in found if path.parent.name != "__pycache__"]
    for path in sorted(files):
        state = path.stat()
        digest.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def main() -> int:
    """Returns the exit code of mkdocs."""
    current = fingerprint()
    if (SITE / "index.html").exists() and STAMP.exists() and STAMP.read_text() == current:
        return 0
    # Not --quiet: it hides warnings from --strict, which fails because of them.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    for _ in range(2):
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        # Once, on a busy machine, it ended with 0 without these two. The second run had them.
        if done.returncode != 0 or all((SITE / f"{name}.html").exists() for name in PAGES):
            break
    if done.returncode == 0:
        STAMP.write_text(current)
        print(f"[site] {SITE / 'index.html'}")
    else:
        print(f"{done.stdout}{done.stderr}", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
