# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A report in the language of Graphviz."""

from typing import Any

from kiln.report._drawing import end_words, family_of, tensor_words, title_of
from kiln.report._palette import LIGHT
from kiln.report._words import time


def to_dot(report: dict[str, Any]) -> str:
    """The graph of a report as a Graphviz digraph, for ``dot -Tpdf``.

    report: what describe() returned. Layers are boxes, with operation, name, kernel and time;
    edges bear shape, type and format.
    """
    lines = [
        f"digraph {_quoted(report['title'])} {{",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=10];',
        '  edge [fontname="Helvetica", fontsize=8, color="#6b7280"];',
    ]
    for layer in report["layers"]:
        words = [title_of(layer), layer["name"], layer["kernel"], time(layer["microseconds"])]
        label = "\n".join(word for word in words if word)
        color = LIGHT[family_of(layer)]
        lines.append(
            f'  l{layer["id"]} [label={_quoted(label)}, fillcolor="{color}30", color="{color}"];'
        )
    for tensor in (*report["inputs"], *report["outputs"]):
        label = "\n".join(end_words(report["tensors"][tensor]))
        lines.append(f"  t{tensor} [label={_quoted(label)}, shape=ellipse, style=solid];")
    for edge in report["edges"]:
        tensor = edge["tensor"]
        start = f"t{tensor}" if edge["from"] is None else f"l{edge['from']}"
        end = f"t{tensor}" if edge["to"] is None else f"l{edge['to']}"
        lines.append(
            f"  {start} -> {end} [label={_quoted(tensor_words(report['tensors'][tensor]))}];"
        )
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
