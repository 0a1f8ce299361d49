# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of HTTP requests and responses: reading with a limit, and compression."""

import gzip
import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from kiln.serve.request import BadRequestError, RequestError

Receive = Callable[[], Awaitable[Any]]
Headers = Mapping[bytes, bytes]


class TooLargeError(RequestError):
    """The body is larger than the server takes."""

    status = 413
    grpc_status = "RESOURCE_EXHAUSTED"


class DisconnectedError(Exception):
    """The client went away before it had its answer."""


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(
        f"[protocol] body: expected at most {limit} bytes, got more. Send fewer rows in a request,"
        " or raise the limit of the server."
    )


async def read(receive: Receive, headers: Headers, limit: int) -> bytes:
    """The whole body, decompressed. Raises TooLargeError beyond `limit` bytes."""
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > limit:
        raise _too_large(limit)
    body, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        body.append(chunk)
        if not message.get("more_body", False):
            break
    whole = body[0] if len(body) == 1 else b"".join(body)
    coding = headers.get(b"content-encoding")
    return decompressed(whole, coding.decode("latin-1"), limit) if coding else whole


def decompressed(body: bytes, coding: str, limit: int) -> bytes:
    """A body without its content coding: gzip, deflate (zlib's format) or identity."""
    name = coding.strip().lower()
    if name in ("", "identity"):
        return body
    if name not in ("gzip", "deflate"):
        raise BadRequestError(
            f"[protocol] header Content-Encoding: expected gzip or deflate, got {coding}."
            " Compress with one of them, or not at all."
        )
    unpacker = zlib.decompressobj(31 if name == "gzip" else 15)
    try:
        found = unpacker.decompress(body, limit + 1)
    except zlib.error as error:
        raise BadRequestError(
            f"[protocol] body: expected {name} data, got other bytes ({error})."
            " Leave out the header Content-Encoding for a body that is not compressed."
        ) from error
    if len(found) > limit:
        raise _too_large(limit)
    if not unpacker.eof:
        raise BadRequestError(f"[protocol] body: expected complete {name} data, got a part of it.")
    return found


def wanted_coding(headers: Headers) -> str:
    """The content coding that a response gets; '' for none.

    Only a client that names a single coding gets it: a list is the default of HTTP libraries,
    whose users did not ask for compression and would pay for it with time.
    """
    accepted = headers.get(b"accept-encoding", b"").decode("latin-1").strip().lower()
    return accepted if accepted in ("gzip", "deflate") else ""


def compressed(body: bytes, coding: str) -> bytes:
    """A body in a content coding."""
    return gzip.compress(body, 1, mtime=0) if coding == "gzip" else zlib.compress(body, 1)
