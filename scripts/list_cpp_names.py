#!/usr/bin/env python3
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/include/cpp_names.txt, the names of the public C++ API with their types.

    python scripts/list_cpp_names.py cpp_api.json > tests/include/cpp_names.txt

The JSON describes the headers of the API: classes, enums, functions, typedefs and macros. It is not
kept in the tree. Left out: the tables of virtual functions behind the classes (namespace apiv,
classes named ...Impl), the pointers to them, include guards, and what a program cannot name
(deleted functions, destructors). Where releases differ in a result, the newer one counts.

Lines of the list, in namespace nvinfer1 where a name says no other:

    class NAME [: BASE...]        enum NAME TYPE
      TYPE NAME | ARGUMENTS         ENUMERATOR VALUE
    function TYPE NAME | ARGUMENTS, typedef NAME = TYPE, macro NAME
"""

import json
import re
import sys
from pathlib import Path

TYPES = {"bool", "char", "int", "float", "double", "void", "unsigned", "long", "short"}
HEADER = """# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# The public names of the C++ API; scripts/list_cpp_names.py wrote and explains them.
"""


def split_arguments(text: str) -> list[str]:
    """'int a = f(1, 2), T<A, B> b' -> ['int a = f(1, 2)', 'T<A, B> b']."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def type_of_argument(text: str) -> str:
    """'const char* name = nullptr' -> 'const char*'."""
    text = text.split("=")[0].strip()
    named = re.fullmatch(r"(.*[\s*&>])([A-Za-z_]\w*)(\[\d*\])?", text)
    if named is None or named.group(2) in TYPES:
        return text
    before = re.sub(r"\b(const|volatile)\b", "", named.group(1)).strip()
    return named.group(1).strip() + (named.group(3) or "") if before else text


def function_line(name: str, signature: str) -> str | None:
    """'virtual bool f(int32_t size) const noexcept = 0' -> 'bool f | int32_t | const'."""
    # Deleted functions, destructors and assignments cannot be named.
    if "delete" in signature or "~" in signature or "operator" in signature:
        return None
    shape = re.fullmatch(r"(.*?)\b" + re.escape(name) + r"(?:<T>)?\((.*)\)([^)]*)", signature)
    if shape is None:
        raise ValueError(f"cannot read {signature!r}")
    result = re.sub(r"\b(virtual|static|explicit|inline|constexpr)\b", "", shape.group(1)).strip()
    arguments = ", ".join(type_of_argument(own) for own in split_arguments(shape.group(2)))
    qualifiers = " ".join(re.findall(r"\bconst\b|&&?", shape.group(3)))
    is_static = re.search(r"\bstatic\b", shape.group(1))
    line = f"{'static ' if is_static else ''}{result} {name} | {arguments} | {qualifiers}"
    return (
        line.strip(" |").strip() if arguments or qualifiers else line.split("|")[0].strip() + " |"
    )


def class_lines(name: str, entry: dict) -> list[str]:
    """A class with its members."""
    bases = " : " + ", ".join(entry["bases"]) if entry.get("bases") else ""
    methods: dict[tuple, str] = {}  # newer releases come first
    for method in entry.get("methods", []):
        line = function_line(method["name"], method["sig"])
        access = "protected " if method.get("access") == "protected" else ""
        if line is not None:
            methods.setdefault((method["name"], *line.split("|")[1:]), f"  {access}{line}")
    lines = [f"class {name}{bases}", *methods.values()]
    for field in entry.get("fields", []):
        if field.get("access") is None:
            static = "static " if field.get("static") else ""
            lines.append(f"  field {static}{field['name']} {field['type']}")
    return lines


def enum_lines(name: str, entry: dict) -> list[str]:
    """An enum with its members."""
    lines = [f"enum {name} {entry['underlying']}"]
    for member, facts in entry["members"].items():
        value = facts["value"]
        lines.append(f"  {member} {value['10.x'] if isinstance(value, dict) else value}")
    return lines


def all_lines(api: dict) -> list[str]:
    """The list."""
    lines = []
    for name, entry in sorted(api["classes"].items()):
        is_internal = entry.get("internal") or name.endswith("Impl")
        if not is_internal and not entry.get("template"):
            lines += class_lines(name, entry)
    for name, entry in sorted(api["enums"].items()):
        lines += enum_lines(name, entry)
    for name, overloads in sorted(api["functions"].items()):
        for overload in overloads:
            line = function_line(name.rpartition("::")[2], overload["sig"])
            if line is not None and "template" not in overload["sig"] and "EnumMax" not in name:
                space = name.rpartition("::")[0]
                lines.append(f"function {space or '::'} {line}")
    lines += [
        f"typedef {name} = {entry['type']}" for name, entry in sorted(api["typedefs"].items())
    ]
    lines += [f"macro {name}" for name in sorted(api["macros"]) if not name.endswith("_INCLUDE")]
    return lines


def main() -> None:
    """Prints the list that the JSON on the command line gives."""
    api = json.loads(Path(sys.argv[1]).read_text())
    print(HEADER + "\n".join(all_lines(api)))


if __name__ == "__main__":
    main()
