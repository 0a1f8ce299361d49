# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The shortcut of a lone client's requests: same answers, same counts, and not when others ask."""

import asyncio
import gc
import json
import logging
import weakref

import engine_nets
import numpy as np
import pytest

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")
pytest.importorskip("google.protobuf", reason="scripts/setup.sh serve installs it")
pytest.importorskip("grpc", reason="scripts/setup.sh serve installs it")

from kiln.serve import shortcut
from kiln.serve.config import ModelConfig, ServeConfig
from kiln.serve.models import Models
from kiln.serve.observer import Observer
from kiln.serve.protocol import wire
from kiln.serve.protocol.asgi import App
from kiln.serve.protocol.grpc import InferenceService
from kiln.serve.protocol.messages import ModelInferRequest, ModelInferResponse
from kiln.serve.watching import Watching
from test_protocol_messages import Context


def rows(count, seed=0):
    return np.random.default_rng(seed).random((count, 4), np.float32)


class Server:
    """Both protocols over one model without a network; `taken`: requests that took the shortcut."""

    def __init__(self, monkeypatch, protocol, **watching):
        self.taken, self.protocol = 0, protocol
        monkeypatch.setattr(wire, "HEADS", wire.Heads())
        run = shortcut.Shortcut.run

        def counted(*arguments):
            found = run(*arguments)
            self.taken += found is not None
            return found

        monkeypatch.setattr(shortcut.Shortcut, "run", counted)
        self.watching = Watching(in_ray=False, **watching)

    async def start(self, plan):
        self.models = Models(ServeConfig((ModelConfig(plan, "m"),)), self.watching)
        await self.models.start()
        # Other programs on this machine may hold up any run.
        self.models.loaded()[0].batcher._inline = 1.0
        self.service, self.app = InferenceService(self.models), App(self.models)

    async def ask(self, x):
        """y, by a task of its own, as a server has one for each request."""
        ask = self._grpc if self.protocol == "grpc" else self._http
        found = await asyncio.ensure_future(ask(x))
        await asyncio.sleep(0)
        return found

    async def _grpc(self, x):
        message = ModelInferRequest(model_name="m")
        message.inputs.add(name="x", datatype="FP32", shape=x.shape)
        message.raw_input_contents.append(x.tobytes())
        context = Context(request_id="r")
        request = wire.received(message.SerializeToString())
        answer = await self.service.ModelInfer(request, context)
        assert context.code is None, context.details
        found = ModelInferResponse.FromString(wire.serialized(answer))
        assert (found.model_name, found.model_version) == ("m", "1")
        shape = list(found.outputs[0].shape)
        return np.frombuffer(found.raw_output_contents[0], np.float32).reshape(shape)

    async def _http(self, x):
        tensor = {"name": "x", "shape": x.shape, "datatype": "FP32"}
        tensor["parameters"] = {"binary_data_size": x.nbytes}
        value = {"inputs": [tensor], "parameters": {"binary_data_output": True}}
        head, sent = json.dumps(value).encode(), []
        headers = [(b"inference-header-content-length", str(len(head)).encode())]
        headers.append((b"x-request-id", b"r"))
        path = "/v2/models/m/infer"
        scope = {"type": "http", "method": "POST", "path": path, "headers": headers}

        async def receive():
            return {"type": "http.request", "body": head + x.tobytes()}

        async def send(item):
            sent.append(item)

        await self.app(scope, receive, send)
        start, body = sent
        assert start["status"] == 200, body
        length = int(dict(start["headers"])[b"inference-header-content-length"])
        answer = json.loads(body["body"][:length])
        assert (answer["model_name"], answer["model_version"]) == ("m", "1")
        shape = answer["outputs"][0]["shape"]
        return np.frombuffer(body["body"][length:], np.float32).reshape(shape)

    async def warm_up(self, count=4):
        """Asks until the shortcut is there."""
        for _ in range(count):
            np.testing.assert_array_equal(await self.ask(rows(1)), 2 * rows(1))
            self.models.tell()
        self.taken = 0


@pytest.fixture(params=["grpc", "http"])
def server(request, monkeypatch):
    return Server(monkeypatch, request.param)


def run(server, work, plan=None):
    async def main():
        await server.start(plan or engine_nets.double((1, 8, 64)))
        try:
            return await work()
        finally:
            await server.models.close()

    return asyncio.run(main())


def test_the_answers_are_the_same(server):
    async def work():
        await server.warm_up()
        kept = []
        for seed in range(20):
            kept.append((rows(1, seed), await server.ask(rows(1, seed))))
        assert server.taken == 20
        for x, y in kept:  # later runs change no answer
            np.testing.assert_array_equal(y, 2 * x)
        for count in (3, 1, 64, 1, 3):
            np.testing.assert_array_equal(await server.ask(rows(count)), 2 * rows(count))

    run(server, work)


