# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""When a batch should start: what runs cost, and whether more requests are to be expected."""

import math

# The weight of what was seen before, in each step.
_COST_MEMORY = 0.9
_CROWD_MEMORY = 0.8
_KEPT = 16  # runs that are added together


class Cost:
    """The time of a run as a fixed part and a part that grows with the elements of the inputs.

    A least-squares line through the runs so far, of which the recent ones weigh most.
    """

    def __init__(self) -> None:
        self._weight = self._x = self._y = self._xx = self._xy = 0.0
        self.slope = 0.0  # seconds for an element
        self._kept: list[tuple[int, float]] = []

    def add_later(self, elements: int, seconds: float) -> None:
        """As add, for a client that waits: some runs are added at a time, and slow ones at once."""
        self._kept.append((elements, seconds))
        if len(self._kept) == _KEPT or seconds > 2 * self.mean:
            self._settle()

    def _settle(self) -> None:
        kept, self._kept = self._kept, []
        for run in kept:
            self.add(*run)

    def add(self, elements: int, seconds: float) -> None:
        """A run took so long. One that was held up by something else counts little."""
        if self._kept:
            self._settle()
        expected = self.predict(elements)
        if expected is not None:
            seconds = min(seconds, 4 * expected)
        keep = _COST_MEMORY
        self._weight = self._weight * keep + 1
        self._x = self._x * keep + elements
        self._y = self._y * keep + seconds
        self._xx = self._xx * keep + elements * elements
        self._xy = self._xy * keep + elements * seconds
        mean = self._x / self._weight
        spread = self._xx / self._weight - mean * mean
        if spread > 1e-4 * mean * mean:  # else all runs had one size: the last slope stays
            both = self._xy / self._weight - mean * self._y / self._weight
            self.slope = max(0.0, both / spread)

    def predict(self, elements: int) -> "float | None":
        """Seconds of a run; None before the first one."""
        if self._weight == 0:
            return None
        mean = self._y / self._weight
        return max(0.25 * mean, mean + self.slope * (elements - self._x / self._weight))

    @property
    def mean(self) -> float:
        """Seconds of the runs so far; infinite before the first one."""
        return self._y / self._weight if self._weight else math.inf

    @property
    def fixed(self) -> float:
        """Seconds that a run takes however small it is: what joining one more request saves."""
        if self._weight == 0:
            return 0.0
        return max(0.0, (self._y - self.slope * self._x) / self._weight)


class Pace:
    """Decides how long an idle worker waits for more requests.

    It waits while all of these hold: the batch is not full; its first request has waited for less
    than max_wait; fewer requests are inside than there were a short time ago, so some clients are
    likely to come back; and the last request came a shorter time ago than the fixed cost of a
    run, which is what one more request in the batch saves. A lone client never waits.
    """

    def __init__(self, max_wait: float) -> None:
        self.max_wait = max_wait
        self.cost = Cost()
        self._crowd = 0.0
        self._last = 0.0

    def arrived(self, now: float) -> None:
        """A request came in."""
        self._last = now

    def started(self, inside: int) -> None:
        """A batch started while so many requests were waiting or running."""
        self._crowd = max(float(inside), _CROWD_MEMORY * self._crowd)

    @property
    def is_lone(self) -> bool:
        """Whether the last batches were requests that came one by one."""
        return 0.0 < self._crowd < 1.5

    def pause(self, now: float, oldest: float, inside: int) -> float:
        """Seconds to wait for more; 0.0: start now. oldest: when the first request came."""
        if inside + 0.5 >= self._crowd:
            return 0.0
        until = min(oldest + self.max_wait, self._last + self.cost.fixed)
        return max(0.0, until - now)
