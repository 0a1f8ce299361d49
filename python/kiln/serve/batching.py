# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Collects requests, joins them to batches, and hands these to the workers."""

import asyncio
import contextlib
import time

from kiln.serve.lane import Lane, Outcome, as_request_error
from kiln.serve.observer import Observer
from kiln.serve.pace import Pace
from kiln.serve.padding import Group, Grouping, Joined
from kiln.serve.request import (
    Array,
    InferRequest,
    InferResult,
    OverloadedError,
    TimedOutError,
)
from kiln.serve.waiting import Item, Waiting
from kiln.serve.worker import Worker

# A run that is expected to be shorter happens on the thread of the event loop: handing it to
# another thread and back takes 0.05 to 0.1 ms.
_INLINE = 0.0005
# Longer runs than this are not handed over ahead: a request that waits for its run can still be
# cancelled or time out, and the time between two runs is no longer worth anything.
_AHEAD = 0.02
# Event loops round timers up to whole milliseconds; below this they are asked again at once.
_TIMER = 0.001


class Batcher:
    """The queue of one model. All methods belong to the thread of the event loop.

    A free worker takes the batch whose first request is the oldest. If none is free and runs are
    short, a full batch is handed over one run ahead: it cannot grow, and the worker need not wait
    for the event loop. Requests of one group keep their order, but if more wait than fit, those
    that need the least padding beside the oldest one go with it.

    steady: whether the times of runs foretell those of later ones. If not, every run has a thread,
    so that one that hangs does not stop the event loop, and none is handed over ahead.
    """

    def __init__(
        self,
        name: str,
        version: str,
        workers: "list[Worker]",
        grouping: Grouping,
        observer: "Observer | None" = None,
        steady: bool = True,
    ) -> None:
        self.name, self.version = name, version
        self.grouping, self.batching = grouping, grouping.batching
        self.observer = observer
        self._inline, self._most_ahead = (_INLINE, _AHEAD) if steady else (0.0, -1.0)
        self.pace = Pace(self.batching.max_wait_ms / 1000)
        self._lanes = [Lane(worker) for worker in workers]
        self._free = list(self._lanes)
        self._ahead: list[Lane] = []  # busy, but without a next batch
        self._waiting = Waiting(bool(self.batching.pad))
        self._running = 0
        self._at_once: object = None  # the client whose request ran in this turn of the loop
        self._poked: asyncio.Handle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.closing = False
        self._empty: asyncio.Event | None = None

    @property
    def inside(self) -> int:
        """Requests that wait or run."""
        return self._waiting.count + self._running

    @property
    def is_idle(self) -> bool:
        """Whether a lone request is expected to run here and now, without a thread."""
        return self._takes_one() and self.pace.cost.mean < self._inline

    async def submit(self, request: InferRequest, group: "Group | None" = None) -> InferResult:
        """Runs a checked request, in a batch with others. Raises RequestError.

        group: that of the request, if the caller knows it.
        """
        group = group or self.grouping.group(request)
        assert group is not None  # the model checked it
        found = self.run_now(request, group)
        if found is not None:
            result, joined = found
            self._told(joined, [result.queue_ms], result.run_ms)
            return result
        item = self._enter(request, group)
        future = item.future
        try:
            return await future
        except asyncio.CancelledError:
            self._drop(item)
            raise
        finally:
            if item.timer is not None:
                item.timer.cancel()

    def run_now(self, request: InferRequest, group: Group) -> "tuple[InferResult, Joined] | None":
        """Runs the request of a lone client here and now, without a turn of the event loop.

        None: it has to wait, because others are inside or its run is not short. At most one runs
        in a turn of the loop, or a client that sends one request after the other would keep the
        loop to itself. The observer is told by the caller. Raises RequestError.
        """
        if not self._takes_one() or self.closing:
            return None
        joined = self.grouping.join(group, [request], [self.grouping.rows(request)])
        if not self.is_short(joined.elements):
            return None
        self._hold_turn()
        self.pace.started(1)
        begin = time.perf_counter()
        waited = (begin - (request.started or begin)) * 1000
        try:
            (answer,) = joined.split(self._free[-1].worker.run(joined))
        except Exception as error:
            self._told(joined, [waited], (time.perf_counter() - begin) * 1000)
            raise as_request_error(error) from error
        end = time.perf_counter()
        self.pace.cost.add_later(joined.elements, end - begin)
        steps = joined.steps if request.profile else []
        name, version, rows, run_ms = self.name, self.version, joined.total, (end - begin) * 1000
        result = InferResult(answer, name, version, request.id, rows, waited, run_ms, steps, end)
        return result, joined

    @property
    def next_worker(self) -> "Worker | None":
        """The worker that runs the next request of a lone client; None while all are busy."""
        return self._free[-1].worker if self._free else None

    def enter_alone(self, worker: Worker) -> bool:
        """Whether a lone request may run on a worker here and now, as in run_now."""
        if self.closing or not self._takes_one() or self._free[-1].worker is not worker:
            return False
        self._hold_turn()
        return True

    def _enter(self, request: InferRequest, group: Group) -> Item:
        waiting = self._waiting
        if self.closing or waiting.count >= self.batching.max_queue:
            raise self._refusal()
        loop = self._loop = asyncio.get_running_loop()
        rows = self.grouping.rows(request)
        item = Item(request, rows, group, loop.create_future(), time.perf_counter())
        self._line_up(item)
        return item

    def _refusal(self) -> OverloadedError:
        if self.closing:
            return OverloadedError(
                f"[serve] model '{self.name}' is going away. Send the request again."
            )
        return OverloadedError(
            f"[serve] model '{self.name}': {self._waiting.count} requests wait, which is all that "
            "its queue holds. Send the request again later, or raise max_queue."
        )

    def _takes_one(self) -> bool:
        """Whether a lone client may find everything free."""
        busy = self._waiting.count or self._running or self._at_once
        return not busy and bool(self._free) and self.pace.is_lone

    def _hold_turn(self) -> None:
        """No other request runs here and now in this turn of the event loop."""
        loop = self._loop = asyncio.get_running_loop()
        self._at_once = asyncio.current_task() or self
        loop.call_soon(self._turn)

    def _turn(self) -> None:
        """The event loop has handled what came in at the same time as the request that ran."""
        self._at_once = None

    def _line_up(self, item: Item) -> None:
        """Queues a request."""
        limit = item.request.timeout_ms
        if limit is None:
            limit = self.batching.timeout_ms
        if limit is not None:
            assert self._loop is not None
            item.timer = self._loop.call_later(limit / 1000, self._expire, item, limit)
        self._waiting.add(item)
        self.pace.arrived(item.arrival)
        if self._at_once is not None and self._at_once is not asyncio.current_task():
            self.pace.started(self.inside + 1)  # clients come together
        if self.observer is not None:
            self._tell()
        if self._poked is None:
            self._poke()

    def _expire(self, item: Item, limit: float) -> None:
        if not item.future.done() and self._drop(item):
            item.future.set_exception(
                TimedOutError(
                    f"[serve] model '{self.name}': the request waited for {limit:g} ms, which is "
                    "its limit, before a worker was free."
                )
            )

    def _drop(self, item: Item) -> bool:
        """Takes a request out of the queue; False if it is not there any more."""
        if not self._waiting.drop(item):
            return False
        self._tell()
        self._settle()
        return True

    def _tell(self) -> None:
        if self.observer is not None:
            self.observer.queue_changed(self.name, self._waiting.count)

    def _poke(self) -> None:
        """Looks for work once the event loop has handled what came in at the same time."""
        if self._poked is None and self._loop is not None and (self._free or self._ahead):
            self._poked = self._loop.call_soon(self._work)

    def _work(self) -> None:
        self._poked = None
        while self._waiting.count and self._free:
            group, pause = self._next()
            if pause > 0:
                self._sleep(pause)
                return
            lane = self._free.pop()
            if self._start(lane, self._take(group)):
                self._poke()  # let the answers out, and the next requests in
                return
            self._ahead.append(lane)
        while self._waiting.count and self._ahead:
            group = self._waiting.by_age()[0]
            if self.pace.cost.mean > self._most_ahead or not self._waiting.is_full(group):
                return
            self._post(self._ahead.pop(0), *self._join(self._take(group)))

    def _next(self) -> "tuple[Group, float]":
        """The group to run, and how long to wait before; 0.0 for one that is ready."""
        now = time.perf_counter()
        best: tuple[Group, float] | None = None
        for group in self._waiting.by_age():
            pause = self.pace.pause(now, self._waiting.age(group), self.inside)
            if pause == 0.0 or self._waiting.is_full(group):
                return group, 0.0
            if best is None or pause < best[1]:
                best = group, pause
        assert best is not None
        return best

    def _sleep(self, pause: float) -> None:
        assert self._loop is not None
        if pause < _TIMER:
            self._poked = self._loop.call_soon(self._work)
        else:
            self._poked = self._loop.call_later(pause - _TIMER / 2, self._work)

    def _take(self, group: Group) -> "list[Item]":
        """The next batch of a group."""
        self.pace.started(self.inside)
        items = self._waiting.take(group)
        self._running += len(items)
        self._tell()
        return items

    def _start(self, lane: Lane, items: "list[Item]") -> bool:
        """Runs a batch on this thread if it is short, and returns True; else on another one."""
        items, joined = self._join(items)
        if not self.is_short(joined.elements):
            self._post(lane, items, joined)
            return False
        self._finish(lane, items, lane.run(self.grouping, items[0].group, joined))
        return True

    def is_short(self, elements: int) -> bool:
        """Whether the run of so many elements is expected to be short."""
        expected = self.pace.cost.predict(elements)
        return expected is not None and expected < self._inline

    def _join(self, items: "list[Item]") -> "tuple[list[Item], Joined]":
        requests, rows = [item.request for item in items], [item.rows for item in items]
        return items, self.grouping.join(items[0].group, requests, rows)

    def _post(self, lane: Lane, items: "list[Item]", joined: Joined) -> None:
        assert self._loop is not None
        loop = self._loop

        def done(outcome: Outcome) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(self._finish, lane, items, outcome)

        lane.load += 1
        lane.post(self.grouping, items[0].group, joined, done)

    def _finish(self, lane: Lane, items: "list[Item]", outcome: Outcome) -> None:
        self._running -= len(items)
        lane.load = max(0, lane.load - 1)  # a run on this thread was not counted
        if lane in self._ahead:
            self._ahead.remove(lane)
        (self._ahead if lane.load else self._free).append(lane)
        if outcome.clean:
            self.pace.cost.add(outcome.joined.elements, outcome.seconds)
        self._answer(items, outcome)
        if self.observer is not None:
            queue_ms = [(outcome.start - item.arrival) * 1000 for item in items]
            self._told(outcome.joined, queue_ms, outcome.seconds * 1000)
        if self._waiting.count:
            self._poke()
        self._settle()

    def _answer(self, items: "list[Item]", outcome: Outcome) -> None:
        for item, answer in zip(items, outcome.answers, strict=True):
            future = item.future
            if future.done():  # the client went away
                continue
            if isinstance(answer, dict):
                future.set_result(self._result(item.request, outcome, answer, item.arrival))
            else:
                future.set_exception(answer)

    def _result(
        self, request: InferRequest, outcome: Outcome, answer: "dict[str, Array]", arrival: float
    ) -> InferResult:
        joined = outcome.joined
        return InferResult(
            answer,
            self.name,
            self.version,
            request.id,
            joined.total,
            (outcome.start - arrival) * 1000,
            outcome.seconds * 1000,
            joined.steps if request.profile else [],
        )

    def _told(self, joined: Joined, queue_ms: "list[float]", run_ms: float) -> None:
        if self.observer is not None:
            told = self.name, self.version, joined.total, joined.padded_share(), queue_ms, run_ms
            self.observer.batch_ran(*told)

    def _settle(self) -> None:
        if self._empty is not None and not self.inside:
            self._empty.set()

    async def close(self) -> None:
        """Refuses new requests, waits for those inside, then ends the threads."""
        self.closing = True
        if self.inside:
            self._empty = asyncio.Event()
            self._settle()
            await self._empty.wait()
        if self._poked is not None:
            self._poked.cancel()
        lanes, self._lanes, self._free, self._ahead = self._lanes, [], [], []
        for lane in lanes:
            await asyncio.to_thread(lane.close)
