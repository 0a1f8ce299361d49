# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One replica of a deployment: its models, both protocols, and the change of its plans.

Nothing here knows Ray; ``kiln.serve.deployment`` makes a Ray Serve deployment of it.
"""

import asyncio
import dataclasses
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import kiln
from kiln._messages import coded, message
from kiln.serve.config import ServeConfig, to_dict
from kiln.serve.models import Models
from kiln.serve.observer import Observer
from kiln.serve.origin import check_origin
from kiln.serve.values import config_of, models_of
from kiln.serve.watching import Watching

logger = logging.getLogger("kiln.serve")

# What user_config may change while replicas run. The other fields are options of the deployment.
CHANGEABLE = ("models", "memory_limit")


class Replica:
    """The models of a configuration behind both protocols.

    config: plain values, as ``to_dict`` makes them, or a ServeConfig. origin: what the machine
    that deployed has (``kiln.serve.origin``); None: no comparison. observer: makes what watches the
    requests; None: statistics, metrics, spans and logs (``kiln.serve.watching``).
    """

    def __init__(
        self,
        config: "ServeConfig | Mapping[str, Any]",
        origin: "Mapping[str, Any] | None" = None,
        observer: "Callable[[], Observer] | None" = None,
    ) -> None:
        if origin is not None:
            # Before anything else is read: another version may not know the fields.
            check_origin(origin)
        self._base = config_of(config)
        self._origin = origin
        self._observer = observer() if observer else _watching(self._base)
        self._serving: _Serving | None = None
        self._changing = asyncio.Lock()
        self._leaving: set[asyncio.Task[None]] = set()
        self.problem = ""
        _share_threads(self._base.num_cpus)

    @property
    def models(self) -> Models:
        """The models that answer new requests."""
        return self._now().models

    @property
    def config(self) -> ServeConfig:
        """The configuration of the models that answer new requests."""
        return self._now().config

    async def configure(self, user_config: "Mapping[str, Any] | None" = None) -> None:
        """Serves the configuration with the changes of ``user_config``; keeps the old on failure.

        user_config: ``models`` and ``memory_limit``, as ServeConfig has them; None: no change.
        New models are loaded beside the old ones, then answer all new requests; the old ones go
        when their last request is answered. If a new one cannot be loaded, the old ones go on,
        and the error is in the log and in ``problem``.
        Raises what loading raises if there are no old models.
        """
        async with self._changing:
            config = self._changed(user_config)
            old = self._serving
            if old is not None and config == old.config:
                return
            started = time.perf_counter()
            try:
                new = await self._load(config)
            except Exception as error:
                if old is None:
                    raise
                self.problem = str(error)
                logger.error(
                    message("[deploy] the new configuration was refused, the old one goes on: %s"),
                    error,
                )
                return
            self.problem = ""
            self._serving = new
            if old is not None:
                logger.info(
                    "the new configuration answers after %.1f s", time.perf_counter() - started
                )
                task = asyncio.ensure_future(old.leave())
                self._leaving.add(task)
                task.add_done_callback(self._leaving.discard)

    async def http(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI app."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        serving = self._serving or self._now()
        with serving:
            await serving.app(scope, receive, send)

    async def unary(self, method: str, request: Any, context: Any) -> Any:
        """A gRPC method with one answer."""
        serving = self._serving or self._now()
        with serving:
            return await getattr(serving.service, method)(request, context)

    async def stream(self, method: str, requests: Any, context: Any) -> "AsyncIterator[Any]":
        """A gRPC method with a stream of answers."""
        serving = self._now()
        with serving:
            async for answer in getattr(serving.service, method)(requests, context):
                yield answer

    def check_health(self) -> None:
        """Raises RuntimeError if models are not ready, or requests are inside and none ends."""
        serving = self._now()
        if not serving.models.ready():
            raise coded(
                RuntimeError, "[deploy] expected all models of this replica to be ready, one is not"
            )
        limit = serving.config.stall_timeout_s
        waited = time.monotonic() - serving.moved
        if limit is not None and serving.inside and waited > limit:
            raise coded(
                RuntimeError,
                f"[deploy] {serving.inside} requests are inside of this replica and none ended for "
                f"{waited:.0f} s; stall_timeout_s allows {limit:.0f} s.",
            )

    async def close(self) -> None:
        """Refuses new requests, answers those inside and lets the models go."""
        serving, self._serving = self._serving, None
        if serving is not None:
            await serving.leave()
        if self._leaving:
            await asyncio.gather(*self._leaving)
        if isinstance(self._observer, Watching):
            self._observer.close()

    def _now(self) -> "_Serving":
        if self._serving is None:
            raise coded(RuntimeError, "[deploy] expected a replica with models, it has none yet")
        return self._serving

    def _changed(self, user_config: "Mapping[str, Any] | None") -> ServeConfig:
        changes = dict(user_config or {})
        wrong = [name for name in changes if name not in CHANGEABLE]
        if wrong:
            raise coded(
                ValueError,
                f"[deploy] user_config: expected {' and '.join(CHANGEABLE)}, got '{wrong[0]}'. "
                "Other fields are arguments of the application.",
            )
        if "models" in changes:
            changes["models"] = models_of(changes["models"], "user_config.models")
        return dataclasses.replace(self._base, **changes)

    async def _load(self, config: ServeConfig) -> "_Serving":
        if self._origin is not None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, check_origin, self._origin, config)
        models = Models(config, self._observer)
        try:
            await models.start()
        except BaseException:
            await models.close()
            raise
        return _Serving(config, models)


class _Serving:
    """Models with their two services; counts the requests inside."""

    def __init__(self, config: ServeConfig, models: Models) -> None:
        from kiln.serve.protocol.asgi import App

        self.config = config
        self.models = models
        self.app: Callable[..., Awaitable[None]] = App(models, model_control=config.model_control)
        self._service: Any = None
        self.inside = 0
        self.moved = time.monotonic()  # when a request last ended, or came while there was none
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def service(self) -> Any:
        """The gRPC service; made at the first call, because it needs protobuf."""
        if self._service is None:
            from kiln.serve.protocol.grpc import InferenceService

            self._service = InferenceService(self.models, model_control=self.config.model_control)
        return self._service

    def __enter__(self) -> None:
        if not self.inside:
            self.moved = time.monotonic()
            self._empty.clear()
        self.inside += 1

    def __exit__(self, *_: object) -> None:
        self.inside -= 1
        self.moved = time.monotonic()
        if not self.inside:
            self._empty.set()

    async def leave(self) -> None:
        """Closes the models when the last request is answered."""
        await self._empty.wait()
        await self.models.close()


async def _lifespan(receive: Any, send: Any) -> None:
    """Ray Serve starts and ends ASGI apps by this protocol; the replica does both itself."""
    while (await receive())["type"] != "lifespan.shutdown":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def _share_threads(num_cpus: float) -> None:
    """Runs on the CPU use as many threads as the replica has cores, unless the user says more."""
    if "KILN_NUM_THREADS" not in os.environ:
        kiln.set_num_threads(max(1, int(num_cpus)))


def _watching(config: ServeConfig) -> Observer:
    return Watching(log_answers=config.log_requests, trace_steps=config.trace_steps)


__all__ = ["Replica", "to_dict"]