def test_all_are_counted(server):
    async def work():
        await server.warm_up()
        for seed in range(100):
            await server.ask(rows(1, seed))
        await server.ask(rows(3))
        server.models.tell()
        return server.watching.statistics.of("m")["model_stats"]

    (statistics,) = run(server, work)
    assert server.taken == 100
    lines = server.watching.metrics.text().splitlines()
    found = dict(line.rsplit(" ", 1) for line in lines if line[0] != "#")
    model = 'model="m",version="1"'
    asked = f'{model},protocol="{server.protocol}"'
    assert found[f'kiln_requests_total{{{asked},status="200"}}'] == "105"
    assert found[f"kiln_request_seconds_count{{{asked}}}"] == "105"
    assert found[f"kiln_requests_inside{{{model}}}"] == "0"
    for name in ("batch_rows", "queue_seconds", "run_seconds", "padding_ratio"):
        assert found[f"kiln_{name}_count{{{model}}}"] == "105", name
    assert found[f"kiln_rows_total{{{model}}}"] == found[f"kiln_padded_rows_total{{{model}}}"]
    assert found[f"kiln_rows_total{{{model}}}"] == "107"
    assert 0 < float(found[f"kiln_run_seconds_sum{{{model}}}"]) < 10
    assert (statistics["inference_count"], statistics["execution_count"]) == (107, 105)
    assert statistics["inference_stats"]["success"]["count"] == 105
    assert {b["batch_size"]: b["compute_infer"]["count"] for b in statistics["batch_stats"]} == {
        1: 104,
        3: 1,
    }


def test_logs_and_other_observers_hear_of_each(monkeypatch, caplog):
    class Told(Observer):
        starts_late = True
        ended = 0

        def request_ended(self, token, result):
            self.ended += result.batch

    told = Told()
    server = Server(monkeypatch, "grpc", more=[told])

    async def work():
        await server.warm_up()
        for _ in range(40):
            await server.ask(rows(1))
        server.models.tell()

    with caplog.at_level(logging.INFO, "kiln.serve"):
        run(server, work)
    assert server.taken == 40 and told.ended == 44
    records = [r for r in caplog.records if getattr(r, "status", None) == 200]
    assert len(records) == 44 and {r.request_id for r in records} == {"r"}
    assert all(r.ms >= r.run_ms >= 0 for r in records)


def test_observers_that_must_hear_in_time_do(monkeypatch):
    heard = []

    class Told(Observer):
        def request_started(self, model, version, request):
            heard.append(server.taken)

    server = Server(monkeypatch, "grpc", more=[Told()])

    async def work():
        for count in range(8):
            await server.ask(rows(1))
            assert len(heard) == count + 1

    run(server, work)
    assert server.taken == 0


def test_clients_that_ask_together_share_batches(server):
    async def work():
        await server.warm_up()
        for seed in range(5):
            xs = [rows(1, 10 * seed + i) for i in range(6)]
            for x, y in zip(xs, await asyncio.gather(*map(server.ask, xs)), strict=True):
                np.testing.assert_array_equal(y, 2 * x)
        server.models.tell()
        return server.watching.statistics.of("m")["model_stats"]

    (statistics,) = run(server, work)
    assert server.taken <= 5
    assert max(b["batch_size"] for b in statistics["batch_stats"]) >= 5


def test_not_through_a_model_that_was_unloaded(server):
    async def work():
        await server.warm_up()
        await server.models.unload("m")
        with pytest.raises(AssertionError, match="is not loaded"):
            await server.ask(rows(1))
        await server.models.load("m")
        server.models.loaded()[0].batcher._inline = 1.0
        await server.warm_up()
        np.testing.assert_array_equal(await server.ask(rows(1)), 2 * rows(1))
        return server.taken

    assert run(server, work) == 1


def test_an_unloaded_model_gives_its_memory_back(server):
    async def work():
        await server.warm_up()
        await server.ask(rows(1))
        engine = weakref.ref(server.models.loaded()[0].workers[0].opened.engine)
        await server.models.unload("m")
        gc.collect()
        return server.taken, engine()

    assert run(server, work) == (1, None)


def test_a_failed_run_is_told(server):
    async def work():
        await server.warm_up()
        worker = server.models.loaded()[0].workers[0]
        (shaped,) = (p for p in worker._prepared.values() if p.views["x"].shape == (1, 4))
        context, shaped.context = shaped.context, Broken()
        with pytest.raises(AssertionError, match="the run failed"):
            await server.ask(rows(1))
        worker._contexts[0] = worker._idle[-1] = context
        np.testing.assert_array_equal(await server.ask(rows(1)), 2 * rows(1))
        server.models.tell()
        return server.watching.statistics.of("m")["model_stats"]

    class Broken:
        def execute_async_v3(self, stream):
            return False

    (statistics,) = run(server, work)
    counts = statistics["inference_stats"]
    assert (counts["fail"]["count"], counts["success"]["count"]) == (1, 5)
