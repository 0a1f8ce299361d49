# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The requests that wait for a run, by group."""

import asyncio
from collections import deque

from kiln.serve.padding import Group
from kiln.serve.request import InferRequest, InferResult


class Item:
    """A request that waits."""

    __slots__ = ("arrival", "future", "group", "request", "rows", "timer")

    def __init__(
        self,
        request: InferRequest,
        rows: int,
        group: Group,
        future: "asyncio.Future[InferResult]",
        arrival: float,
    ) -> None:
        self.request, self.rows, self.group = request, rows, group
        self.future, self.arrival = future, arrival
        self.timer: asyncio.TimerHandle | None = None

    @property
    def size(self) -> float:
        """Elements of a row."""
        return sum(array.size for array in self.request.inputs.values()) / self.rows


class Queue:
    """The requests of one group in their order, and their rows in all."""

    __slots__ = ("items", "rows")

    def __init__(self, items: "deque[Item]", rows: int) -> None:
        self.items, self.rows = items, rows


class Waiting:
    """The queue of a model. similar: a batch is filled up with requests of similar size."""

    def __init__(self, similar: bool) -> None:
        self.similar = similar
        self.count = 0
        self._groups: dict[Group, Queue] = {}

    def add(self, item: Item) -> None:
        """A request came in."""
        queue = self._groups.get(item.group)
        if queue is None:
            queue = self._groups[item.group] = Queue(deque(), 0)
        queue.items.append(item)
        queue.rows += item.rows
        self.count += 1

    def drop(self, item: Item) -> bool:
        """Takes a request out; False if it is not there any more."""
        queue = self._groups.get(item.group)
        if queue is None or item not in queue.items:
            return False
        queue.items.remove(item)
        queue.rows -= item.rows
        if not queue.items:
            del self._groups[item.group]
        self.count -= 1
        return True

    def by_age(self) -> "list[Group]":
        """The groups that have requests, the one with the oldest first."""
        return sorted(self._groups, key=self.age)

    def age(self, group: Group) -> float:
        """When the first request of a group came in."""
        return self._groups[group].items[0].arrival

    def is_full(self, group: Group) -> bool:
        """Whether a batch of the group cannot grow any more."""
        return self._groups[group].rows >= group.limit

    def take(self, group: Group) -> "list[Item]":
        """The first requests of a group that fit into a batch; at least one."""
        queue = self._groups[group]
        if self.similar and queue.rows >= group.limit:
            queue.items = _by_size(queue.items, group.limit)
        if queue.rows <= group.limit:
            items = list(queue.items)
            del self._groups[group]
        else:
            items, rows = _first(queue.items, group.limit)
            queue.rows -= rows
            if not queue.items:
                del self._groups[group]
        self.count -= len(items)
        return items


def _first(waiting: "deque[Item]", limit: int) -> "tuple[list[Item], int]":
    """Takes what fits into a batch, at least one request, and counts its rows."""
    items = [waiting.popleft()]
    rows = items[0].rows
    while waiting and rows + waiting[0].rows <= limit:
        items.append(waiting.popleft())
        rows += items[-1].rows
    return items, rows


def _by_size(queue: "deque[Item]", limit: int) -> "deque[Item]":
    """The oldest request, those of the most similar size that fit beside it, then the others."""
    first, *others = queue
    size, rows, beside = first.size, first.rows, {first}
    for item in sorted(others, key=lambda item: abs(item.size - size)):
        if rows + item.rows <= limit:
            beside.add(item)
            rows += item.rows
    return deque(sorted(queue, key=lambda item: item not in beside))
