# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Horizontal positions in a layered drawing, with straight chains.

First, which edges are straight: greedily, without crossings, at most one above and one below each
node. Long edges come first, then edges between nodes. Nodes that straight edges join are a block,
which has one position. As in the method of Brandes and Koepf (2002), blocks are ordered from left
to right, since they do not cross. Then blocks move to where their other neighbours are: pushing to
the right what is too near, and pushing to the left, give two drawings that keep all distances, and
so does their mean. At last each block moves as near to its neighbours as those beside it allow.
"""

import bisect
import math
from itertools import pairwise
from typing import Protocol

_GAP = 26.0  # between neighbours in a row
_SWEEPS = 12
_LONGEST = (1 << 30, 48, 16, 6, 2)  # rows of a block
_MOST_WIDTH = 2.5


class Rows(Protocol):
    """Nodes by row, from left to right; nodes from `real` on are bends of long edges."""

    rows: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]
    widths: list[float]
    real: int


def positions(graph: Rows) -> list[float]:
    """The centre of each node.

    Long blocks beside each other make wide drawings of what has many branches: if one is much wider
    than its widest row, it is drawn again with shorter blocks.
    """
    needed = max(sum(graph.widths[node] + _GAP for node in row) for row in graph.rows)
    drawings = []
    for longest in _LONGEST:
        x = _with_blocks(graph, longest)
        width = max(x) - min(x)
        drawings.append((width, x))
        if width <= _MOST_WIDTH * needed:
            return x
    return min(drawings)[1]


def _with_blocks(graph: Rows, longest: int) -> list[float]:
    block_of = _blocks(graph, longest)
    count = max(block_of) + 1
    right: list[dict[int, float]] = [{} for _ in range(count)]  # by block: distances to the right
    left: list[dict[int, float]] = [{} for _ in range(count)]
    for row in graph.rows:
        for a, b in pairwise(row):
            apart = (graph.widths[a] + graph.widths[b]) / 2 + _GAP
            one, other = block_of[a], block_of[b]
            right[one][other] = max(right[one].get(other, 0.0), apart)
            left[other][one] = right[one][other]
    order = _left_to_right(left, right)
    near = _neighbours(graph, block_of, count)
    x = _pushed(order, left, [0.0] * count)
    for _ in range(_SWEEPS):
        wanted = [_wanted(own, x, at) for own, at in zip(near, x, strict=True)]
        to_right = _pushed(order, left, wanted)
        back = _pushed(list(reversed(order)), right, [-want for want in wanted])
        # Half of the way: blocks that want each other's places would swing.
        x = [old / 2 + (a - b) / 4 for old, a, b in zip(x, to_right, back, strict=True)]
    for sweep in range(_SWEEPS):
        for block in order if sweep % 2 == 0 else reversed(order):
            low = max((x[one] + apart for one, apart in left[block].items()), default=-math.inf)
            high = min((x[one] - apart for one, apart in right[block].items()), default=math.inf)
            x[block] = min(max(_wanted(near[block], x, x[block]), low), high)
    return [x[block] for block in block_of]


def _wanted(near: dict[int, float], x: list[float], otherwise: float) -> float:
    """Where a block wants to be: in the middle of its neighbours."""
    total = sum(near.values())
    return sum(x[one] * weight for one, weight in near.items()) / total if total else otherwise


def _blocks(graph: Rows, longest: int) -> list[int]:
    """The block of each node, over so many rows at most."""
    place = {node: number for row in graph.rows for number, node in enumerate(row)}
    above: dict[int, int] = {}  # straight edges, from below
    for upper in graph.rows:
        edges = [(start, end) for start in upper for end in graph.below[start]]
        edges.sort(
            key=lambda edge: (
                _rank(graph, *edge),
                len(graph.below[edge[0]]) + len(graph.above[edge[1]]),
                abs(place[edge[0]] - place[edge[1]]),
            )
        )
        straight: list[tuple[int, int]] = []  # places, sorted
        used: set[int] = set()
        for start, end in edges:
            own = (place[start], place[end])
            at = bisect.bisect(straight, own)
            free = start not in used and end not in above
            fits = (at == 0 or straight[at - 1][1] < own[1]) and (
                at == len(straight) or own[1] < straight[at][1]
            )
            if free and fits:
                straight.insert(at, own)
                used.add(start)
                above[end] = start
    block_of = [-1] * len(graph.above)
    lengths: list[int] = []
    for row in graph.rows:
        for node in row:
            block = block_of[above[node]] if node in above else -1
            if block >= 0 and lengths[block] < longest:
                block_of[node] = block
                lengths[block] += 1
            else:
                block_of[node] = len(lengths)
                lengths.append(1)
    return block_of


def _rank(graph: Rows, start: int, end: int) -> int:
    """Which edges are straight first."""
    bends = (start >= graph.real) + (end >= graph.real)
    return {2: 0, 0: 1, 1: 2}[bends]


def _left_to_right(left: list[dict[int, float]], right: list[dict[int, float]]) -> list[int]:
    """The blocks in an order in which each comes behind what is at its left."""
    waits = [len(own) for own in left]
    ready = [block for block, count in enumerate(waits) if count == 0]
    order = []
    while ready:
        block = ready.pop()
        order.append(block)
        for other in right[block]:
            waits[other] -= 1
            if waits[other] == 0:
                ready.append(other)
    return order


def _neighbours(graph: Rows, block_of: list[int], count: int) -> list[dict[int, float]]:
    """By block: the blocks that edges lead to, with weights."""
    near: list[dict[int, float]] = [{} for _ in range(count)]
    for start, ends in enumerate(graph.below):
        for end in ends:
            a, b = block_of[start], block_of[end]
            if a != b:
                weight = 1.0 if start < graph.real and end < graph.real else 0.5
                near[a][b] = near[a].get(b, 0.0) + weight
                near[b][a] = near[b].get(a, 0.0) + weight
    return near


def _pushed(order: list[int], before: list[dict[int, float]], wanted: list[float]) -> list[float]:
    """The places that blocks want, or as far behind them as those before them demand."""
    x = list(wanted)
    for block in order:
        for other, apart in before[block].items():
            x[block] = max(x[block], x[other] + apart)
    return x
