# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers in one write, under uvicorn with both of its HTTP parsers."""

import asyncio
import contextlib

import pytest

uvicorn = pytest.importorskip("uvicorn", reason="scripts/setup.sh serve installs it")

from kiln.serve.one_write import OneWriteMiddleware  # noqa: E402


async def app(scope, receive, send):
    path = scope["path"]
    if path == "/fails":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("before the body")
    sized = path == "/sized"
    headers = [(b"content-length", b"6")] if sized else []
    await send({"type": "http.response.start", "status": 201, "headers": headers})
    await send({"type": "http.response.body", "body": b"abc", "more_body": True})
    await send({"type": "http.response.body", "body": b"def"})


async def whole(scope, receive, send):
    headers = [(b"content-length", b"3")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"abc"})


@contextlib.asynccontextmanager
async def serving(app, parser):
    """A server; gives its port and what its connections write, one entry for each write."""
    written = []

    async def watched(scope, receive, send):
        transport = send.__self__.transport
        if not hasattr(transport, "watched"):
            send.__self__.transport = Watched(transport, written)
        await OneWriteMiddleware(app)(scope, receive, send)

    config = uvicorn.Config(watched, port=0, http=parser, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1], written
    finally:
        server.should_exit = True
        await task


class Watched:
    watched = True

    def __init__(self, transport, written):
        self._transport, self._written = transport, written

    def write(self, data):
        self._written.append(bytes(data))
        self._transport.write(data)

    def __getattr__(self, name):
        return getattr(self._transport, name)


async def ask(port, *paths, method="GET", last="keep-alive"):
    """The answers to requests on one connection, as one text."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    texts = []
    for path in paths:
        writer.write(f"{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: {last}\r\n\r\n".encode())
        text = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        if method == "HEAD":
            pass
        elif b"chunked" in text:
            text += await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), 10)
        else:
            length = int(text.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            text += await asyncio.wait_for(reader.readexactly(length), 10)
        texts.append(text.decode())
    if last == "close":
        assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    return texts


@pytest.fixture(params=["httptools", "h11"])
def parser(request):
    pytest.importorskip(request.param)
    return request.param


def run(test):
    asyncio.run(test())


def test_headers_and_body_are_one_write(parser):
    async def test():
        async with serving(whole, parser) as (port, written):
            texts = await ask(port, "/", "/", "/")
            assert [text.split("\r\n\r\n")[1] for text in texts] == ["abc"] * 3
            assert len(written) == 3
            assert all(data.endswith(b"\r\n\r\nabc") for data in written)

    run(test)


def test_answers_in_parts(parser):
    async def test():
        async with serving(app, parser) as (port, written):
            sized, chunked = await ask(port, "/sized", "/chunked")
            assert sized.endswith("\r\n\r\nabcdef")
            assert chunked.endswith("\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n")
            assert all(b"HTTP/1.1" not in data or b"abc" in data for data in written)

    run(test)


def test_large_answers_are_not_copied(parser):
    body = bytes(1 << 20)

    async def large(scope, receive, send):
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def test():
        async with serving(large, parser) as (port, written):
            (text,) = await ask(port, "/")
            assert text.endswith("\0" * len(body))
            assert [len(data) for data in written if data][1] == len(body)

    run(test)


def test_a_connection_that_ends_gets_all(parser):
    async def test():
        async with serving(whole, parser) as (port, _):
            (text,) = await ask(port, "/", last="close")
            assert text.endswith("abc")

    run(test)


def test_head_and_failures(parser):
    async def test():
        async with serving(app, parser) as (port, _):
            (text,) = await ask(port, "/sized", method="HEAD")
            assert text.startswith("HTTP/1.1 201") and text.endswith("\r\n\r\n")
            (text,) = await ask(port, "/fails", last="close")
            # The headers were not sent yet, so the client learns of it.
            assert text.startswith("HTTP/1.1 500")

    run(test)


def test_other_servers_and_websockets_stay():
    seen = []

    async def app(scope, receive, send):
        seen.append(send)

    async def send(item):
        pass

    class Cycle:
        transport = None

        async def send(self, item):
            pass

    async def test():
        of_uvicorn = Cycle().send
        await OneWriteMiddleware(app)({"type": "http"}, None, send)
        await OneWriteMiddleware(app)({"type": "websocket"}, None, of_uvicorn)
        assert seen == [send, of_uvicorn]
        await OneWriteMiddleware(app)({"type": "http"}, None, of_uvicorn)
        assert seen[2] != of_uvicorn

    run(test)
