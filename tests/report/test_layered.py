# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The layered drawing: edges lead down, nothing overlaps, chains are straight."""

import random
import time
from itertools import pairwise

import pytest
from kiln.report._layered import draw


def random_graph(seed, count):
    numbers = random.Random(seed)
    sizes = [(numbers.uniform(60, 240), numbers.choice([36.0, 58.0])) for _ in range(count)]
    edges = set()
    for end in range(1, count):
        for _ in range(numbers.choice([0, 1, 1, 1, 2, 3])):
            edges.add((numbers.randrange(max(0, end - numbers.choice([1, 3, 30])), end), end))
    return sizes, sorted(edges)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_overlaps(seed):
    sizes, edges = random_graph(seed, 70)
    drawing = draw(sizes, edges)
    boxes = [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(drawing.places, sizes, strict=True)
    ]
    for i, a in enumerate(boxes):
        assert a[0] >= -1e-6 and a[2] <= drawing.width + 1e-6 and a[3] <= drawing.height + 1e-6
        for b in boxes[i + 1 :]:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (a, b)


@pytest.mark.parametrize("seed", range(12))
def test_edges_lead_down_from_node_to_node(seed):
    sizes, edges = random_graph(seed, 70)
    drawing = draw(sizes, edges)
    for (start, end), way in zip(edges, drawing.ways, strict=True):
        (x, y), (to_x, to_y) = drawing.places[start], drawing.places[end]
        assert way[0] == pytest.approx((x, y + sizes[start][1] / 2))
        assert way[-1] == pytest.approx((to_x, to_y - sizes[end][1] / 2))
        assert all(a[1] < b[1] for a, b in pairwise(way))


def test_residual_blocks_are_straight():
    count = 40
    edges = [(i, i + 1) for i in range(count - 1)] + [(i, i + 3) for i in range(0, count - 3, 3)]
    drawing = draw([(100.0, 50.0)] * count, edges)
    assert {round(x, 3) for x, _ in drawing.places} == {round(drawing.places[0][0], 3)}


def test_readers_of_one_tensor_share_its_line():
    count = 30
    edges = [(i, i + 1) for i in range(1, count - 1)] + [(0, i) for i in range(1, count)]
    drawing = draw([(100.0, 50.0)] * count, edges)
    lines = {
        round(way[1][0], 1)
        for (a, b), way in zip(edges, drawing.ways, strict=True)
        if b > 2 and a == 0
    }
    assert len(lines) == 1


def test_thousands_of_layers():
    count = 3000
    edges = [(i, i + 1) for i in range(count - 1)]
    edges += [(i, i + 7) for i in range(0, count - 7, 10)] + [(0, i) for i in range(2, count, 12)]
    begin = time.process_time()
    drawing = draw([(200.0, 58.0)] * count, edges)
    assert time.process_time() - begin < 20  # about one second
    assert sum(map(len, drawing.ways)) < 8 * len(edges), "long ways have few points"


def test_empty_and_single():
    assert draw([], []).places == []
    assert draw([(10.0, 4.0)], []).places == [(5.0, 2.0)]


def test_constants_stand_above_their_readers():
    """Nodes 10, 11 and their sum 12 are constants, which node 9 reads."""
    edges = [(i, i + 1) for i in range(9)] + [(10, 12), (11, 12), (12, 9)]
    places = draw([(100.0, 50.0)] * 13, edges, inputs=[0]).places
    assert places[12][1] == places[8][1]
    assert places[10][1] == places[11][1] == places[7][1]
