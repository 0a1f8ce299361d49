# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An observer that learns of requests once their answers are on the way to the client."""

import asyncio
from collections.abc import Callable
from typing import Any

from kiln.serve.call import CURRENT, Call
from kiln.serve.observer import Guarded
from kiln.serve.request import InferRequest, InferResult

# What counts and logs a request takes longer than the run of a small model, and the next request of
# the client may come meanwhile. So some are told of at a time, of which the later ones find the
# caches warm, as soon as an answer has left: then the client has not asked again yet.
_SOME = 8
_TURNS = 16  # of the event loop, which an answer needs at most to leave the process
_DELAY_S = 0.1  # if fewer come


class Deferred(Guarded):
    """Passes ended requests and batches on later, in their order.

    A lone client waits for nothing else than its answer: what ends is told some answers later.
    With several requests inside it is told in the next turn of the event loop. The methods belong
    to the thread of the loop. What reads the observer calls ``flush`` before.
    """

    starts_late = False  # until it is asked, together with the others

    def __init__(self, observer: Any) -> None:
        super().__init__(observer)
        self._kept: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._inside = 0
        self._soon = self._later = False  # whether a flush is on its way
        self._ended = super().request_ended
        self._batch = super().batch_ran

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """See Observer."""
        self._inside += 1
        return super().request_started(model, version, request)

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """See Observer. Errors are told at once: they do not say when they came."""
        if isinstance(result, BaseException):
            self.flush()
            self._ended(token, result)
        else:
            self.keep(self._ended, token, result)
        self._inside -= 1

    def answered(
        self, model: str, version: str, request: InferRequest, result: InferResult, joined: Any
    ) -> None:
        """See Guarded."""
        self.keep(self._answered, CURRENT.get(), model, version, request, result, joined)

    def _answered(
        self,
        call: Call,
        model: str,
        version: str,
        request: InferRequest,
        result: InferResult,
        joined: Any,
    ) -> None:
        before = CURRENT.set(call)
        token = super().request_started(model, version, request)
        CURRENT.reset(before)
        times = [result.queue_ms], result.run_ms
        self._batch(model, version, result.batch, joined.padded_share(), *times)
        self._ended(token, result)

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """See Observer."""
        self.flush()
        super().request_refused(model, version, error)

    def batch_ran(self, *told: Any) -> None:
        """See Observer."""
        self.keep(self._batch, *told)

    def flush(self) -> None:
        """Passes on what was kept."""
        self._soon = False
        self.starts_late = self.observer.starts_late
        kept, self._kept = self._kept, []
        for method, arguments in kept:
            method(*arguments)

    def _flush_late(self) -> None:
        self._later = False
        self.flush()

    def keep(self, method: "Callable[..., None]", *arguments: Any) -> None:
        """Calls a method later, behind what was kept before."""
        self._kept.append((method, arguments))
        if self._inside > 1:
            if not self._soon:
                self._soon = True
                asyncio.get_running_loop().call_soon(self.flush)
        elif not self._later:
            self._later = True
            asyncio.get_running_loop().call_later(_DELAY_S, self._flush_late)
        elif len(self._kept) == _SOME:
            self.flush_soon()

    def flush_soon(self) -> None:
        """Passes on what was kept when the answer of now has left."""
        asyncio.get_running_loop().call_soon(self._flush_after, _TURNS)

    def _flush_after(self, turns: int) -> None:
        """Passes on what was kept after some turns of the event loop."""
        if turns:
            asyncio.get_running_loop().call_soon(self._flush_after, turns - 1)
        else:
            self.flush()
