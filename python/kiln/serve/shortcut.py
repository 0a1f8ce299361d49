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
from kiln.serve.padding import Joined
from kiln.serve.request import Array, InferRequest, InferResult
from kiln.serve.worker import CpuWorker, Shaped

if TYPE_CHECKING:
    from kiln.serve.model import Model

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
        self._model, self._batcher, self._observer = model, model.batcher, observer
        self._worker, self._shaped, self._call_of = worker, shaped, call_of
        self._id, self._rows, self._elements = joined.requests[0].id, joined.total, joined.elements
        self._outputs = list(shaped.kept.values())
        self._inputs = [
            (shaped.views[name].reshape(-1).view(np.uint8).data, begin, end)
            for name, begin, end in places
        ]
        self._is_short = True

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
        self._observer.keep(self._tell, metadata, start, time.perf_counter())
        return self._outputs

    def _tell(self, metadata: Any, start: float, end: float) -> None:
        """Tells of a run that was."""
        model, cost = self._model, self._batcher.pace.cost
        cost.add(self._elements, end - start)
        self._is_short = self._batcher.is_short(self._elements)
        model.last_used = time.monotonic()
        request = InferRequest({}, id=self._id, started=start)
        ms = (end - start) * 1000
        result = InferResult(
            {}, model.name, model.version, self._id, self._rows, run_ms=ms, ended=end
        )
        call = self._call_of(metadata)
        self._observer.tell_answer(call, model.name, model.version, request, result, 0.0)

    def _fail(self, metadata: Any, start: float) -> None:
        error = self._worker.failure()
        request = InferRequest({}, id=self._id, started=start)
        before = CURRENT.set(self._call_of(metadata))
        token = self._observer.request_started(self._model.name, self._model.version, request)
        CURRENT.reset(before)
        self._observer.request_ended(token, error)
        raise error


def may_find(model: "Model") -> bool:
    """Whether it is time to look for a shortcut: requests come one by one, and may be told late."""
    observer = model.observer
    return isinstance(observer, Deferred) and observer.starts_late and model.batcher.pace.is_lone


def find(
    model: "Model", request: InferRequest, places: Places, call_of: "Callable[[Any], Call]"
) -> "Shortcut | None":
    """The shortcut for requests as one that ran; None if they have none.

    A model has one whose inputs and outputs are small, for whole answers without padding.
    """
    observer, batching = model.observer, model.config.batching
    if not isinstance(observer, Deferred) or request.outputs or batching.pad or batching.crop:
        return None
    worker = model.batcher.next_worker
    joined = model.joined(request)
    shaped = worker.shaped(joined) if isinstance(worker, CpuWorker) else None
    if joined.extra or shaped is None or not shaped.steady:
        return None
    if not model.batcher.is_short(joined.elements):
        return None
    assert isinstance(worker, CpuWorker)
    return Shortcut(model, observer, worker, shaped, joined, places, call_of)
