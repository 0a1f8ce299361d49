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
        "text{font:12px system-ui,sans-serif;fill:#1e293b}.s{font-size:10px;fill:#475569}"
        ".e{fill:none;stroke:#94a3b8;stroke-width:1.3}.p{fill:#fff}"
        ".n{fill:var(--c);fill-opacity:.1;stroke:var(--c);stroke-width:1.4}"
        + colors(LIGHT)
        + "@media(prefers-color-scheme:dark){text{fill:#e2e8f0}.s{fill:#a3b1c6}"
        ".e{stroke:#64748b}.p{fill:#0f172a}" + colors(DARK) + "}"
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
        f'<rect class="p" x="{-_MARGIN}" y="{-_MARGIN}" width="{width:.0f}" '
        f'height="{height:.0f}"/>',
    ]
    parts += [_edge(report, edge) for edge in drawn.edges]
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
    return f'<path class="e" d="{"".join(path)}"><title>{words}</title></path>'


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
        kind = ' class="s"' if number else ' font-weight="600"'
        rows.append(
            f'<text{kind} x="{node.x:.1f}" y="{at + number * 15:.1f}" text-anchor="middle">'
            f"{escape(_plain(text))}</text>"
        )
    return "".join([*rows, "</g>"])
