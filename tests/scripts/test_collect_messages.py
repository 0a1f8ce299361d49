# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("collect", ROOT / "scripts" / "collect_messages.py")
collect = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(collect)


def holes(text: str) -> str:
    """Replaces each ~ by the page's placeholder for a value."""
    return text.replace("~", collect.HOLE)


def found(source: str) -> list[str]:
    return [collect.template(text) for text in collect.cpp_messages(source)]


def test_a_format_string_is_joined_and_its_values_become_holes():
    source = 'fail(kKind,\n "[run] input \'{}\': expected {:x} "\n "or more, got {}.", a("x"), b);'
    assert found(source) == [holes("[run] input '~': expected ~ or more, got ~.")]


def test_pieces_are_joined_around_their_values():
    source = 'throw ImportError(code, text("expected ", count, " inputs, got ", n, "."));'
    assert found(source) == [holes("expected ~ inputs, got ~.")]


def test_a_text_with_an_area_counts_wherever_it_stands():
    assert found('auto const text = "[plan] is damaged";') == ["[plan] is damaged"]


def test_other_texts_comments_and_includes_do_not_count():
    source = '#include "expected x.h"\n// "[run] expected"\nauto a = "words"; char c = \'"\';'
    assert found(source) == []


def test_the_name_of_what_is_refused_does_not_count():
    source = (
        'refuse("ragged softmax layer"); refuse("[buffer] expected a type"); refuse(at, "got");'
    )
    assert found(source) == ["got", "[buffer] expected a type"]


def test_python_messages():
    source = 'raise ValueError(f"{name}: expected {a!r}, got nothing")\nraise KeyError\n'
    assert list(collect.python_messages(source)) == [holes("~: expected ~, got nothing")]


def test_a_python_text_with_an_area_counts_wherever_it_stands():
    source = 'text = f"[network] {name}: this layer is not supported yet"\nother = f"of {name}"\n'
    expected = [holes("[network] ~: this layer is not supported yet")]
    assert list(collect.python_messages(source)) == expected


@pytest.mark.parametrize("text", ["~: ~", "[run] ~", "got", "setLocation(kHOST)"])
def test_a_text_of_holes_says_nothing(text):
    assert not collect.says_something(holes(text))


def test_lists_are_rewritten_and_words_between_them_kept():
    page = f"# Messages\n\n## run\n\nBy hand.\n\n{collect.block('run', ['[run] old text here'])}\n"
    new = collect.rewritten(page, {"run": ["[run] a new text"], "plan": ["[plan] is cut off"]})
    assert "By hand." in new
    assert collect.listed(new) == {"[run] a new text", "[plan] is cut off"}
    assert collect.rewritten(new, {"run": []}).count("- `") == 0


def test_the_page_lists_every_message_of_the_tree():
    page = collect.PAGE.read_text()
    missing = collect.listed(collect.rewritten(page, collect.collect())) - collect.listed(page)
    assert not missing, "run 'make format'"


def test_known_messages_are_found():
    messages = collect.collect()
    assert any("passes the end of the file" in text for text in messages["plan"])
    assert any("no address is bound" in text for text in messages["run"])
