# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The way of a lone client's request through a model, with everything that can be known before.

In a process that waits for requests, the code of each function that a request passes has left the
processor's caches: it takes 5 us or more, and the thirty of the usual way take twice as long as the
run of a small model. A shortcut passes five, for requests of one kind whose model is idle.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kiln.serve.call import CURRENT, Call
from kiln.serve.deferred import Deferred
from kiln.serve.observer import LoneRuns
from kiln.serve.padding import Joined
from kiln.serve.request import Array, InferRequest
from kiln.serve.worker import CpuWorker, Shaped

if TYPE_CHECKING:
    from kiln.serve.model import Model

MOST = 128  # that are kept
_SOME = 32  # runs that are told of at a time
_TRIES = 4  # to find the shortcut for requests of one kind
# The name of each input, and where its bytes begin and end in a message.
Places = list[tuple[str, int, int]]


class Shortcut:
    """Runs one kind of request.

    places: of its inputs in each message. call_of: what the metadata of a message say.
    """

    def __init__(
        self,
        model: "Model",
        observer: Deferred,
        worker: CpuWorker,
        shaped: Shaped,
        joined: Joined,
        places: Places,
        call_of: "Callable[[Any], Call]",
    ) -> None:
        self.model, self._batcher, self._observer = model, model.batcher, observer
        self._worker, self._shaped, self._call_of = worker, shaped, call_of
        self._protocol = CURRENT.get().protocol
        self._id, self._rows, self._elements = joined.requests[0].id, joined.total, joined.elements
        wanted = joined.requests[0].outputs
        self._outputs = [a for name, a in shaped.kept.items() if not wanted or name in wanted]
        self._inputs = [
            (shaped.views[name].reshape(-1).view(np.uint8).data, begin, end)
            for name, begin, end in places
        ]
        self._is_short = True
        self._runs: list[tuple[float, float, Any]] = []  # not told yet, with their metadata

    def run(self, data: bytes, metadata: Any) -> "list[Array] | None":
        """The outputs, which the next run overwrites; None: the request must go the usual way.

        Raises RequestError.
        """
        shaped = self._shaped
        if not (shaped.steady and self._is_short and self._observer.starts_late):
            return None
        if not self._batcher.enter_alone(self._worker):
            return None
        start = time.perf_counter()
        view = memoryview(data)
        for target, begin, end in self._inputs:
            target[:] = view[begin:end]
        if not shaped.context.execute_async_v3(0):
            self._fail(metadata, start)
        told = self._runs
        told.append((start, time.perf_counter(), metadata))
        if len(told) == 1:
            self._observer.keep(self._tell)
        elif len(told) == _SOME:
            self._observer.flush_soon()
        return self._outputs

    def _tell(self) -> None:
        """Tells of the runs that were."""
        model, cost = self.model, self._batcher.pace.cost
        runs, self._runs = self._runs, []
        times = [(start, end) for start, end, _ in runs]
        cost.add(self._elements, sum([end - start for start, end in times]) / len(times))
        self._is_short = self._batcher.is_short(self._elements)
        model.last_used = time.monotonic()
        names = model.name, model.version, self._protocol, self._rows, self._id
        metadata = [item for _, _, item in runs]
        self._observer.ran_alone(LoneRuns(*names, times, metadata, self._call_of))

    def _fail(self, metadata: Any, start: float) -> None:
        error = self._worker.failure()
        request = InferRequest({}, id=self._id, started=start)
        before = CURRENT.set(self._call_of(metadata))
        token = self._observer.request_started(self.model.name, self.model.version, request)
        CURRENT.reset(before)
        self._observer.request_ended(token, error)
        raise error


class Framed:
    """A shortcut between messages as bytes.

    size: of each message. parts: what stands before each output of an answer. header: of HTTP's
    answers.
    """

    def __init__(
        self,
        found: Shortcut,
        size: int,
        parts: "list[bytes]",
        header: "tuple[bytes, bytes]" = (b"", b""),
    ) -> None:
        self._run, self._size, self._parts, self.header = found.run, size, parts, header
        self.model = found.model

    def answer(self, data: bytes, metadata: Any) -> "bytes | None":
        """The answer to a message; None: it must go the usual way. Raises RequestError."""
        outputs = self._run(data, metadata) if len(data) == self._size else None
        if outputs is None:
            return None
        parts = []
        for part, array in zip(self._parts, outputs, strict=True):
            parts.append(part)
            parts.append(array.tobytes())
        return b"".join(parts)


def find(
    model: "Model", request: InferRequest, places: Places, call_of: "Callable[[Any], Call]"
) -> "Shortcut | None":
    """The shortcut for requests like one that ran; None if they have none, or it is not the time.

    It is if requests come one by one and what watches them may be told late. A model has one whose
    inputs and outputs are small, for requests without padding.
    """
    observer, kind = model.observer, request.kind
    if not isinstance(observer, Deferred) or not observer.starts_late:
        return None
    if kind is None or kind.tries == _TRIES or not model.batcher.pace.is_lone:
        return None
    kind.tries += 1
    if model.config.batching.pad or model.config.batching.crop:
        return None
    worker = model.batcher.next_worker
    joined = model.joined(request)
    shaped = worker.shaped(joined) if isinstance(worker, CpuWorker) else None
    if joined.extra or shaped is None or not shaped.steady:
        return None
    if not model.batcher.is_short(joined.elements):
        return None
    assert isinstance(worker, CpuWorker)
    kind.tries = 0
    return Shortcut(model, observer, worker, shaped, joined, places, call_of)
