# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The deployment class of Ray Serve: one hop from the proxy to the engine, HTTP and gRPC."""

import contextvars
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from kiln._messages import coded

try:
    from ray import serve
except ImportError as error:
    raise coded(
        ImportError,
        f"[deploy] Ray Serve is not there: {error}. Install it: pip install 'kilnrt[serve]'",
    ) from error

from kiln.serve.config import ServeConfig, to_dict
from kiln.serve.replica import Replica

UNARY = (
    "ServerLive",
    "ServerReady",
    "ModelReady",
    "ServerMetadata",
    "ModelMetadata",
    "ModelConfig",
    "ModelInfer",
    "ModelStatistics",
    "RepositoryIndex",
    "RepositoryModelLoad",
    "RepositoryModelUnload",
)

# Requests above those that the queues hold: they are refused by the replica, with Kiln's message.
_REFUSED_BY_REPLICA = 64

# Ray Serve runs the code of a deployment on an event loop in another thread, in case it blocks.
# Kiln's replicas never do, and handing each request over and back takes half a millisecond.
_ONE_THREAD = "RAY_SERVE_RUN_USER_CODE_IN_SEPARATE_THREAD"

# The replica that is being made: Ray Serve makes its ASGI app right after the instance.
_newest: "contextvars.ContextVar[Replica]" = contextvars.ContextVar("kiln_serve_newest")


def _http() -> Any:
    """The ASGI app of the replica that is being made."""
    replica = _newest.get()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await replica.http(scope, receive, send)

    return app


class Served:
    """The class under Ray Serve's decorators; derive from it to change what a replica does.

    config, origin: as ``kiln.serve.replica.Replica`` takes them, as plain values.
    """

    def __init__(
        self, config: "Mapping[str, Any]", origin: "Mapping[str, Any] | None" = None
    ) -> None:
        self.replica = Replica(config, origin)
        _newest.set(self.replica)

    async def reconfigure(
        self, user_config: "Mapping[str, Any] | None" = None, rank: Any = None
    ) -> None:
        """Loads the models; called at the start, and again when ``user_config`` changes.

        rank: Ray Serve calls this without a ``user_config`` only for classes that take it.
        """
        await self.replica.configure(user_config)

    async def check_health(self) -> None:
        """Ray Serve replaces a replica for which this raises."""
        self.replica.check_health()

    async def problem(self) -> str:
        """Why the last change of ``user_config`` was refused; empty if it was not."""
        return self.replica.problem

    async def ModelStreamInfer(self, requests: Any, grpc_context: Any) -> "AsyncIterator[Any]":
        """The streaming method of the Open Inference Protocol."""
        async for answer in self.replica.stream("ModelStreamInfer", requests, grpc_context):
            yield answer

    async def __del__(self) -> None:
        """Ray Serve awaits this at the end of a replica, after its requests."""
        replica = getattr(self, "replica", None)
        if replica is not None:
            await replica.close()


def _method(name: str) -> "Callable[..., Any]":
    async def method(self: Served, request: Any, grpc_context: Any) -> Any:
        return await self.replica.unary(name, request, grpc_context)

    method.__name__ = name
    method.__qualname__ = f"Served.{name}"
    method.__doc__ = f"The method {name} of the Open Inference Protocol."
    return method


for _name in UNARY:
    setattr(Served, _name, _method(_name))

KilnDeployment = serve.deployment(name="kiln")(serve.ingress(_http)(Served))


def options_of(config: ServeConfig) -> "dict[str, Any]":
    """The options of Ray Serve's deployment that a configuration asks for."""
    more = dict(config.options)
    actor = {
        "num_cpus": config.num_cpus,
        "num_gpus": config.num_gpus,
        **more.pop("ray_actor_options", {}),
    }
    environment = dict(actor.get("runtime_env") or {})
    environment["env_vars"] = {_ONE_THREAD: "0", **environment.get("env_vars", {})}
    actor["runtime_env"] = environment
    ongoing = config.max_ongoing_requests
    if ongoing is None:
        ongoing = sum(m.batching.max_queue for m in config.models) + _REFUSED_BY_REPLICA
    options = {
        "name": config.name,
        "ray_actor_options": actor,
        "max_ongoing_requests": ongoing,
        "max_queued_requests": ongoing,
        "health_check_period_s": config.health_check_period_s,
        "graceful_shutdown_timeout_s": config.graceful_shutdown_timeout_s,
    }
    ranks = max(model.ranks for model in config.models)
    if ranks > 1:  # the replica is in the first bundle, and starts the others
        bundle = {"CPU": config.num_cpus, "GPU": config.num_gpus or 1}
        actor["num_gpus"] = bundle["GPU"]
        options["placement_group_bundles"] = [bundle] * ranks
        options["placement_group_strategy"] = "STRICT_PACK"
    if isinstance(config.replicas, int):
        options["num_replicas"] = config.replicas
    else:
        options["autoscaling_config"] = config.replicas
    return {**options, **more}


def bind(config: ServeConfig, origin: "dict[str, Any] | None" = None) -> Any:
    """The application of a configuration. Plain values travel to the nodes: versions may differ."""
    return KilnDeployment.options(**options_of(config)).bind(to_dict(config, False), origin)
