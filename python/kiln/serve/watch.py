# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Those who watch the requests, as one observer."""

from collections.abc import Sequence
from typing import Any

from kiln.serve.observer import Guarded, LoneRuns, Observer
from kiln.serve.request import InferRequest, InferResult


class Watchers(Observer):
    """Hands everything to several observers, in their order; one that fails harms no other."""

    def __init__(self, observers: "Sequence[Observer]") -> None:
        self.observers = tuple(map(Guarded, observers))
        # These come for every request; only one observer in four has something to do.
        self._of_batches = [o for o in self.observers if o.hears("batch_ran")]
        self._of_queues = [o for o in self.observers if o.hears("queue_changed")]
        # Those whose answer may change, or is no.
        self._punctual = [o for o in observers if type(o).starts_late is not True]

    @property
    def starts_late(self) -> bool:  # type: ignore[override]
        """Whether all of them may be told late."""
        return all(observer.starts_late for observer in self._punctual)

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """Keeps one token for each observer."""
        return [o.request_started(model, version, request) for o in self.observers]

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """Gives each observer its token."""
        for observer, own in zip(self.observers, token, strict=True):
            observer.request_ended(own, result)

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """For all."""
        for observer in self.observers:
            observer.request_refused(model, version, error)

    def batch_ran(
        self,
        model: str,
        version: str,
        rows: int,
        padded_share: float,
        queue_ms: list[float],
        run_ms: float,
    ) -> None:
        """For all."""
        for observer in self._of_batches:
            observer.batch_ran(model, version, rows, padded_share, queue_ms, run_ms)

    def ran_alone(self, runs: LoneRuns) -> None:
        """For all."""
        for observer in self.observers:
            observer.ran_alone(runs)

    def queue_changed(self, model: str, waiting: int) -> None:
        """For all."""
        for observer in self._of_queues:
            observer.queue_changed(model, waiting)

    def model_loaded(self, model: str, version: str, memory: int, seconds: float) -> None:
        """For all."""
        for observer in self.observers:
            observer.model_loaded(model, version, memory, seconds)

    def model_unloaded(self, model: str, version: str) -> None:
        """For all."""
        for observer in self.observers:
            observer.model_unloaded(model, version)
