# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the direction of includes.

A lower folder of src/ never includes a higher one, targets never include each other, and code
outside libkiln (onnx, plugin_library, compat, python, tools, examples) includes only the public
headers and its own files.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A folder may include itself, the folders listed here, and everything that those may include.
BELOW = {
    "base": [],
    "graph": ["base"],
    "plugin": ["graph"],
    "target": ["graph"],
    "targets": ["target"],
    "plan": ["plugin", "target"],
    "runtime": ["plan"],
    "compiler": ["runtime"],
    "api": ["compiler"],
}
CLIENTS_IN_SRC = ["onnx", "plugin_library", "compat"]
CLIENT_FOLDERS = ["python", "tools", "examples"]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def reachable(folder: str) -> set[str]:
    """The folder and everything below it."""
    found = {folder}
    for lower in BELOW[folder]:
        found |= reachable(lower)
    return found


def layer(name: str) -> str:
    """The first folder of an include path, such as base in base/error.h."""
    return name.split("/")[0]


def is_in_src(name: str) -> bool:
    """Whether an include names a file or a folder of src/."""
    return "/" in name and (layer(name) in BELOW or layer(name) in CLIENTS_IN_SRC)


def check_internal(path: Path, folder: str, name: str) -> str:
    """The reason why a file of an internal folder may not include `name`; empty if it may."""
    if not is_in_src(name):
        return ""
    target = layer(name)
    if target not in reachable(folder):
        return f"src/{folder} may include {', '.join(sorted(reachable(folder)))}; got {name}"
    if folder == "targets" and target == "targets":
        own = path.relative_to(ROOT / "src").parts[1]
        if name.split("/")[1] != own:
            return f"target {own} may not name another target; got {name}"
    return ""


def check_client(own: str, path: Path, name: str) -> str:
    """The reason why a file outside libkiln may not include `name`; empty if it may."""
    local = (path.parent / name).exists()
    if is_in_src(name) and layer(name) != own and not local:
        return f"only the public headers are open to it; got {name}"
    if name.startswith("../"):
        return f"expected a path from an include folder, got {name}"
    return ""


def main() -> int:
    """Prints one line for each include that is not allowed."""
    failed = 0
    for top in ["include", "src", *CLIENT_FOLDERS]:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
                continue
            parts = path.relative_to(ROOT).parts
            for name in INCLUDE.findall(path.read_text()):
                if top == "src" and parts[1] in BELOW:
                    problem = check_internal(path, parts[1], name)
                else:
                    problem = check_client(parts[1] if top == "src" else "", path, name)
                if problem:
                    print(f"{path.relative_to(ROOT)}: {problem}")
                    failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
