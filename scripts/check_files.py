# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules that every source file of the tree keeps: licence header, ASCII, length, width."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".py", ".pyi", ".sh", ".cmake", ".fbs", ".txt"}
NO_HEADER_NEEDED = {".txt", ".pyi"}
HEADER = ("SPDX-FileCopyrightText: Kiln contributors", "SPDX-License-Identifier: Apache-2.0")
MAX_LINES = 600
MAX_COLUMNS = 100


def tracked() -> list[Path]:
    """The files that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    return [ROOT / name for name in sorted(names.decode().split("\0")) if name]


def problems(path: Path) -> list[str]:
    """What is wrong with one source file."""
    text = path.read_bytes()
    lines = text.splitlines()
    found = []
    head = b"\n".join(lines[:6]).decode(errors="replace")
    is_cmake = path.name == "CMakeLists.txt"
    if lines and (path.suffix not in NO_HEADER_NEEDED or is_cmake):
        found += [f"expected '{tag}' in its first lines" for tag in HEADER if tag not in head]
    if len(lines) > MAX_LINES:
        found.append(f"expected at most {MAX_LINES} lines, got {len(lines)}. Split it in two")
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            found.append(f"line {number}: expected ASCII, got {line.decode(errors='replace')!r}")
        if len(line) > MAX_COLUMNS and b"://" not in line:
            found.append(f"line {number}: expected at most {MAX_COLUMNS} columns, got {len(line)}")
    if text and not text.endswith(b"\n"):
        found.append("expected a newline at the end")
    return found


def main() -> int:
    """Prints one line for each problem."""
    failed = 0
    for path in tracked():
        if path.suffix not in SOURCES or not path.is_file():
            continue
        for problem in problems(path):
            print(f"{path.relative_to(ROOT)}: {problem}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
