# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A report as a picture in SVG, for documents."""

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from kiln.report._drawing import Edge, Node, picture, tensor_words
from kiln.report._palette import DARK, LIGHT

_MARGIN = 24.0


def _style() -> str:
    """Light colours, and dark ones where the reader's system asks for them."""

    def colors(palette: dict[str, str]) -> str:
        return "".join(f".{name}{{--c:{color}}}" for name, color in palette.items())

    return (
        "text{font:12px system-ui,sans-serif;fill:#1e293b}.t{font-weight:600}"
        ".s,.w{font-size:10px;fill:#475569}.w{stroke:#fff;stroke-width:3px;paint-order:stroke}"
        ".e{fill:none;stroke:#94a3b8;stroke-width:1.3}.a{fill:#94a3b8}.p{fill:#fff}"
        ".n{fill:var(--c);fill-opacity:.1;stroke:var(--c);stroke-width:1.4}"
        + colors(LIGHT)
        + "@media(prefers-color-scheme:dark){text{fill:#e2e8f0}"
        ".s,.w{fill:#a3b1c6}.w{stroke:#0f172a}"
        ".e{stroke:#64748b}.a{fill:#64748b}.p{fill:#0f172a}" + colors(DARK) + "}"
    )


def to_svg(report: dict[str, Any]) -> str:
    """The graph of a report as a complete SVG document.

    report: what describe() returned. Names are whole in the tooltips.
    """
    drawn = picture(report)
    width, height = drawn.width + 2 * _MARGIN, drawn.height + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_MARGIN} {-_MARGIN} {width:.0f} '
        f'{height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img" '
        f"aria-label={quoteattr(_plain(report['title']))}>",
        f"<style>{_style()}</style>",
        '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" '
        'orient="auto"><path class="a" d="M0 0L8 4L0 8z"/></marker>',
        f'<rect class="p" x="{-_MARGIN}" y="{-_MARGIN}" width="{width:.0f}" '
        f'height="{height:.0f}"/>',
    ]
    parts += [_edge(report, edge) for edge in drawn.edges]
    parts += _words(report, drawn.edges)
    parts += [_node(report, node) for node in drawn.nodes]
    return "\n".join([*parts, "</svg>", ""])


def _plain(text: str) -> str:
    """Without the characters that XML forbids."""
    return "".join(c if c in "\t\n" or c >= " " else " " for c in text)


def _edge(report: dict[str, Any], edge: Edge) -> str:
    at = edge.way[0]
    path = [f"M{at[0]:.1f} {at[1]:.1f}"]
    for x, y in edge.way[1:]:
        if abs(x - at[0]) < 0.2:
            path.append(f"V{y:.1f}")
        else:
            middle = (at[1] + y) / 2
            path.append(f"C{at[0]:.1f} {middle:.1f} {x:.1f} {middle:.1f} {x:.1f} {y:.1f}")
        at = (x, y)
    tensor = report["tensors"][edge.tensor]
    words = escape(_plain(f"{tensor['name']}: {tensor_words(tensor)}"))
    line = f'<path class="e" marker-end="url(#arrow)" d="{"".join(path)}">'
    return f"{line}<title>{words}</title></path>"


def _words(report: dict[str, Any], edges: list[Edge]) -> list[str]:
    """What each tensor is, once, where it leaves its node."""
    first = {(edge.start, edge.tensor): edge for edge in reversed(edges)}
    return [
        f'<text class="w" x="{edge.way[0][0] + 6:.1f}" y="{edge.way[0][1] + 15:.1f}">'
        f"{escape(tensor_words(report['tensors'][edge.tensor]))}</text>"
        for edge in first.values()
    ]


def _node(report: dict[str, Any], node: Node) -> str:
    left, top = node.x - node.width / 2, node.y - node.height / 2
    radius = 8 if node.layer is not None else node.height / 2
    name = report["layers"][node.layer]["name"] if node.layer is not None else node.title
    rows = [f'<g class="{node.family}"><title>{escape(_plain(name))}</title>']
    shape = f'x="{left:.1f}" y="{top:.1f}" width="{node.width:.1f}" height="{node.height:.1f}"'
    rows.append(f'<rect class="p" {shape} rx="{radius}"/><rect class="n" {shape} rx="{radius}"/>')
    texts = [node.title, *node.lines]
    at = node.y - (len(texts) - 1) * 7.5 + 4
    for number, text in enumerate(texts):
        kind = ' class="s"' if number else ' class="t"'
        rows.append(
            f'<text{kind} x="{node.x:.1f}" y="{at + number * 15:.1f}" text-anchor="middle">'
            f"{escape(_plain(text))}</text>"
        )
    return "".join([*rows, "</g>"])
