# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "unity_groups.py"
UNNAMED = "namespace {{\n\n{}\n\n}} // namespace\n"


@pytest.fixture
def groups(tmp_path):
    """The groups of sources with the given texts, as sets of their names."""

    def run(size=10, headers=(), **texts):
        for name, text in dict(headers).items():
            (tmp_path / name).write_text(text)
        paths = []
        for name, text in texts.items():
            paths.append(tmp_path / f"{name}.cpp")
            paths[-1].write_text(text)
        command = [sys.executable, SCRIPT, str(size), *paths]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = {}
        for line in lines.splitlines():
            number, path = line.split(" ", 1)
            found.setdefault(number, set()).add(Path(path).stem)
        return list(found.values())

    return run


def test_files_that_share_nothing_go_together(groups):
    a, b = UNNAMED.format("int one() { return 1; }"), UNNAMED.format("int two() { return 2; }")
    assert groups(a=a, b=b) == [{"a", "b"}]
    assert groups(size=1, a=a, b=b) == [{"a"}, {"b"}]


@pytest.mark.parametrize(
    "own",
    [
        UNNAMED.format("int same(int x) {\n    return x;\n}"),
        UNNAMED.format("template <typename T>\nvoid same(T const& x) {}"),
        UNNAMED.format("struct same {\n};"),
        UNNAMED.format("using same = int;"),
        UNNAMED.format("constexpr int same[] = {1};"),
        "static int same;\n",
        "constexpr int same = 1;\n",
        "#define same 1\n",
    ],
)
def test_a_name_of_one_file_is_used_in_no_other_of_its_group(groups, own):
    assert groups(a=own, b=own) == [{"a"}, {"b"}]
    assert groups(a=own, b="int use() {\n    return same(1);\n}\n") == [{"a"}, {"b"}]
    assert groups(a="int same();\n", b=own) == [{"a"}, {"b"}]


def test_names_of_headers_count(groups):
    own = UNNAMED.format("int same() { return 1; }")
    headers = {"outer.h": '#include "inner.h"\n', "inner.h": "int same(int x);\n"}
    assert groups(headers=headers, a=own, b='#include "outer.h"\n') == [{"a"}, {"b"}]


def test_words_of_comments_and_texts_do_not_count(groups):
    own = UNNAMED.format("int same() { return 1; }")
    assert groups(a=own, b='char const* x = "same"; // same\n') == [{"a", "b"}]


def test_what_replaces_operator_new_stays_alone(groups):
    headers = {"counted.h": "void* operator new(std::size_t size) {\n}\n"}
    texts = {"a": "int a;\n", "b": '#include "counted.h"\n', "c": "int c;\n"}
    assert groups(headers=headers, **texts) == [{"a", "c"}, {"b"}]
    direct = "void operator delete(void* memory) noexcept {\n}\n"
    assert groups(a="int a;\n", b=direct, c="int c;\n") == [{"a", "c"}, {"b"}]
