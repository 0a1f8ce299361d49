# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins with several ways to compute: get_valid_tactics, set_tactic, timing_cache_id."""

import time

import numpy as np
import pytest
import tensorrt as trt
from plugin_lab import Definition, Engine, Lab, array

pytestmark = pytest.mark.xdist_group("registry")


class Slow:
    """An enqueue that is slow for all tactics but the best; it writes its tactic."""

    def __init__(self, best):
        self.best, self.calls = best, []

    def function(self):
        def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
            self.calls.append(plugin.tactic)
            time.sleep(0.03 * (plugin.tactic != self.best))
            array(outputs[0], output_desc[0])[...] = plugin.tactic

        return enqueue


def tactics_of(*tactics):
    def get_valid_tactics(plugin):
        return list(tactics)

    return get_valid_tactics


def build(logger, plugin, cache=None):
    """Returns a plan, and the timing cache after the build."""
    definition = Definition(logger)
    outputs = definition.plugin(plugin, [definition.input("x", trt.float32, (4,))])
    if outputs is None:
        return None, None
    definition.output(outputs[0], "y")
    if cache is not None:
        timing_cache = definition.config.create_timing_cache(cache)
        assert definition.config.set_timing_cache(timing_cache, False)
    plan = definition.build()
    timing_cache = definition.config.get_timing_cache()
    return plan, bytes(timing_cache.serialize()) if timing_cache else None


@pytest.mark.parametrize("best", [3, 17, 2**31 - 1])
def test_the_fastest_is_taken_and_kept(logger, best):
    slow = Slow(best)
    plugin = Lab(get_valid_tactics=tactics_of(3, 17, 2**31 - 1), enqueue=slow.function())
    plan, _ = build(logger, plugin)
    assert plan is not None, logger.errors()
    assert set(slow.calls) == {3, 17, 2**31 - 1}  # each was timed
    slow.calls.clear()
    engine = Engine(logger, plan, plugin)
    y = np.zeros(4, np.float32)
    assert engine.run({"x": np.ones(4, np.float32)}, {"y": y}), logger.errors()
    assert slow.calls == [best]


def test_one_tactic(logger):
    slow = Slow(5)
    plugin = Lab(get_valid_tactics=tactics_of(5), enqueue=slow.function())
    engine = Engine(logger, build(logger, plugin)[0], plugin)
    slow.calls.clear()
    assert engine.run({"x": np.ones(4, np.float32)}, {"y": np.zeros(4, np.float32)})
    assert slow.calls == [5]


def test_no_tactics_means_zero(logger):
    slow = Slow(0)
    plugin = Lab(get_valid_tactics=tactics_of(), enqueue=slow.function())
    engine = Engine(logger, build(logger, plugin)[0], plugin)
    slow.calls.clear()
    assert engine.run({"x": np.ones(4, np.float32)}, {"y": np.zeros(4, np.float32)})
    assert slow.calls == [0]


@pytest.mark.parametrize(
    ("tactics", "message"),
    [
        ((0,), "get_valid_tactics: expected 1 or more, got 0"),
        ((1, 0), "get_valid_tactics: expected 1 or more, got 0"),
        ((-4, 2), "get_valid_tactics: expected 1 or more, got -4"),
        ((2, 7, 2), "expected tactics that differ, got 2 twice"),
    ],
)
def test_wrong_tactics(logger, tactics, message):
    plan, _ = build(logger, Lab(get_valid_tactics=tactics_of(*tactics)))
    assert plan is None
    assert message in logger.errors()
    assert "plugin Lab" in logger.errors()


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("no list", "expected a list of int, got str"),
        ([1.5], "expected an int, got float"),
        (["a"], "expected an int, got str"),
        ([2**31], "expected at most 2147483647, got 2147483648"),
    ],
)
def test_tactics_of_a_wrong_type(logger, result, message):
    def get_valid_tactics(plugin):
        return result

    plan, _ = build(logger, Lab(get_valid_tactics=get_valid_tactics))
    assert plan is None
    assert f"get_valid_tactics: {message}" in logger.errors()


class TestTimingCache:
    def plugin(self, slow, cache_id, *tactics):
        return Lab(
            get_valid_tactics=tactics_of(*tactics),
            enqueue=slow.function(),
            timing_cache_id=cache_id,
        )

    def test_a_second_build_times_nothing(self, logger):
        slow = Slow(2)
        plugin = self.plugin(slow, "a", 1, 2)
        _, cache = build(logger, plugin, b"")
        slow.calls.clear()
        plan, again = build(logger, plugin, cache)
        assert slow.calls == []
        assert again == cache
        engine = Engine(logger, plan, plugin)
        assert engine.run({"x": np.ones(4, np.float32)}, {"y": np.zeros(4, np.float32)})
        assert slow.calls == [2]

    def test_another_id_is_timed(self, logger):
        slow = Slow(2)
        _, cache = build(logger, self.plugin(slow, "a", 1, 2), b"")
        slow.calls.clear()
        build(logger, self.plugin(slow, "b", 1, 2), cache)
        assert set(slow.calls) == {1, 2}

    def test_without_an_id_nothing_is_kept(self, logger):
        slow = Slow(2)
        plugin = self.plugin(slow, None, 1, 2)
        _, cache = build(logger, plugin, b"")
        slow.calls.clear()
        build(logger, plugin, cache)
        assert set(slow.calls) == {1, 2}
