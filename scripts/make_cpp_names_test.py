#!/usr/bin/env python3
# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ source that names all of tests/include/cpp_names.txt, with the types of the list.

    python scripts/make_cpp_names_test.py tests/include/cpp_names.txt OUTPUT

Compiling it is the test. scripts/list_cpp_names.py explains the list.
"""

import re
import sys
from pathlib import Path

PROLOGUE = """// Written by scripts/make_cpp_names_test.py.
#include "NvInfer.h"
#include "NvInferPlugin.h"
#include "NvOnnxConfig.h"
#include "NvOnnxParser.h"
#include "impl/NvInferPythonPlugin.h"

#include <type_traits>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace nvinfer1 {
namespace {

template <typename T>
using Type = T;

template <typename Class, typename Base>
constexpr bool isBase = std::is_base_of_v<Base, Class>;

"""
EPILOGUE = """
} // namespace
} // namespace nvinfer1
"""


class Lines:
    """What is written, with a number for each name that needs one of its own."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"check{self.count}"

    def add(self, line: str) -> None:
        """Appends a line."""
        self.lines.append(line)


def parts_of(line: str) -> tuple[str, str, str, str]:
    """'bool f | int32_t | const' -> ('bool', 'f', 'int32_t', 'const')."""
    pieces = [piece.strip() for piece in line.split("|")] + ["", ""]
    result, _, name = pieces[0].rpartition(" ")
    return result, name, pieces[1], pieces[2]


def write_member(out: Lines, cls: str, line: str) -> None:
    """A member function or a constructor."""
    is_protected = line.startswith("protected ")
    result, name, arguments, qualifiers = parts_of(line.removeprefix("protected "))
    if not result:  # a constructor; those of an abstract class cannot be named
        if not is_protected:
            types = "".join(f", {own}" for own in arguments.split(", ") if own)
            out.add(
                f"static_assert(std::is_abstract_v<{cls}> || "
                f"std::is_constructible_v<{cls}{types}>);"
            )
        return
    member = f"Type<{result}({arguments}) {qualifiers}> {cls}::*"
    if is_protected:  # a derived class may name it
        derived = out.name()
        out.add(
            f"class {derived} : public {cls} {{ static auto own() {{ "
            f"return static_cast<{member}>(&{derived}::{name}); }} }};"
        )
    else:
        out.add(f"[[maybe_unused]] constexpr {member} {out.name()} = &{cls}::{name};")


def write_field(out: Lines, cls: str, line: str) -> None:
    """A variable of a class."""
    static, name, kind = re.fullmatch(r"field (static )?(\S+) (.*)", line).groups()
    pointer = f"Type<{kind}>*" if static else f"Type<{kind}> {cls}::*"
    out.add(f"[[maybe_unused]] constexpr {pointer} {out.name()} = &{cls}::{name};")


def write_test(entries: list[str]) -> str:
    """The whole source."""
    out = Lines()
    owner, is_enum = "", False
    for line in entries:
        if line.startswith("  "):
            member = line.strip()
            if is_enum:
                name, value = member.split()
                out.add(f"static_assert(static_cast<int64_t>({owner}::{name}) == {value});")
            elif member.startswith("field "):
                write_field(out, owner, member)
            else:
                write_member(out, owner, member)
            continue
        kind, _, rest = line.partition(" ")
        is_enum = kind == "enum"
        if kind == "class":
            owner, _, bases = rest.partition(" : ")
            out.add(f"static_assert(sizeof({owner}) > 0);")
            for base in filter(None, bases.split(", ")):
                out.add(f"static_assert(isBase<{owner}, {base}>);")
        elif kind == "enum":
            owner, underlying = rest.split()
            out.add(
                f"static_assert(std::is_same_v<std::underlying_type_t<{owner}>, {underlying}>);"
            )
        elif kind == "function":
            space, _, function = rest.partition(" ")
            result, name, arguments, _ = parts_of(function)
            space = "" if space == "::" else f"{space}"
            out.add(
                f"[[maybe_unused]] constexpr Type<{result}({arguments})>* {out.name()} = "
                f"&{space}::{name};"
            )
        elif kind == "typedef":
            name, meaning = rest.split(" = ")
            out.add(f"static_assert(std::is_same_v<{name}, {meaning}>);")
        elif kind == "macro":
            out.add(f'#ifndef {rest}\n#error "{rest} is missing"\n#endif')
    return PROLOGUE + "\n".join(out.lines) + EPILOGUE


def main() -> None:
    """Reads the list and writes the source."""
    entries = [
        line for line in Path(sys.argv[1]).read_text().splitlines() if not line.startswith("#")
    ]
    Path(sys.argv[2]).write_text(write_test(entries))


if __name__ == "__main__":
    main()
