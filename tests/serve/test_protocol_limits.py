# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""How long requests may wait, and clients that do not wait for them."""

import asyncio
import socket
import threading
import time
from types import MappingProxyType

import numpy as np
import pytest
from kiln.serve.request import InferResult
from kiln.serve.signature import ShapeRange, Signature, TensorSpec
from protocol_server import Server

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")

X = TensorSpec("x", "float32", (-1, 4))
RANGE = ShapeRange((1, 4), (1, 4), (4, 4))
SIGNATURE = Signature((X,), (TensorSpec("y", "float32", (-1, 4)),), ({"x": RANGE},), True)


class Slow:
    """Models with one model, which answers when it is told to, and keeps what it was asked."""

    name, version, signature, observer = "slow", "1", SIGNATURE, None
    shortcuts = MappingProxyType({})

    def __init__(self, _):
        self.requests, self.cancelled, self.inside = [], threading.Event(), threading.Event()
        self.block = False

    async def start(self):
        pass

    close = start

    async def get(self, name, version=""):
        return self

    answers_at_once = False

    async def infer(self, request):
        self.requests.append(request)
        self.inside.set()
        try:
            if self.block:
                await asyncio.sleep(30)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return InferResult({"y": np.array(request.inputs["x"])}, "slow", "1", request.id)


@pytest.fixture(scope="module")
def server():
    with Server(Slow) as running:
        yield running


@pytest.fixture
def slow(server):
    server.models.requests.clear()
    server.models.cancelled.clear()
    server.models.inside.clear()
    server.models.block = False
    return server.models


def tensor(library):
    x = library.InferInput("x", [1, 4], "FP32")
    x.set_data_from_numpy(np.ones((1, 4), np.float32))
    return x


def test_the_limit_of_a_request_is_in_microseconds(server, slow):
    with http.InferenceServerClient(server.http) as client:
        client.infer("slow", [tensor(http)], timeout=250_000)
        client.infer("slow", [tensor(http)])
    with grpc.InferenceServerClient(server.grpc) as client:
        client.infer("slow", [tensor(grpc)], timeout=250_000)
        client.infer("slow", [tensor(grpc)])
    assert [request.timeout_ms for request in slow.requests] == [250, None, 250, None]


def test_the_deadline_of_a_call_limits_its_wait(server, slow):
    with grpc.InferenceServerClient(server.grpc) as client:
        client.infer("slow", [tensor(grpc)], client_timeout=20)
        client.infer("slow", [tensor(grpc)], client_timeout=20, timeout=250_000)
        client.infer("slow", [tensor(grpc)], client_timeout=20, timeout=60_000_000)
    first, second, third = (request.timeout_ms for request in slow.requests)
    assert 10_000 < first < 21_000 and second == 250 and 10_000 < third < 21_000


def test_a_call_that_is_cancelled_leaves(server, slow):
    slow.block = True
    with grpc.InferenceServerClient(server.grpc) as client:
        call = client.async_infer("slow", [tensor(grpc)], callback=lambda result, error: None)
        assert slow.inside.wait(10)
        call.cancel()
        assert slow.cancelled.wait(10)


def test_a_stream_that_is_cancelled_leaves(server, slow):
    slow.block = True
    with grpc.InferenceServerClient(server.grpc) as client:
        client.start_stream(callback=lambda result, error: None)
        client.async_stream_infer("slow", [tensor(grpc)])
        assert slow.inside.wait(10)
        client.stop_stream(cancel_requests=True)
        assert slow.cancelled.wait(10)


def test_a_connection_that_is_closed_leaves(server, slow):
    slow.block = True
    host, port = server.http.split(":")
    body = b'{"inputs": {"x": [[1, 2, 3, 4]]}}'
    head = f"POST /v2/models/slow/infer HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + body)
        assert slow.inside.wait(10)
        time.sleep(0.05)
        assert not slow.cancelled.is_set()
    assert slow.cancelled.wait(10)
