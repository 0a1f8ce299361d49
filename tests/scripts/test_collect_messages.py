# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import collect_messages  # noqa: E402
import message_sources as collect  # noqa: E402
from message_codes import REGISTER, Register, number, quoted, update  # noqa: E402


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
    patterns = [collect.pattern(text) for text in collect.cpp_messages(source)]
    assert patterns == [holes("~expected ~ inputs, got ~.")]


def test_words_that_a_condition_picks_are_a_value():
    source = 'fail(text("expected ", n == 1 ? "one input" : "inputs", ", got ", n, " of them."));'
    assert found(source) == [holes("expected ~, got ~ of them.")]


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


def register(**messages: list[str]) -> Register:
    """A register with the messages of areas, numbered from 1."""
    used = {f"{a}-{i}": text for a, texts in messages.items() for i, text in enumerate(texts, 1)}
    return Register(used)


def tree(**messages: list[str]) -> dict[str, dict[str, set[str]]]:
    return {area: {text: {text} for text in texts} for area, texts in messages.items()}


def test_a_new_message_gets_the_next_number_of_its_area():
    codes = register(run=["[run] old words"], plan=["[plan] is cut"])
    assert (
        update(codes, tree(run=["[run] old words", "[run] a new one"], plan=[]), set(), set()) == []
    )
    assert codes.used == {"run-1": "[run] old words", "run-2": "[run] a new one"}
    assert codes.retired == {"plan-1": "[plan] is cut"}


def test_a_number_is_not_used_again():
    codes = register(run=["[run] first", "[run] of another kind"])
    update(codes, tree(run=["[run] first"]), set(), set())
    update(codes, tree(run=["[run] first", "[run] without any likeness"]), set(), set())
    assert codes.used["run-3"] == "[run] without any likeness"
    assert Register.read(codes.text()) == codes
    update(codes, tree(run=["[run] first", "[run] of another kind"]), set(), set())
    assert codes.used["run-2"] == "[run] of another kind"


@pytest.mark.parametrize(
    ("reworded", "new"), [(set(), set()), ({"run-1"}, set()), (set(), {"all"})]
)
def test_a_message_in_other_words_keeps_its_code_if_somebody_says_so(reworded, new):
    old, now = "[run] input: expected 3 values", "[run] input: expected 3 values or more"
    codes = register(run=[old])
    questions = update(codes, tree(run=[now]), reworded, new)
    if new:
        assert codes.used == {"run-2": now}
    else:
        assert codes.used == {"run-1": now if reworded else old}
        assert bool(questions) != bool(reworded)


def test_lists_get_codes_and_words_between_them_are_kept():
    codes = register(run=["[run] first here", "[run] second"])
    page = "# run\n\n## One\n\nBy hand.\n\n- `[run] first here`\n- `[run] is gone`\n"
    listed = set()
    new = collect_messages.rewritten(page, codes, listed)
    assert new == "# run\n\n## One\n\nBy hand.\n\n- `run-1` `[run] first here`\n"
    assert listed == {"run-1"}
    more = collect_messages.with_unexplained(new, ["run-2"], codes)
    assert more.endswith("## Not explained yet\n\n- `run-2` `[run] second`\n")
    assert collect_messages.rewritten(more, codes, set()) == more


def test_patterns_are_literals_of_cpp():
    assert quoted(holes('"~" \\ \n')) == r'"\"\a\" \\ \n"'


def test_codes_and_pages_are_current():
    script = ROOT / "scripts" / "collect_messages.py"
    run = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_codes_mean_what_they_meant():
    """Some codes that programs may know. A code never changes its meaning."""
    known = Register.read(REGISTER.read_text()).used
    for code, words in {
        "run-21": "expected a shape from",
        "kiln-4": "host memory ran out",
        "onnx-5": "host memory ran out",
    }.items():
        assert words in known[code]
    assert sorted(known, key=number) == list(known)


def test_known_messages_are_found():
    messages = collect.collect()
    assert any("passes the end of the file" in text for text in messages["plan"])
    assert any("no address is bound" in text for text in messages["run"])
