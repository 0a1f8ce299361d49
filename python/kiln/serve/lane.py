# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A worker with its thread: runs batches, and finds the guilty request of one that fails."""

import queue
import threading
import time
import traceback
from collections.abc import Callable

from kiln.serve.padding import Group, Grouping, Joined
from kiln.serve.request import Array, RequestError
from kiln.serve.worker import Worker

Answer = "dict[str, Array] | RequestError"


class Outcome:
    """What became of a batch.

    answers: outputs or an error for each request. start, seconds: of the run. clean: it did not
    fail.
    """

    __slots__ = ("answers", "clean", "joined", "seconds", "start")

    def __init__(self, joined: Joined) -> None:
        self.joined = joined
        self.answers: list[dict[str, Array] | RequestError] = []
        self.start = self.seconds = 0.0
        self.clean = False


Job = tuple[Grouping, Group, Joined, Callable[[Outcome], object]]


class Lane:
    """Runs one batch at a time, on the thread of the caller or on its own.

    load: batches on its own thread, the running one included; the batcher counts them.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker, self.load = worker, 0
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, grouping: Grouping, group: Group, joined: Joined) -> Outcome:
        """Runs a batch on this thread."""
        return run(self.worker, grouping, group, joined)

    def post(
        self, grouping: Grouping, group: Group, joined: Joined, done: Callable[[Outcome], object]
    ) -> None:
        """Runs a batch on the lane's own thread, which then calls done."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=_serve, args=(self.worker, self._jobs), name="kiln-serve", daemon=True
            )
            self._thread.start()
        self._jobs.put((grouping, group, joined, done))

    def close(self) -> None:
        """Ends the thread and the worker."""
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join()
        self.worker.close()

    def __del__(self) -> None:
        self._jobs.put(None)  # the thread does not know the lane, and so does not keep it alive


def run(worker: Worker, grouping: Grouping, group: Group, joined: Joined) -> Outcome:
    """Runs a batch. If it fails, its requests run one by one, so that only the guilty ones fail."""
    outcome = Outcome(joined)
    outcome.start = time.perf_counter()
    try:
        outputs = worker.run(joined)
        outcome.answers.extend(joined.split(outputs))
        outcome.clean = True
    except Exception as error:
        if len(joined.requests) == 1:
            outcome.answers.append(as_request_error(error))
        else:
            for request, rows in zip(joined.requests, joined.rows, strict=True):
                alone = grouping.join(group, [request], [rows])
                outcome.answers.extend(run(worker, grouping, group, alone).answers)
    outcome.seconds = time.perf_counter() - outcome.start
    return outcome


def _serve(worker: Worker, jobs: "queue.SimpleQueue[Job | None]") -> None:
    while (job := jobs.get()) is not None:
        grouping, group, joined, done = job
        done(run(worker, grouping, group, joined))
        del job, grouping, group, joined, done  # or they live until the next batch


def as_request_error(error: Exception) -> RequestError:
    """What the client of a request sees whose run failed."""
    if isinstance(error, RequestError):
        return error
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return RequestError(f"[serve] the run of a request failed: {text}")
