# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The queue of a model: order, limits, cancelled and late requests, failing batches, the end.

The worker is a stand-in that computes y = x + 1 on the host, and fails for rows that are negative.
Where a test needs a busy worker, a gate holds its runs, so that no other program can change what
comes first.
"""

import asyncio
import threading
import time

import numpy as np
import pytest
from kiln.serve.batching import Batcher
from kiln.serve.config import Batching, Pad
from kiln.serve.observer import Guarded, Observer
from kiln.serve.padding import Grouping
from kiln.serve.request import InferRequest, OverloadedError, RequestError, TimedOutError
from kiln.serve.signature import ShapeRange, Signature, TensorSpec


class Host:
    """A worker. batches: the first column of each batch that ran. seconds: of a run."""

    def __init__(self, seconds=0.0):
        self.seconds, self.batches, self.closed = seconds, [], False
        self.inside, self.together = 0, 0
        self.gate = threading.Event()
        self.gate.set()

    def run(self, joined):
        self.inside += 1
        self.together = max(self.together, self.inside)
        x = np.empty(joined.shapes["x"], np.float32)
        joined.fill("x", x)
        time.sleep(self.seconds)
        assert self.gate.wait(60)
        self.inside -= 1
        if (x < 0).any():
            raise RequestError("[serve] model 'm': the run failed: a negative row")
        self.batches.append(x[:, 0].tolist())
        return {"y": x + 1}

    def close(self):
        self.closed = True

    async def busy(self, queue, *requests):
        """Submits requests and returns their tasks once a run is held at the gate."""
        self.gate.clear()
        tasks = [asyncio.ensure_future(queue.submit(one)) for one in requests]
        while not self.inside:
            await asyncio.sleep(0.001)
        return tasks


def signature(most=8):
    known = ShapeRange((1, 2), (4, 2), (most, 2))
    tensor = [(TensorSpec(name, "float32", (-1, 2)),) for name in ("x", "y")]
    return Signature(*tensor, ({"x": known},), True)


def request(value, rows=1, **more):
    return InferRequest({"x": np.full((rows, 2), value, np.float32)}, **more)


def value(result):
    return result.outputs["y"].ravel().tolist()


def batcher(*workers, observer=None, most=8, **settings):
    grouping = Grouping(signature(most), Batching(**settings))
    return Batcher("m", "1", list(workers), grouping, observer)


def test_requests_keep_their_order_and_wait_while_the_worker_is_busy():
    host = Host()

    async def main():
        queue = batcher(host, most=4)
        tasks = await host.busy(queue, request(0))
        tasks += [asyncio.ensure_future(queue.submit(request(i))) for i in range(1, 10)]
        await asyncio.sleep(0)
        host.gate.set()
        return [value(result) for result in await asyncio.gather(*tasks)]

    assert asyncio.run(main()) == [[i + 1, i + 1] for i in range(10)]
    assert host.batches == [[0], [1, 2, 3, 4], [5, 6, 7, 8], [9]]
    assert host.together == 1


def test_workers_run_side_by_side():
    both = threading.Barrier(2, timeout=20)

    class Meeting(Host):
        def run(self, joined):
            both.wait()  # fails unless the other worker runs, too
            return super().run(joined)

    hosts = Meeting(0.005), Meeting(0.005)  # long enough for threads of their own

    async def main():
        queue = batcher(*hosts, max_size=1)
        return await asyncio.gather(*(queue.submit(request(i)) for i in range(4)))

    assert [value(result)[0] for result in asyncio.run(main())] == [1, 2, 3, 4]
    assert [len(host.batches) for host in hosts] == [2, 2]


def test_the_oldest_group_goes_first_and_none_starves():
    host = Host(0.01)
    plain = signature()
    known = ShapeRange((1, 1), (4, 2), (8, 4))
    free = Signature(plain.inputs, plain.outputs, ({"x": known},), True)

    async def main():
        queue = Batcher("m", "1", [host], Grouping(free, Batching()))
        stop = time.monotonic() + 0.3

        async def client():  # keeps one group busy
            while time.monotonic() < stop:
                await queue.submit(request(1))

        clients = [asyncio.ensure_future(client()) for _ in range(20)]
        await asyncio.sleep(0.05)
        before = len(host.batches)
        await queue.submit(InferRequest({"x": np.zeros((1, 3), np.float32)}))
        ran = len(host.batches) - before
        await asyncio.gather(*clients)
        return ran

    assert asyncio.run(main()) <= 4  # the running batch, those of older requests, its own


def test_requests_of_similar_length_share_a_batch_if_more_wait_than_fit():
    plain = signature()
    known = ShapeRange((1, 1), (4, 2), (4, 64))
    free = Signature(plain.inputs, plain.outputs, ({"x": known},), True)
    host = Host()
    lengths = [60, 2, 61, 3, 1, 64, 2, 62, 3]

    async def main():
        queue = Batcher("m", "1", [host], Grouping(free, Batching(pad={"x": Pad(1)})))
        tasks = await host.busy(queue, request(0))
        for i, length in enumerate(lengths):
            x = np.full((1, length), i + 1, np.float32)
            tasks.append(asyncio.ensure_future(queue.submit(InferRequest({"x": x}))))
        await asyncio.sleep(0)
        host.gate.set()
        return [value(result)[0] for result in await asyncio.gather(*tasks)]

    assert asyncio.run(main()) == list(range(1, len(lengths) + 2))
    assert host.batches == [[0], [1, 3, 6, 8], [2, 4, 5, 7], [9]]


def test_a_full_queue_refuses_and_loses_nothing():
    host = Host(0.02)

    async def main():
        queue = batcher(host, max_size=1, max_queue=3)
        tasks = [queue.submit(request(i)) for i in range(6)]
        return await asyncio.gather(*tasks, return_exceptions=True)

    results = asyncio.run(main())
    refused = [r for r in results if isinstance(r, OverloadedError)]
    assert len(refused) == 3 and refused[0].status == 503 and refused[0].retry_after == 1.0
    assert "3 requests wait" in str(refused[0])
    assert host.batches == [[0], [1], [2]]


def test_requests_time_out_in_the_queue_but_not_in_the_run():
    host = Host()

    async def main():
        queue = batcher(host, max_size=1, timeout_ms=30.0)
        patient = request(2, timeout_ms=60_000.0)
        tasks = await host.busy(queue, request(0), request(1), patient)
        await asyncio.wait([tasks[1]])
        host.gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, late, patient = asyncio.run(main())
    assert value(first) == [1, 1] and value(patient) == [3, 3]
    assert isinstance(late, TimedOutError) and "waited for 30 ms" in str(late)
    assert host.batches == [[0], [2]]


def test_cancelled_requests_do_not_run():
    host = Host()

    async def main():
        queue = batcher(host, max_size=1)
        tasks = await host.busy(queue, *map(request, range(3)))
        tasks[0].cancel()  # it runs already: its result is dropped
        tasks[1].cancel()
        await asyncio.sleep(0)
        host.gate.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        await queue.close()
        return done, queue.inside

    (first, second, third), inside = asyncio.run(main())
    assert isinstance(first, asyncio.CancelledError) and isinstance(second, asyncio.CancelledError)
    assert value(third) == [3, 3] and host.batches == [[0], [2]] and inside == 0


def test_only_the_guilty_request_of_a_failing_batch_fails():
    host = Host()

    async def main():
        queue = batcher(host)
        tasks = [queue.submit(request(v, rows=2)) for v in (1, -5, 2)]
        return await asyncio.gather(*tasks, return_exceptions=True)

    good, guilty, also = asyncio.run(main())
    assert value(good) == [2] * 4 and value(also) == [3] * 4
    assert isinstance(guilty, RequestError) and "a negative row" in str(guilty)
    assert host.batches == [[1, 1], [2, 2]]


def test_other_exceptions_become_answers():
    class Broken(Host):
        def run(self, joined):
            raise MemoryError("no room")

    async def main():
        return await asyncio.gather(batcher(Broken()).submit(request(1)), return_exceptions=True)

    (answer,) = asyncio.run(main())
    assert isinstance(answer, RequestError) and "MemoryError: no room" in str(answer)


def test_close_waits_for_requests_and_refuses_new_ones():
    host = Host()
    before = set(threading.enumerate())

    async def main():
        queue = batcher(host, max_size=2)
        tasks = await host.busy(queue, *map(request, range(5)))
        closing = asyncio.ensure_future(queue.close())
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError, match="going away"):
            await queue.submit(request(9))
        host.gate.set()
        await closing
        return [value(task.result())[0] for task in tasks]

    assert asyncio.run(main()) == [1, 2, 3, 4, 5]
    assert host.closed and set(threading.enumerate()) <= before


def test_many_clients_fill_batches():
    host = Host(0.004)

    async def main():
        queue = batcher(host, most=16, max_wait_ms=5.0)

        async def client(i):
            for _ in range(20):
                assert value(await queue.submit(request(i))) == [i + 1, i + 1]
                await asyncio.sleep(0.001 * (i % 3))

        await asyncio.gather(*map(client, range(16)))

    asyncio.run(main())
    sizes = [len(batch) for batch in host.batches]
    assert sum(sizes) == 320 and np.mean(sizes) > 4


async def known_to_be_lone(queue):
    """Requests one by one, of which the queue learns that runs are short and clients alone.

    "Short" is a second here: other programs on this machine may hold up any run.
    """
    queue._inline = 1.0
    for i in range(3):
        await asyncio.ensure_future(queue.submit(request(i)))
    await asyncio.sleep(0)


def test_a_lone_short_request_is_answered_within_the_turn_of_the_loop():
    host = Host()

    async def main():
        queue = batcher(host)
        await known_to_be_lone(queue)
        with pytest.raises(StopIteration) as answer:
            queue.submit(request(7)).send(None)
        assert value(answer.value.value) == [8, 8] and queue.inside == 0
        second = queue.submit(request(8))
        assert second.send(None) is not None  # it waits: others shall have their turn
        second.close()

    asyncio.run(main())
    assert host.batches[3] == [7]


def test_a_client_without_pauses_leaves_the_loop_to_others():
    turns = 0

    async def main():
        nonlocal turns
        queue = batcher(Host())
        await known_to_be_lone(queue)

        async def other():
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        task = asyncio.ensure_future(other())
        for i in range(100):
            assert value(await queue.submit(request(i))) == [i + 1, i + 1]
        task.cancel()

    asyncio.run(main())
    assert turns >= 50


def test_clients_that_come_together_after_a_lone_one_share_batches():
    host = Host()

    async def main():
        queue = batcher(host)
        await known_to_be_lone(queue)
        for _ in range(2):
            await asyncio.gather(*(queue.submit(request(i)) for i in range(4)))

    asyncio.run(main())
    assert host.batches[3:] == [[0], [1, 2, 3], [0, 1, 2, 3]]


def test_a_failed_run_of_a_lone_request_is_its_answer():
    async def main():
        queue = batcher(Host())
        await known_to_be_lone(queue)
        with pytest.raises(RequestError, match="a negative row"):
            await queue.submit(request(-1))
        assert value(await queue.submit(request(1))) == [2, 2]

    asyncio.run(main())


def test_the_observer_sees_everything_and_may_fail():
    class Watch(Observer):
        def __init__(self):
            self.waiting, self.batches = [], []

        def queue_changed(self, model, waiting):
            self.waiting.append(waiting)

        def batch_ran(self, model, version, rows, padded_share, queue_ms, run_ms):
            self.batches.append((model, version, rows, padded_share, len(queue_ms)))
            assert run_ms > 0 and all(ms >= 0 for ms in queue_ms)
            raise RuntimeError("of the observer")

    watch = Watch()

    async def main():
        queue = batcher(Host(0.001), observer=Guarded(watch))
        await asyncio.gather(*(queue.submit(request(i, rows=2)) for i in range(3)))

    asyncio.run(main())
    assert watch.waiting == [1, 2, 3, 0] and watch.batches == [("m", "1", 6, 0.0, 3)]


def test_full_batches_of_short_runs_are_handed_over_ahead():
    class Timed(Host):
        def run(self, joined):
            self.starts.append(time.perf_counter())
            result = super().run(joined)
            self.ends.append(time.perf_counter())
            return result

    host = Timed(0.01)
    host.starts, host.ends = [], []

    async def main():
        queue = batcher(host, most=4)
        queue._most_ahead = 10.0  # other programs may hold up any run
        await queue.submit(request(0))  # the time of a run is known now
        tasks = [asyncio.ensure_future(queue.submit(request(i))) for i in range(16)]
        while len(host.ends) < 2:
            await asyncio.sleep(0.001)
        time.sleep(0.3)  # the event loop is held up; the worker has its next batch
        started = len(host.starts)
        await asyncio.gather(*tasks)
        return started

    assert asyncio.run(main()) >= 3
    assert [len(batch) for batch in host.batches] == [1, 4, 4, 4, 4]
