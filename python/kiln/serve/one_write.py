# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers whose headers and body leave in one write.

uvicorn writes the headers and the body of an answer by themselves. A client, or HAProxy, that has
the headers wakes up and takes the processor before the body is there, and a process that is killed
in between leaves half of an answer behind, which cannot be asked for again.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

_LARGEST = 256 << 10  # of what is copied for one write

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class OneWriteMiddleware:
    """An ASGI app around another one. Under other servers than uvicorn, it changes nothing."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        """Runs one request."""
        cycle = getattr(send, "__self__", None)  # uvicorn's, of one request
        if scope["type"] == "http" and hasattr(cycle, "transport"):
            send = _Joined(send, cycle)
        await self._app(scope, receive, send)


class _Joined:
    """Keeps the headers until the first part of the body comes."""

    def __init__(self, send: Send, cycle: Any) -> None:
        self._send, self._cycle = send, cycle
        self._start: Message | None = None

    async def __call__(self, item: Message) -> None:
        if item["type"] == "http.response.start":
            self._start = item
            return
        start, self._start = self._start, None
        if start is None:
            await self._send(item)
            return
        transport = self._cycle.transport
        self._cycle.transport = parts = _Parts(transport)
        try:
            await self._send(start)
            await self._send(item)
        finally:
            self._cycle.transport = transport
            parts.flush()


class _Parts:
    """A transport that collects what is written; anything else goes to the one behind it."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._data: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._data.append(data)

    def flush(self) -> None:
        small = sum(map(len, self._data)) <= _LARGEST
        for data in [b"".join(self._data)] if small else self._data:
            self._transport.write(data)
        self._data.clear()

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
