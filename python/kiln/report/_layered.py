# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A layered drawing of a directed graph without cycles.

The method is that of Sugiyama, Tagawa and Toda (1981): rows by longest path, order within rows by
the barycentre of neighbours, then positions. Two things differ. Long edges of one node share their
way down, so that a tensor that many layers read is one line with branches. And chains of layers are
exactly straight (`_positions.py`).

It is done here and not in the browser because a file then opens at once, also with thousands of
layers, and SVG needs it without a browser.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kiln.report._positions import positions

_SWEEPS_OF_ORDER = 10
_ROW_GAP = 44.0  # between rows: room for the words on an edge
_BEND_WIDTH = 12.0  # of the way of a long edge


@dataclass
class Drawing:
    """Centres of the nodes, and for each edge the points that it passes, from top to bottom."""

    places: list[tuple[float, float]] = field(default_factory=list)
    ways: list[list[tuple[float, float]]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


class Layers:
    """The nodes and the bends of long edges, row by row."""

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        edges: Sequence[tuple[int, int]],
        inputs: Sequence[int],
    ) -> None:
        self.sizes = sizes
        self.row = _rows(len(sizes), edges, inputs)
        self.real = len(sizes)
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.ways: list[list[int]] = []  # by edge: nodes and bends
        self._add_edges(edges)
        self.widths = [size[0] for size in sizes]
        self.widths += [_BEND_WIDTH] * (len(self.row) - self.real)
        self.rows: list[list[int]] = [[] for _ in range(max(self.row, default=-1) + 1)]
        for node in self._by_depth():
            self.rows[self.row[node]].append(node)

    def _add_edges(self, edges: Sequence[tuple[int, int]]) -> None:
        trunks: dict[int, list[int]] = {}  # by node: its bends, one for each row below it
        linked: set[tuple[int, int]] = set()

        def link(top: int, bottom: int) -> None:
            if (top, bottom) not in linked:
                linked.add((top, bottom))
                self.below[top].append(bottom)
                self.above[bottom].append(top)

        for start, end in edges:
            trunk = trunks.setdefault(start, [])
            length = self.row[end] - self.row[start] - 1
            while len(trunk) < length:
                self.row.append(self.row[start] + len(trunk) + 1)
                self.above.append([])
                self.below.append([])
                trunk.append(len(self.row) - 1)
            way = [start, *trunk[:length], end]
            for top, bottom in pairwise(way):
                link(top, bottom)
            self.ways.append(way)

    def _by_depth(self) -> list[int]:
        """Depth first from the top, so that what belongs together starts side by side."""
        seen = [False] * len(self.row)
        order = []
        for root in range(len(self.row)):
            stack = [root] if not self.above[root] else []
            while stack:
                node = stack.pop()
                if not seen[node]:
                    seen[node] = True
                    order.append(node)
                    stack.extend(reversed(self.below[node]))
        return order


def _rows(count: int, edges: Sequence[tuple[int, int]], inputs: Sequence[int]) -> list[int]:
    """The row of each node: the longest path to it, or further down, nearer to its readers.

    What depends on no input, such as shapes and masks that are computed from constants, stands
    right above its first reader. So does what has more readers than operands.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    above: list[list[int]] = [[] for _ in range(count)]
    for start, end in edges:
        below[start].append(end)
        above[end].append(start)
    waits = [len(own) for own in above]
    order = [node for node in range(count) if waits[node] == 0]
    row = [0] * count
    depends = [False] * count
    for node in inputs:
        depends[node] = True
    for node in order:  # which grows
        for end in below[node]:
            row[end] = max(row[end], row[node] + 1)
            depends[end] = depends[end] or depends[node]
            waits[end] -= 1
            if waits[end] == 0:
                order.append(end)
    for node in reversed(order):
        if below[node] and (not depends[node] or len(above[node]) < len(below[node])):
            row[node] = min(row[end] for end in below[node]) - 1
    return row


def _crossings(graph: Layers) -> int:
    """How often edges cross, row by row, counted as inversions with a Fenwick tree."""
    total = 0
    for row in range(len(graph.rows) - 1):
        place = {node: number for number, node in enumerate(graph.rows[row + 1])}
        ends = [
            end
            for node in graph.rows[row]
            for end in sorted(place[below] for below in graph.below[node])
        ]
        tree = [0] * (len(place) + 1)
        for seen, end in enumerate(ends):
            at, before = end + 1, 0
            while at > 0:
                before += tree[at]
                at -= at & -at
            total += seen - before
            at = end + 1
            while at <= len(place):
                tree[at] += 1
                at += at & -at
    return total


def _order(graph: Layers) -> None:
    """Sorts each row by the places of the neighbours, from above and from below in turn."""
    best = [list(row) for row in graph.rows]
    fewest = _crossings(graph)
    for sweep in range(_SWEEPS_OF_ORDER):
        if fewest == 0:
            break
        down = sweep % 2 == 0
        neighbours = graph.above if down else graph.below
        place: dict[int, float] = {}
        for row in graph.rows if down else reversed(graph.rows):
            own = {}
            for number, node in enumerate(row):
                near = neighbours[node]
                own[node] = sum(place[one] for one in near) / len(near) if near else float(number)
            row.sort(key=own.__getitem__)
            place.update((node, float(number)) for number, node in enumerate(row))
        count = _crossings(graph)
        if count < fewest:
            fewest = count
            best = [list(row) for row in graph.rows]
    graph.rows = best


def draw(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    inputs: Sequence[int] = (),
) -> Drawing:
    """Places nodes and edges.

    sizes: widths and heights of the nodes. edges: pairs of nodes, which form no cycle. inputs: the
    nodes at which the flow begins; other nodes without operands are constants.
    """
    if not sizes:
        return Drawing()
    graph = Layers(sizes, edges, inputs)
    _order(graph)
    x = positions(graph)
    heights = [
        max((sizes[node][1] for node in row if node < graph.real), default=0.0)
        for row in graph.rows
    ]
    tops = [0.0]
    for height in heights:
        tops.append(tops[-1] + height + _ROW_GAP)
    left = min(x[node] - graph.widths[node] / 2 for node in range(len(x)))
    drawing = Drawing(
        width=max(x[node] + graph.widths[node] / 2 for node in range(len(x))) - left,
        height=tops[-1] - _ROW_GAP,
    )
    middle = [tops[row] + heights[row] / 2 for row in range(len(heights))]
    drawing.places = [(x[node] - left, middle[graph.row[node]]) for node in range(graph.real)]
    for way in graph.ways:
        start, *bends, end = way
        points = [(x[start] - left, middle[graph.row[start]] + sizes[start][1] / 2)]
        for bend in bends:
            row = graph.row[bend]
            points.append((x[bend] - left, tops[row]))
            points.append((x[bend] - left, tops[row] + heights[row]))
        points.append((x[end] - left, middle[graph.row[end]] - sizes[end][1] / 2))
        drawing.ways.append(_without_straights(points))
    return drawing


def _without_straights(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points of a way, but those in the middle of a vertical line."""
    kept = points[:1]
    for point, after in pairwise(points[1:]):
        if abs(kept[-1][0] - point[0]) > 0.05 or abs(point[0] - after[0]) > 0.05:
            kept.append(point)
    return [*kept, points[-1]]
