# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A server of both protocols in a thread of the test, over small models of its own."""

import asyncio
import contextlib
import threading

import pytest

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")
pytest.importorskip("uvicorn", reason="scripts/setup.sh serve installs it")
pytest.importorskip("grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("google.protobuf", reason="scripts/setup.sh serve installs it")

import grpc
import kiln
import uvicorn
from kiln.serve.config import Batching, ModelConfig, ServeConfig
from kiln.serve.models import Models
from kiln.serve.protocol.asgi import App
from kiln.serve.protocol.grpc import (
    InferenceService,
    add_GRPCInferenceServiceServicer_to_server,
)
from kiln.serve.protocol.statistics import Statistics
from kiln.serve.watch import Watchers

KINDS = {
    "b": kiln.bool,
    "i8": kiln.int8,
    "u8": kiln.uint8,
    "i32": kiln.int32,
    "i64": kiln.int64,
    "f16": kiln.float16,
    "bf16": kiln.bfloat16,
    "f32": kiln.float32,
}


def build(make, *profiles):
    """A plan. make(network) adds the layers. profiles: {input: (low, best, high)} each."""
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network = builder.create_network(1 << int(kiln.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    settings = builder.create_builder_config()
    make(network)
    for shapes in profiles:
        profile = builder.create_optimization_profile()
        for name, (low, best, high) in shapes.items():
            profile.set_shape(name, low, best, high)
        settings.add_optimization_profile(profile)
    return bytes(builder.build_serialized_network(network, settings))


def mark(network, tensor, name):
    tensor.name = name
    network.mark_output(tensor)


def double():
    """y = x + x of [batch, 4], up to 16 rows."""

    def make(network):
        x = network.add_input("x", kiln.float32, (-1, 4))
        y = network.add_elementwise(x, x, kiln.ElementWiseOperation.SUM).get_output(0)
        mark(network, y, "y")

    return build(make, {"x": ((1, 4), (8, 4), (16, 4))})


def add_sub():
    """plus = a + b and minus = a - b, int32 of [2, 3] without a batch."""

    def make(network):
        a, b = (network.add_input(name, kiln.int32, (2, 3)) for name in "ab")
        for name, kind in (("plus", "SUM"), ("minus", "SUB")):
            operation = getattr(kiln.ElementWiseOperation, kind)
            mark(network, network.add_elementwise(a, b, operation).get_output(0), name)

    return build(make)


def copies():
    """out_K is a copy of K, [batch, 3], for each type K of KINDS."""
    shapes = {}

    def make(network):
        for name, dtype in KINDS.items():
            tensor = network.add_input(name, dtype, (-1, 3))
            mark(network, network.add_identity(tensor).get_output(0), f"out_{name}")
            shapes[name] = ((1, 3), (2, 3), (4, 3))

    return build(make, shapes)


def models():
    """The configuration of the models that the tests ask."""
    return (
        ModelConfig(double(), name="double", batching=Batching(max_wait_ms=1.0)),
        ModelConfig(add_sub(), name="add_sub"),
        ModelConfig(copies(), name="copies"),
    )


class Server:
    """Serves on two free ports of the loopback address.

    control: whether clients may load and unload models. own: whether the protocols get the server's
    own observers; else they find those of the models.
    http, grpc: 'host:port'. run(coroutine): runs on the server's event loop.
    """

    def __init__(self, make_models=None, observers=(), own=True, control=False, **options):
        self.statistics = Statistics()
        self.watchers = Watchers((self.statistics, *observers))
        self._make = make_models or (lambda watch: Models(ServeConfig(models()), watch))
        self._options, self._own, self._control = options, own, control
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def __enter__(self):
        self._thread.start()
        self.run(self._start())
        return self

    async def _start(self):
        self.models = self._make(self.watchers)
        await self.models.start()
        given = {"statistics": self.statistics} if self._own else {}
        given["model_control"] = self._control
        self.app = App(self.models, **given, **self._options)
        config = uvicorn.Config(self.app, port=0, log_level="error", lifespan="off")
        self._uvicorn = uvicorn.Server(config)
        self._serving = asyncio.ensure_future(self._uvicorn.serve())
        while not self._uvicorn.started:
            assert not self._serving.done(), self._serving
            await asyncio.sleep(0.01)
        port = self._uvicorn.servers[0].sockets[0].getsockname()[1]
        self.http = f"127.0.0.1:{port}"
        self._grpc = grpc.aio.server()
        service = InferenceService(self.models, **given)
        add_GRPCInferenceServiceServicer_to_server(service, self._grpc)
        self.grpc = f"127.0.0.1:{self._grpc.add_insecure_port('127.0.0.1:0')}"
        await self._grpc.start()

    async def _stop(self):
        await self._grpc.stop(None)
        self._uvicorn.should_exit = True
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._serving, 10)
        await self.models.close()

    def __exit__(self, *error):
        self.run(self._stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()
