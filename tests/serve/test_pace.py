# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""When a batch starts: the cost of runs, and the wait for clients that come back."""

import pytest
from kiln.serve.pace import Cost, Pace


def cost_of(fixed, slope, sizes):
    cost = Cost()
    for size in sizes:
        cost.add(size, fixed + slope * size)
    return cost


def test_the_cost_of_runs_is_a_line():
    cost = cost_of(0.002, 1e-5, [4, 64, 16, 32, 8, 64])
    assert cost.fixed == pytest.approx(0.002)
    assert cost.slope == pytest.approx(1e-5)
    assert cost.predict(100) == pytest.approx(0.003)


def test_runs_of_one_size_keep_the_slope():
    cost = cost_of(0.002, 1e-5, [4, 64, *[64] * 500])
    assert cost.slope == pytest.approx(1e-5, rel=0.01)
    assert cost.fixed == pytest.approx(0.002, rel=0.01)


def test_a_run_that_was_held_up_counts_little():
    cost = cost_of(0.002, 1e-5, [4, 64, 16, 32] * 5)
    cost.add(64, 10.0)
    assert cost.predict(64) < 0.006


def test_nothing_is_known_before_the_first_run():
    cost = Cost()
    assert cost.predict(1) is None and cost.fixed == 0.0 and cost.mean > 1e9


def paced(max_wait=1.0):
    """A pace that knows runs of 0.1 s, however large."""
    pace = Pace(max_wait)
    for size in (1, 10, 1, 10):
        pace.cost.add(size, 0.1)
    return pace


def test_a_lone_client_never_waits():
    pace = paced()
    for now in (1.0, 2.0, 3.0):
        pace.arrived(now)
        assert pace.pause(now, now, inside=1) == 0.0
        pace.started(1)


def test_clients_that_came_together_are_expected_together():
    pace = paced()
    pace.started(8)
    pace.arrived(5.0)
    assert pace.pause(5.0, 5.0, inside=1) == pytest.approx(0.1)  # what joining saves
    pace.arrived(5.06)
    assert pace.pause(5.08, 5.0, inside=2) == pytest.approx(0.08)  # since the last arrival
    assert pace.pause(5.17, 5.0, inside=2) == 0.0  # nobody else came
    assert pace.pause(5.08, 5.0, inside=8) == 0.0  # all are here


def test_the_wait_has_a_limit():
    pace = paced(max_wait=0.15)
    pace.started(100)
    for now in (5.0, 5.06, 5.12):
        pace.arrived(now)
    assert pace.pause(5.12, 5.0, inside=3) == pytest.approx(0.03)
    assert pace.pause(5.15, 5.0, inside=3) == 0.0
    assert paced(max_wait=0.0).pause(5.0, 5.0, inside=1) == 0.0


def test_a_crowd_that_left_is_forgotten():
    pace = paced()
    pace.started(64)
    for step in range(30):
        pace.arrived(5.0 + step)
        waits = pace.pause(5.0 + step, 5.0 + step, inside=1) > 0
        pace.started(1)
    assert not waits
