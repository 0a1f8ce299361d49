# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An observer that learns of requests once their answers are on the way to the client."""

import asyncio
from collections.abc import Callable
from typing import Any

from kiln.serve.observer import Guarded
from kiln.serve.request import InferRequest, InferResult

# An answer needs several turns of the event loop to leave the process, and what counts and logs it
# takes longer than the run of a small model.
_DELAY_S = 0.003


class Deferred(Guarded):
    """Passes ended requests and batches on later, in their order.

    A lone client waits for nothing else than its answer: what ends is told some milliseconds later.
    With several requests inside it is told in the next turn of the event loop. The methods belong
    to the thread of the loop. What reads the observer calls ``flush`` before.
    """

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
            self._keep(self._ended, token, result)
        self._inside -= 1

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """See Observer."""
        self.flush()
        super().request_refused(model, version, error)

    def batch_ran(self, *told: Any) -> None:
        """See Observer."""
        self._keep(self._batch, *told)

    def flush(self) -> None:
        """Passes on what was kept."""
        self._soon = False
        kept, self._kept = self._kept, []
        for method, arguments in kept:
            method(*arguments)

    def _flush_late(self) -> None:
        self._later = False
        self.flush()

    def _keep(self, method: "Callable[..., None]", *arguments: Any) -> None:
        self._kept.append((method, arguments))
        if self._inside > 1:
            if not self._soon:
                self._soon = True
                asyncio.get_running_loop().call_soon(self.flush)
        elif not self._later:
            self._later = True
            asyncio.get_running_loop().call_later(_DELAY_S, self._flush_late)
