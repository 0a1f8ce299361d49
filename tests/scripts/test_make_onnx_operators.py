# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of ONNX operators that the parser checks nodes against."""

import re
from pathlib import Path

import pytest

from onnx import defs

ROWS = Path(__file__).resolve().parents[2] / "src" / "onnx" / "operator_rows.inc"
ROW = re.compile(r'\{"(\w+)", (\d+), \{(\w+), (\w+)\}, \{(\w+), (\w+)\}, \{([-\d, ]+)\}\},')


def number(text):
    return 2**31 - 1 if text == "kUnbounded" else int(text)


def table():
    """Arities and types by operator and first operator set, in the order of the file."""
    found = {}
    for name, since, *arity, types in ROW.findall(ROWS.read_text()):
        row = *map(number, arity), tuple(int(text) for text in types.split(","))
        found.setdefault(name, {})[int(since)] = row
    return found


def test_rows_are_sorted_as_the_parser_searches_them():
    keys = [(name, since) for name, versions in table().items() for since in versions]
    assert keys == sorted(keys)


@pytest.mark.parametrize("opset", range(7, 22))
def test_arities_are_those_of_the_standard(opset):
    rows = table()
    schemas = {s.name for s in defs.get_all_schemas_with_history() if s.domain == ""}
    assert set(rows) == schemas
    for name in schemas:
        if not defs.has(name, opset):
            continue
        schema = defs.get_schema(name, opset)
        versions = [since for since in rows[name] if since <= opset]
        expected = (schema.min_input, schema.max_input, schema.min_output, schema.max_output)
        assert rows[name][max(versions)][:-1] == expected, name


@pytest.mark.parametrize(
    ("name", "like"),
    [("Add", (0, -1, -1)), ("Where", (1, -1, -1)), ("TopK", (0, -1, -1)), ("Cast", (-1, -1, -1))],
)
def test_outputs_have_the_types_of_inputs(name, like):
    rows = table()[name]
    assert rows[max(rows)][-1] == like
