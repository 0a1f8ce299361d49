# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The second try of requests whose replica died, with apps and handlers in place of Ray Serve's.

``cluster/test_deaths.py`` kills replicas under Ray Serve's own proxies.
"""

import asyncio
import json
from unittest.mock import Mock

import pytest
from kiln.serve import proxy, proxy_grpc

INTERNAL, UNAVAILABLE, PERMISSION_DENIED = 13, 14, 7
DIED = "The actor died unexpectedly before finishing this task.\n\tclass_name: ServeReplica"
GONE = "The actor 0123abcd is unavailable: it did not answer. The task may or may not have been"


def asked(app, body=(b"ab", b"c"), scope=None, retries=None, monkeypatch=None):
    """What a client gets: status, headers and body; None without an answer."""
    sent = []
    parts = [
        {"type": "http.request", "body": part, "more_body": i + 1 < len(body)}
        for i, part in enumerate(body)
    ]

    async def receive():
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(item):
        sent.append(item)

    whole = {"type": "http", "headers": [], **(scope or {})}
    asyncio.run(proxy.RetryMiddleware(app)(whole, receive, send))
    if not sent:
        return None
    headers = dict(sent[0].get("headers", []))
    return sent[0]["status"], headers, b"".join(s.get("body", b"") for s in sent[1:])


class Dying:
    """Answers with the body, after as many tries without an answer."""

    def __init__(self, deaths, reads=True):
        self.deaths, self.reads, self.tries = deaths, reads, 0

    async def __call__(self, scope, receive, send):
        self.tries += 1
        scope["root_path"] = f"changed {self.tries}"  # as the proxy does
        body, more = b"", self.reads
        while more:
            item = await receive()
            body, more = body + item["body"], item["more_body"]
        if self.tries > self.deaths:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": body})


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(proxy, "_PAUSE_S", 0.001)
    monkeypatch.setattr(proxy_grpc, "_PAUSE_S", 0.001)


def test_a_request_is_tried_again_with_its_body():
    app = Dying(deaths=2)
    assert asked(app) == (200, {}, b"abc")
    assert app.tries == 3


def test_the_client_learns_that_all_tries_failed():
    app = Dying(deaths=9)
    status, headers, body = asked(app)
    assert (status, headers[b"retry-after"], app.tries) == (503, b"1", 3)
    assert "each that tried it again (3 in all)" in json.loads(body)["error"]


def test_the_number_of_tries_is_configured(monkeypatch):
    monkeypatch.setenv("KILN_SERVE_RETRIES", "0")
    app = Dying(deaths=1)
    assert asked(app)[0] == 503 and app.tries == 1


def test_an_answer_that_began_is_not_repeated():
    async def half(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    assert asked(half) == (200, {}, b"")


def test_a_client_that_left_is_not_served_again():
    class Left(Dying):
        async def __call__(self, scope, receive, send):
            self.tries += 1
            while (await receive())["type"] != "http.disconnect":
                pass

    app = Left(9)
    assert asked(app) is None and app.tries == 1


def test_large_bodies_are_not_kept(monkeypatch):
    monkeypatch.setattr(proxy, "LARGEST_KEPT", 2)
    known = {"headers": [(b"content-length", b"3")]}
    for scope in (known, {"headers": []}):  # of a length that is said, or not
        app = Dying(deaths=1)
        assert asked(app, scope=scope) is None and app.tries == 1


def test_peers():
    local = ("ipv4:127.0.0.1:5", "ipv6:%5B::1%5D:5", "ipv6:[::ffff:127.0.0.1]:5", "unix:/tmp/x")
    assert all(map(proxy_grpc.is_local, local))
    assert not any(map(proxy_grpc.is_local, ("ipv4:192.0.2.1:5", "ipv6:[2001:db8::1]:5", "", "x")))


class Context:
    def __init__(self, peer="ipv4:127.0.0.1:5"):
        self._peer, self._code, self._details = peer, 0, ""

    def peer(self):
        return self._peer

    def code(self):
        return self._code

    def details(self):
        return self._details

    def set_code(self, code):
        self._code = getattr(code, "value", (code,))[0]

    def set_details(self, details):
        self._details = details


class Server:
    """As Ray Serve's: asks a factory for the handler of each method of a service."""

    def __init__(self, failures):
        self.failures, self.tries, self.handlers = list(failures), 0, {}

    def service_handler_factory(self, service_method, streaming_type):
        async def unary(request, context):
            self.tries += 1
            if self.failures:
                context.set_code(INTERNAL)
                context.set_details(self.failures.pop(0))
                return b""
            return request

        async def stream(requests, context):
            yield await unary(requests, context)

        return unary if streaming_type.endswith("unary") else stream

    def add_generic_rpc_handlers(self, handlers):
        for method in handlers[0]._method_handlers:
            self.handlers[method.rpartition("/")[2]] = self.service_handler_factory(
                service_method=method,
                streaming_type="stream_stream" if "Stream" in method else "unary_unary",
            )

    def add_registered_method_handlers(self, name, handlers):
        pass


def called(server, add=proxy_grpc.add, peer="ipv4:127.0.0.1:5"):
    pytest.importorskip("grpc")
    factory = server.service_handler_factory
    add(Mock(), server)
    assert server.service_handler_factory == factory
    context = Context(peer)
    answer = asyncio.run(server.handlers["ModelInfer"](b"x", context))
    return answer, context


def test_grpc_requests_are_tried_again():
    server = Server([DIED, GONE])
    answer, context = called(server)
    assert (answer, context.code(), context.details(), server.tries) == (b"x", 0, "", 3)


def test_grpc_clients_learn_that_all_tries_failed():
    answer, context = called(Server([DIED] * 9))
    assert (answer, context.code()) == (b"", UNAVAILABLE)
    assert "each that tried it again (3 in all)" in context.details()


def test_other_failures_stay_as_they_are():
    server = Server(["ValueError: The actor died"])
    _, context = called(server)
    assert (context.code(), server.tries) == (INTERNAL, 1)


def test_clients_of_other_machines_are_refused_on_loopback():
    for add, code in ((proxy_grpc.add_loopback, PERMISSION_DENIED), (proxy_grpc.add, 0)):
        server = Server([])
        _, context = called(server, add, "ipv4:192.0.2.1:99")
        assert context.code() == code
        assert server.tries == (code == 0)
