# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file, which needs nothing else and opens no connection."""

import html
import json
from pathlib import Path
from typing import Any

from kiln.report._compare import match
from kiln.report._drawing import Picture, picture
from kiln.report._palette import DARK, LIGHT
from kiln.report._words import DOT

_PAGE = Path(__file__).parent / "page"
# In this order: later ones name earlier ones when they are read.
_SCRIPTS = (
    "words",
    "plan",
    "painter",
    "graph",
    "hand",
    "strip",
    "list",
    "panel",
    "summary",
    "keys",
    "main",
)


def to_html(report: dict[str, Any], other: "dict[str, Any] | None" = None) -> str:
    """The page of a report: a complete HTML document.

    report: what describe() returned. other: a second report to show side by side with it.
    """
    reports = [report] if other is None else [report, other]
    data = {
        "reports": reports,
        "pictures": [_numbers(picture(one)) for one in reports],
        "pairs": None if other is None else match(report, other),
        "palette": {"light": LIGHT, "dark": DARK},
    }
    title = " and ".join(one["source"] or one["title"] for one in reports)
    parts = {
        "@TITLE@": html.escape(f"{title} {DOT} Kiln report"),
        "@STYLE@": (_PAGE / "page.css").read_text(encoding="utf-8"),
        "@SCRIPT@": "".join(
            (_PAGE / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS
        ),
        "@DATA@": _inside_script(data),
    }
    page = (_PAGE / "page.html").read_text(encoding="utf-8")
    for name, text in parts.items():  # the data last: it may contain anything
        before, after = page.split(name)
        page = before + text + after
    return page


def to_frame(
    report: dict[str, Any], other: "dict[str, Any] | None" = None, height: int = 640
) -> str:
    """The page of a report as an element for a notebook, for ``_repr_html_``.

    report, other: as to_html() takes them. height: of the frame, in pixels. The frame is sandboxed:
    its script cannot reach the notebook.
    """
    page = html.escape(to_html(report, other))
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="{height}" '
        'style="border: 1px solid #8886; border-radius: 8px" title="Kiln report"></iframe>'
    )


def _inside_script(data: Any) -> str:
    """JSON that no HTML parser takes for the end of its element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("utf-8", "replace").decode("utf-8")


def _numbers(drawn: Picture) -> dict[str, Any]:
    return {
        "width": round(drawn.width, 1),
        "height": round(drawn.height, 1),
        "nodes": [
            [node.layer, node.tensor, node.title, node.lines, node.family]
            + [round(number, 1) for number in (node.x, node.y, node.width, node.height)]
            for node in drawn.nodes
        ],
        "edges": [
            [edge.start, edge.end, edge.tensor, [round(n, 1) for point in edge.way for n in point]]
            for edge in drawn.edges
        ],
    }
