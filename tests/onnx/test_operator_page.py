# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of operators in docs/onnx.md lists what the parser takes, and nothing else."""

import re
from pathlib import Path

import kiln as trt

import onnx

PAGE = Path(__file__).parents[2] / "docs" / "onnx.md"


def test_operators():
    table = PAGE.read_text().partition("| operators |")[2].partition("<!-- end")[0]
    listed = [
        name
        for row in table.splitlines()
        for name in re.findall(r"`(\w+)`", "|".join(row.split("|")[:2]))
    ]
    parser = trt.OnnxParser(trt.Builder(trt.Logger()).create_network(), trt.Logger())
    standard = {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == ""}
    standard.add("SimplifiedLayerNormalization")  # exporters write it in this domain
    assert len(listed) == len(set(listed))
    assert set(listed) == {name for name in standard if parser.supports_operator(name)}
