# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An observer that learns of requests once their answers are on the way to the client."""

import asyncio
from collections.abc import Callable
from typing import Any

from kiln.serve.observer import Guarded
from kiln.serve.request import InferResult

# An answer needs several turns of the event loop to leave the process, and what counts and logs it
# takes longer than the run of a small model.
_DELAY_S = 0.003


class Deferred(Guarded):
    """Passes ended requests and batches on some milliseconds later, in their order.

    The methods belong to the thread of the event loop. What reads the observer calls ``flush``
    before.
    """

    def __init__(self, observer: Any) -> None:
        super().__init__(observer)
        self._kept: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._ended = super().request_ended
        self._batch = super().batch_ran

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """See Observer. Errors are told at once: they do not say when they came."""
        if isinstance(result, BaseException):
            self.flush()
            self._ended(token, result)
        else:
            self._keep(self._ended, token, result)

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """See Observer."""
        self.flush()
        super().request_refused(model, version, error)

    def batch_ran(self, *told: Any) -> None:
        """See Observer."""
        self._keep(self._batch, *told)

    def flush(self) -> None:
        """Passes on what was kept."""
        kept, self._kept = self._kept, []
        for method, arguments in kept:
            method(*arguments)

    def _keep(self, method: "Callable[..., None]", *arguments: Any) -> None:
        if not self._kept:
            asyncio.get_running_loop().call_later(_DELAY_S, self.flush)
        self._kept.append((method, arguments))
