# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients that go away while their request waits."""

import asyncio
from types import TracebackType

from kiln.serve.protocol.body import DisconnectedError, Receive

# Most requests are done before; listening for a disconnection costs a task.
_LISTEN_AFTER_S = 0.02


class Departure:
    """Cancels the block inside of it when the client disconnects; it then raises DisconnectedError.

    So a request leaves the queue that nobody waits for.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._gone = False
        self._listener: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._timer = asyncio.get_running_loop().call_later(_LISTEN_AFTER_S, self._listen)

    def _listen(self) -> None:
        self._listener = asyncio.ensure_future(self._wait())

    async def _wait(self) -> None:
        if (await self._receive())["type"] == "http.disconnect" and self._task is not None:
            self._gone = True
            self._task.cancel()

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        self._timer.cancel()
        if self._listener is not None:
            self._listener.cancel()
        if self._gone and isinstance(error, asyncio.CancelledError):
            uncancel = getattr(self._task, "uncancel", None)  # Python 3.11
            if uncancel is not None:
                uncancel()
            raise DisconnectedError from None
