# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol over HTTP, as an ASGI 3 application."""

import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import orjson

from kiln._messages import message
from kiln.serve import shortcut
from kiln.serve.call import CURRENT, Call
from kiln.serve.observer import Observer
from kiln.serve.protocol import body as bodies
from kiln.serve.protocol import describe, http, pages
from kiln.serve.protocol.body import Headers, Receive
from kiln.serve.protocol.departure import Departure
from kiln.serve.protocol.known_heads import LONGEST, Head, KnownHeads
from kiln.serve.protocol.statistics import Statistics
from kiln.serve.protocol.unsupported import (
    NotAllowedError,
    check_control,
    refused_path,
    unknown_path,
)
from kiln.serve.request import BadRequestError, InferRequest, RequestError

if TYPE_CHECKING:
    from kiln.serve.models import Models

Send = Callable[[Any], Awaitable[None]]
Extra = list[tuple[bytes, bytes]]

JSON = b"application/json"
BINARY = b"application/octet-stream"
MAX_BODY = 256 << 20

_log = logging.getLogger("kiln.serve")


class App:
    """Answers HTTP requests with the models of a deployment.

    models: started by the caller; their observer also learns of refused requests. statistics: the
    observer that counts requests, for /stats. metrics: gives the text of /metrics. Both are taken
    from the observer of the models if that is a Watching. name: of the server, in its metadata.
    model_control: whether clients may load and unload models. max_body: bytes of a request, before
    and after decompression.
    """

    def __init__(
        self,
        models: "Models",
        *,
        statistics: "Statistics | None" = None,
        metrics: "Callable[[], str] | None" = None,
        name: str = "kiln",
        model_control: bool = False,
        max_body: int = MAX_BODY,
    ) -> None:
        self.models = models
        self.name = name
        self._observer: Observer = getattr(models, "observer", None) or Observer()
        watching = getattr(self._observer, "observer", self._observer)  # behind its guard
        self._statistics = statistics or getattr(watching, "statistics", None) or Statistics()
        own = getattr(watching, "metrics", None)
        self._metrics = metrics or (own.text if own is not None else None)
        self._control = model_control
        self._max_body = max_body
        self._heads = KnownHeads()

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answers one connection or request, as ASGI has it."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003})

    async def _http(self, scope: Any, receive: Receive, send: Send) -> None:
        headers: Headers = dict(scope["headers"])
        path: str = scope["path"]
        root: str = scope.get("root_path", "")
        if root and path.startswith(root):
            path = path[len(root) :]
        token = CURRENT.set(_call(headers))
        try:
            status, content, kind, extra = await self._answer(
                scope["method"], path, scope, headers, receive
            )
        except bodies.DisconnectedError:
            return
        except RequestError as error:
            status, content, kind, extra = _failure(error.status, str(error))
            if error.retry_after is not None:
                extra.append((b"retry-after", str(max(1, round(error.retry_after))).encode()))
            if isinstance(error, NotAllowedError):
                extra.append((b"allow", error.allowed.encode()))
        except Exception as error:
            _log.exception("[protocol] %s %s failed", scope["method"], path)
            status, content, kind, extra = _failure(500, _internal(error))
        finally:
            CURRENT.reset(token)
        coding = bodies.wanted_coding(headers) if content else ""
        if coding:
            content = bodies.compressed(content, coding)
            extra.append((b"content-encoding", coding.encode()))
        extra.append((b"content-type", kind))
        extra.append((b"content-length", str(len(content)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": extra})
        await send({"type": "http.response.body", "body": content})

    async def _answer(
        self, method: str, path: str, scope: Any, headers: Headers, receive: Receive
    ) -> "tuple[int, bytes, bytes, Extra]":
        """Status, body, content type and more headers."""
        parts = [part for part in path.split("/") if part]
        match parts:
            case ["v2", "models", name, *rest] if rest or name != "stats":
                return await self._model(method, unquote(name), rest, path, headers, receive)
            case ["v2", "models", "stats"]:
                _only(method, "GET", path)
                self.models.tell()
                return _json(self._statistics.of(""))
            case ["v2", "repository", *rest]:
                return await self._repository(method, rest, path, headers, receive)
            case ["v2", "health", ("live" | "ready") as what]:
                _only(method, "GET", path)
                good = what == "live" or self.models.ready()
                return _json({what: good}, 200 if good else 503)
            case ["v2"]:
                _only(method, "GET", path)
                return _json(describe.server(self.name))
            case [] | ["v2", "models"]:
                _only(method, "GET", path)
                return _pretty(await pages.welcome(self.models, self.name, pages.base(scope)))
            case ["metrics"] if self._metrics is not None:
                _only(method, "GET", path)
                self.models.tell()
                return 200, self._metrics().encode(), pages.METRICS_TYPE, []
        raise refused_path(path) or unknown_path(path)

    async def _model(
        self,
        method: str,
        name: str,
        rest: list[str],
        path: str,
        headers: Headers,
        receive: Receive,
    ) -> "tuple[int, bytes, bytes, Extra]":
        version = ""
        if rest[:1] == ["versions"] and len(rest) > 1:
            version, rest = unquote(rest[1]), rest[2:]
        match rest:
            case ["infer"]:
                _only(method, "POST", path)
                return await self._infer(name, version, headers, receive)
            case []:
                _only(method, "GET", path)
                model = await self.models.get(name, version)
                return _pretty(describe.metadata(model) | {"profiles": describe.profiles(model)})
            case ["ready"]:
                _only(method, "GET", path)
                good = self.models.ready(name, version)
                return _json({"name": name, "ready": good}, 200 if good else 503)
            case ["config"]:
                _only(method, "GET", path)
                return _json(describe.config(await self.models.get(name, version)))
            case ["stats"]:
                _only(method, "GET", path)
                await self.models.get(name, version)
                self.models.tell()
                return _json(self._statistics.of(name, version))
        raise refused_path(path) or unknown_path(path)

    async def _infer(
        self, name: str, version: str, headers: Headers, receive: Receive
    ) -> "tuple[int, bytes, bytes, Extra]":
        try:
            body = await bodies.read(receive, headers, self._max_body)
            begin = _header_length(headers)
        except RequestError as error:
            self._observer.request_refused(name, version, error)
            raise
        key = (name, version, bytes(body[:begin])) if begin and begin <= LONGEST else None
        quick = self.models.shortcuts.get(key) if key is not None else None
        if quick is not None:
            answer = quick.answer(body, headers)
            if answer is not None:
                return 200, answer, BINARY, [quick.header]
        try:
            model = await self.models.get(name, version)
            request, form = http.parse(body, model.signature, begin, self._heads)
        except RequestError as error:
            self._observer.request_refused(name, version, error)
            raise
        if model.answers_at_once:
            result = await model.infer(request)
        else:
            with Departure(receive):
                result = await model.infer(request)
        content, length = http.render(result, form, model.signature)
        if length is None:
            return 200, content, JSON, []
        header = (b"inference-header-content-length", str(length).encode())
        if key is not None and isinstance(request.kind, Head) and not form.classes:
            parts = [content[:length], *[b""] * (len(result.outputs) - 1)]
            if len(content) == length + sum(a.nbytes for a in result.outputs.values()):
                self._shorten(key, model, request, len(body), parts, header)
        return 200, content, BINARY, [header]

    def _shorten(
        self,
        key: "tuple[str, str, bytes]",
        model: Any,
        request: InferRequest,
        size: int,
        parts: "list[bytes]",
        header: "tuple[bytes, bytes]",
    ) -> None:
        """Looks for a shortcut for the requests that come after one."""
        assert isinstance(request.kind, Head)
        found = shortcut.find(model, request, request.kind.places(len(key[2])), _call)
        if found is not None:
            self.models.shorten(key, shortcut.Framed(found, size, parts, header))

    async def _repository(
        self, method: str, rest: list[str], path: str, headers: Headers, receive: Receive
    ) -> "tuple[int, bytes, bytes, Extra]":
        match rest:
            case ["index"]:
                if method != "GET":
                    _only(method, "POST", path)
                options = _options(await bodies.read(receive, headers, self._max_body))
                return _json(describe.index(self.models, options.get("ready") is True))
            case ["models", name, ("load" | "unload") as what]:
                _only(method, "POST", path)
                options = _options(await bodies.read(receive, headers, self._max_body))
                check_control(self._control, what)
                if what == "load":
                    pages.refuse_load_options(options.get("parameters") or {})
                    await self.models.load(unquote(name))
                else:
                    await self.models.unload(unquote(name))
                return _json({})
        raise unknown_path(path)


def _call(headers: Headers) -> Call:
    def text(name: bytes) -> str:
        return headers.get(name, b"").decode("latin-1")

    return Call("http", text(b"x-request-id"), text(b"traceparent"), text(b"tracestate"))


def _header_length(headers: Headers) -> "int | None":
    text = headers.get(b"inference-header-content-length")
    if text is None:
        return None
    if not text.strip().isdigit():
        raise BadRequestError(
            "[protocol] header Inference-Header-Content-Length: expected a number of bytes, got"
            f" '{text.decode('latin-1')}'. Send the length of the JSON."
        )
    return int(text)


def _options(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    with contextlib.suppress(orjson.JSONDecodeError):
        value = orjson.loads(body)
        if isinstance(value, dict):
            return value
    raise BadRequestError("[protocol] body: expected a JSON object or nothing, got other bytes.")


def _only(method: str, allowed: str, path: str) -> None:
    if method != allowed:
        raise NotAllowedError(method, allowed, path)


def _json(value: Any, status: int = 200) -> "tuple[int, bytes, bytes, Extra]":
    return status, orjson.dumps(value), JSON, []


def _pretty(value: Any) -> "tuple[int, bytes, bytes, Extra]":
    return 200, orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n", JSON, []


def _failure(status: int, text: str) -> "tuple[int, bytes, bytes, Extra]":
    return status, orjson.dumps({"error": text}), JSON, []


def _internal(error: Exception) -> str:
    return message(f"[protocol] the request failed: {type(error).__name__}: {error}")


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return
