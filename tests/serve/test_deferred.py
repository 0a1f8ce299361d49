# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An observer that learns of requests behind their answers, with the times of the answers."""

import asyncio
import time

import pytest

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")

from kiln.serve.deferred import Deferred
from kiln.serve.metrics import Metrics
from kiln.serve.observer import Observer
from kiln.serve.request import BadRequestError, InferRequest, InferResult


class Told(Observer):
    def __init__(self):
        self.heard = []

    def request_ended(self, token, result):
        self.heard.append((token, type(result).__name__))

    def batch_ran(self, model, version, rows, padded_share, queue_ms, run_ms):
        self.heard.append((model, rows))


def test_results_and_batches_come_later_and_in_their_order():
    told = Told()

    async def run():
        observer = Deferred(told)
        observer.request_ended(1, InferResult({}))
        observer.batch_ran("m", "1", 4, 0.0, [0.0], 0.1)
        observer.request_ended(2, InferResult({}))
        assert told.heard == []
        await asyncio.sleep(0.3)

    asyncio.run(run())
    assert told.heard == [(1, "InferResult"), ("m", 4), (2, "InferResult")]


def test_an_error_is_told_at_once_and_after_what_came_before():
    told = Told()

    async def run():
        observer = Deferred(told)
        observer.request_ended(1, InferResult({}))
        observer.request_ended(2, BadRequestError("[serve] no"))
        assert told.heard == [(1, "InferResult"), (2, "BadRequestError")]

    asyncio.run(run())


def test_flush_passes_on_and_nothing_comes_twice():
    told = Told()

    async def run():
        observer = Deferred(told)
        observer.request_ended(1, InferResult({}))
        observer.flush()
        assert told.heard == [(1, "InferResult")]
        await asyncio.sleep(0.3)
        assert told.heard == [(1, "InferResult")]

    asyncio.run(run())


def test_times_end_with_the_answer():
    metrics = Metrics()

    async def run():
        observer = Deferred(metrics)
        token = observer.request_started("m", "1", InferRequest({}))
        observer.request_ended(token, InferResult({}))
        time.sleep(0.2)
        observer.flush()

    asyncio.run(run())
    lines = dict(line.rsplit(" ", 1) for line in metrics.text().splitlines() if line[0] != "#")
    (taken,) = (float(v) for k, v in lines.items() if k.startswith("kiln_request_seconds_sum"))
    assert 0.0 < taken < 0.1


def test_with_several_requests_inside_the_next_turn_tells():
    told = Told()

    async def run():
        observer = Deferred(told)
        for _ in range(3):
            observer.request_started("m", "1", InferRequest({}))
        observer.batch_ran("m", "1", 3, 0.0, [0.0] * 3, 0.1)
        for token in range(2):
            observer.request_ended(token, InferResult({}))
        assert told.heard == []
        await asyncio.sleep(0)
        assert told.heard == [("m", 3), (0, "InferResult"), (1, "InferResult")]
        observer.request_ended(2, InferResult({}))  # alone now
        await asyncio.sleep(0)
        assert len(told.heard) == 3
        await asyncio.sleep(0.3)
        assert told.heard[3:] == [(2, "InferResult")]

    asyncio.run(run())
