# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What runs inside of Ray Serve's proxies: another try when a replica dies, and whole answers.

When a replica dies, Ray Serve's HTTP proxy ends the requests that were inside of it without an
answer, which clients see as status 500 with a text of the web server. An engine gives the same
result for the same request, so it may run again: the middleware of this module sends the request
to another replica, and answers 503 with ``Retry-After`` when that dies too. The proxies load it
by the environment variable

    RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH=kiln.serve.proxy.middlewares

which ``kiln serve`` and the files of ``kiln serve --write-config`` set. gRPC has the same in
``kiln.serve.proxy_grpc``.
"""

import asyncio
import json
import os
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from kiln._messages import message
from kiln.serve.one_write import OneWriteMiddleware

RETRIES_VARIABLE = "KILN_SERVE_RETRIES"
CALLBACK_VARIABLE = "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH"
CALLBACK = "kiln.serve.proxy.middlewares"

# Bodies above this size are passed on as they come: a second try would need all of it in memory.
LARGEST_KEPT = 64 << 20
_PAUSE_S = 0.05

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def retries() -> int:
    """How often a request whose replica died is tried again: KILN_SERVE_RETRIES; default: 2."""
    text = os.environ.get(RETRIES_VARIABLE, "")
    return int(text) if text.isdecimal() else 2


def lost_text(tries: int) -> str:
    """What a client is told whose request died with each replica that had it."""
    return message(
        f"[deploy] the replica that had this request died, and so did each that tried it again "
        f"({tries} in all). Send it again in a second. If one request always ends like this, a "
        "plugin or a library that its model uses ends the process."
    )


class RetryMiddleware:
    """An ASGI app around the proxy's: repeats requests that ended without an answer."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._retries = retries()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Runs one request; other than HTTP and large bodies pass unchanged."""
        if scope["type"] != "http" or _length(scope) > LARGEST_KEPT:
            await self._app(scope, receive, send)
            return
        kept = _Kept(receive)
        answer = _Answer(send)
        for tried in range(self._retries + 1):
            if tried:
                await asyncio.sleep(_PAUSE_S * 2**tried)
            # The proxy changes the scope, such as its root_path.
            await self._app(dict(scope), kept.again(), answer)
            if answer.started or kept.gone or kept.dropped:
                return
        await _refuse(send, lost_text(self._retries + 1))


def middlewares() -> list[Any]:
    """What Ray Serve's proxies call when they start."""
    from starlette.middleware import Middleware

    return [Middleware(RetryMiddleware), Middleware(OneWriteMiddleware)]


class _Answer:
    """Passes an answer on, and knows whether there is one."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def __call__(self, item: Message) -> None:
        self.started = True
        await self._send(item)


class _Kept:
    """The messages of a request, kept so that they can be received again.

    gone: the client went away. dropped: the body is larger than what is kept.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._messages: list[Message] = []
        self._bytes = 0
        self.gone = False
        self.dropped = False

    def again(self) -> Receive:
        """A receive function that starts with the first message."""
        queue = deque(self._messages)

        async def receive() -> Message:
            return queue.popleft() if queue else await self._next()

        return receive

    async def _next(self) -> Message:
        item = await self._receive()
        if item["type"] == "http.disconnect":
            self.gone = True
        elif not self.dropped:
            self._bytes += len(item.get("body", b""))
            self._messages.append(item)
            if self._bytes > LARGEST_KEPT:
                self.dropped = True
                self._messages.clear()
        return item


def _length(scope: Message) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0


async def _refuse(send: Send, text: str) -> None:
    body = json.dumps({"error": text}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", b"1"),
    ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
