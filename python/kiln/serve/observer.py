# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What metrics, spans and logs learn from the engine side."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kiln.serve.call import CURRENT, Call
from kiln.serve.request import InferRequest, InferResult


@dataclass(frozen=True)
class LoneRuns:
    """Requests of one kind, each of which ran alone and got its result, in their order.

    rows: of each. id: the client's, in the messages. times: start and end of each, by
    time.perf_counter(). metadata: what each came with, in the same order; call_of reads it.
    """

    model: str
    version: str
    protocol: str
    rows: int
    id: str
    times: "list[tuple[float, float]]"
    metadata: "list[Any]"
    call_of: "Callable[[Any], Call]"


_LOG = logging.getLogger("kiln.serve")


class Observer:
    """Receives what happens. Derive from this class; every method does nothing by default.

    The methods are called on the thread of the event loop, model_loaded and model_unloaded too, and
    hold up the requests behind them: they must be fast. Their exceptions go to the log. A result is
    handed to its caller first: ``Models`` calls request_ended and batch_ran in the next turn of the
    loop or, with one request inside, up to 0.1 s later. ``ended`` of a result says when it
    was there.

    starts_late: whether request_started may be called when the request has ended, in the context of
    another one, because it needs nothing but its arguments and ``kiln.serve.call.CURRENT``;
    ``started`` of the request says when it came.
    """

    starts_late = False

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """A request came in. What this returns is handed to request_ended."""

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """A request got its answer: a result, or the exception that the caller sees."""

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """A call ended before its model took it: an unknown name, or a body that is wrong.

        model, version: as the client wrote them; there may be none of that name.
        """

    def batch_ran(
        self,
        model: str,
        version: str,
        rows: int,
        padded_share: float,
        queue_ms: list[float],
        run_ms: float,
    ) -> None:
        """A batch ran, or failed.

        rows: of all its requests. padded_share: elements that were added to the inputs, of all
        elements that the engine read; 0.0 to 1.0. queue_ms: for each request, from its submission
        to the start of the run. run_ms: the run of the engine with its copies.
        """

    def queue_changed(self, model: str, waiting: int) -> None:
        """So many requests now wait for a run of a model."""

    def ran_alone(self, runs: LoneRuns) -> None:
        """Requests came, ran and got their results a moment ago; only told if starts_late.

        Here: what the other methods do for each of them.
        """
        for metadata, (start, end) in zip(runs.metadata, runs.times, strict=True):
            before = CURRENT.set(runs.call_of(metadata))
            request = InferRequest({}, id=runs.id, started=start)
            token = self.request_started(runs.model, runs.version, request)
            CURRENT.reset(before)
            ms, rows = (end - start) * 1000, runs.rows
            self.batch_ran(runs.model, runs.version, rows, 0.0, [0.0], ms)
            names = runs.model, runs.version, runs.id
            self.request_ended(token, InferResult({}, *names, rows, run_ms=ms, ended=end))

    def model_loaded(self, model: str, version: str, memory: int, seconds: float) -> None:
        """A model is ready. memory: bytes. seconds: what loading it took."""

    def model_unloaded(self, model: str, version: str) -> None:
        """The memory of a model was given back."""


class Guarded(Observer):
    """Passes everything on to an observer, whose exceptions must not cost a request its answer."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer

    def hears(self, method: str) -> bool:
        """Whether the observer does something in a method."""
        own = getattr(self.observer, method)
        return getattr(own, "__func__", None) is not getattr(Observer, method)

    @property
    def starts_late(self) -> bool:  # type: ignore[override]
        """See Observer."""
        return self.observer.starts_late

    def answered(
        self, model: str, version: str, request: InferRequest, result: InferResult, joined: Any
    ) -> None:
        """A request ran alone, as ``joined``, and has its answer; it is told of as a whole."""
        token = self.request_started(model, version, request)
        times = [result.queue_ms], result.run_ms
        self.batch_ran(model, version, result.batch, joined.padded_share(), *times)
        self.request_ended(token, result)

    def _failed(self, method: str) -> None:
        _LOG.exception("%s.%s failed", type(self.observer).__name__, method)

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """See Observer."""
        try:
            return self.observer.request_started(model, version, request)
        except Exception:
            self._failed("request_started")
            return None

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """See Observer."""
        try:
            self.observer.request_ended(token, result)
        except Exception:
            self._failed("request_ended")

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """See Observer."""
        try:
            self.observer.request_refused(model, version, error)
        except Exception:
            self._failed("request_refused")

    def batch_ran(
        self,
        model: str,
        version: str,
        rows: int,
        padded_share: float,
        queue_ms: list[float],
        run_ms: float,
    ) -> None:
        """See Observer."""
        try:
            self.observer.batch_ran(model, version, rows, padded_share, queue_ms, run_ms)
        except Exception:
            self._failed("batch_ran")

    def ran_alone(self, runs: LoneRuns) -> None:
        """See Observer."""
        try:
            self.observer.ran_alone(runs)
        except Exception:
            self._failed("ran_alone")

    def queue_changed(self, model: str, waiting: int) -> None:
        """See Observer."""
        try:
            self.observer.queue_changed(model, waiting)
        except Exception:
            self._failed("queue_changed")

    def model_loaded(self, model: str, version: str, memory: int, seconds: float) -> None:
        """See Observer."""
        try:
            self.observer.model_loaded(model, version, memory, seconds)
        except Exception:
            self._failed("model_loaded")

    def model_unloaded(self, model: str, version: str) -> None:
        """See Observer."""
        try:
            self.observer.model_unloaded(model, version)
        except Exception:
            self._failed("model_unloaded")
