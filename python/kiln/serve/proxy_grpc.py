# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The gRPC service in Ray Serve's proxies: who may call it, and another try when a replica dies.

Ray Serve's gRPC proxy listens on all addresses of its machine. ``add_loopback`` answers those of
the machine itself only; ``add`` answers everybody. A request whose replica died ends in Ray Serve
with the status INTERNAL; here it runs again on another replica, and ends with UNAVAILABLE, which
clients may retry, if that dies too.
"""

import asyncio
import ipaddress
import re
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import unquote

from kiln._messages import message
from kiln.serve.proxy import lost_text, retries

OPEN = "kiln.serve.proxy_grpc.add"
LOOPBACK = "kiln.serve.proxy_grpc.add_loopback"

_OK, _PERMISSION_DENIED, _INTERNAL, _UNAVAILABLE = 0, 7, 13, 14
# How Ray's errors of actors begin that died or cannot be reached.
_LOST = re.compile(r"The actor (died|[0-9a-f]+ is unavailable)|The actor experienced an error")
_PAUSE_S = 0.05

Handler = Callable[[Any, Any], Any]


def add(servicer: Any, server: Any) -> None:
    """Adds the service of the Open Inference Protocol to a gRPC proxy of Ray Serve."""
    _add(servicer, server, lambda peer: True)


def add_loopback(servicer: Any, server: Any) -> None:
    """As ``add``; clients of other machines get PERMISSION_DENIED."""
    _add(servicer, server, is_local)


def is_local(peer: str) -> bool:
    """Whether a peer, as gRPC writes it, is on this machine."""
    kind, _, rest = unquote(peer).partition(":")
    if kind == "unix":
        return True
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def is_lost(code: Any, details: str) -> bool:
    """Whether a status says that the replica died or cannot be reached."""
    return _number(code) == _INTERNAL and _LOST.match(details or "") is not None


def _add(servicer: Any, server: Any, allows: Callable[[str], bool]) -> None:
    from kiln.serve.protocol.grpc import add_GRPCInferenceServiceServicer_to_server

    # Ray's server makes the handler of each method with this factory when a service is added.
    make = server.service_handler_factory
    server.service_handler_factory = lambda service_method, streaming_type: _guarded(
        make(service_method=service_method, streaming_type=streaming_type), streaming_type, allows
    )
    try:
        add_GRPCInferenceServiceServicer_to_server(servicer, server)
    finally:
        server.service_handler_factory = make


def _guarded(inner: Handler, streaming_type: Any, allows: Callable[[str], bool]) -> Handler:
    if str(getattr(streaming_type, "value", streaming_type)).endswith("_unary"):
        return _unary(inner, allows)
    return _stream(inner, allows)


def _unary(inner: Handler, allows: Callable[[str], bool]) -> Handler:
    tries = retries() + 1

    async def handle(request: Any, context: Any) -> Any:
        if not allows(context.peer()):
            return _deny(context)
        for tried in range(tries):
            if tried:
                await asyncio.sleep(_PAUSE_S * 2**tried)
                _set(context, _OK, "")
            answer = await inner(request, context)
            if not is_lost(context.code(), context.details()):
                return answer
        _set(context, _UNAVAILABLE, lost_text(tries))
        return b""

    return handle


def _stream(inner: Handler, allows: Callable[[str], bool]) -> Handler:
    async def handle(requests: Any, context: Any) -> AsyncIterator[Any]:
        if not allows(context.peer()):
            _deny(context)
            return
        async for answer in inner(requests, context):
            yield answer
        if is_lost(context.code(), context.details()):
            _set(context, _UNAVAILABLE, lost_text(1))

    return handle


def _deny(context: Any) -> bytes:
    text = message(
        f"[deploy] expected a client of this machine, got {context.peer()}. Start the server with "
        "--host 0.0.0.0 to answer other machines, behind a proxy that checks who they are."
    )
    _set(context, _PERMISSION_DENIED, text)
    return b""


def _set(context: Any, code: int, details: str) -> None:
    import grpc

    context.set_code(next(status for status in grpc.StatusCode if status.value[0] == code))
    context.set_details(details)


def _number(code: Any) -> int:
    value = getattr(code, "value", code)
    return int(value[0]) if isinstance(value, tuple) else int(value or 0)
