# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Ray Serve on this machine, for ``kiln serve``: started if none runs, ended cleanly."""

import contextlib
import io
import logging
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from kiln._messages import coded
from kiln.serve.application import REQUEST_TIMEOUT_S, build, controller_options, grpc_options
from kiln.serve.config import ServeConfig
from kiln.serve.haproxy import HAProxy

APPLICATION = "kiln"

# Where a message of Kiln begins behind the name of its exception.
_SAID = re.compile(r"^[\w.]+: (?=\[[a-z]+\] )", re.M)

# Each request would write two lines of text in the proxy and the replica.
_LOGGING = {"enable_access_log": False, "log_level": "WARNING"}


class LocalServer:
    """A deployment with its proxies, in a Ray of its own or in the one that runs here.

    host, port: of the HTTP proxy. grpc_port: 0: no gRPC. address: of a running Ray; 'auto': that of
    RAY_ADDRESS, else one on this machine, if there is one; 'local': always a new one. dashboard:
    whether a new Ray has one, on 127.0.0.1. verbose: print what the processes of Ray print.
    proxy: what takes the requests: 'ray': Ray Serve's own; 'haproxy': HAProxy, in a new Ray;
    'auto': HAProxy if a new Ray is started and HAProxy is there.
    Raises ValueError if HAProxy is wanted in a Ray that runs, RuntimeError if there is none.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        grpc_port: int = 0,
        address: str = "auto",
        dashboard: bool = False,
        verbose: bool = False,
        proxy: str = "auto",
    ) -> None:
        self.host, self.port, self.grpc_port = host, port, grpc_port
        self._address, self._dashboard, self._verbose = address, dashboard, verbose
        self._owns_ray = False
        self._proxy = proxy
        self._haproxy: HAProxy | None = None
        if proxy == "haproxy":
            if address not in ("auto", "local"):
                raise coded(
                    ValueError,
                    f"[deploy] --proxy haproxy: expected a Ray of its own, got the one at "
                    f"{address}, whose environment cannot be changed. Set "
                    "RAY_SERVE_ENABLE_HA_PROXY=1 where that starts, or leave --address away.",
                )
            self._address = "local"
            self._haproxy = HAProxy(host)

    def start(self) -> None:
        """Starts or finds Ray, and the proxies of Ray Serve.

        Raises RuntimeError if Ray does not start, or Ray Serve already runs there on another
        address.
        """
        import ray
        from ray import serve

        if not ray.is_initialized():
            self._connect(ray)
        http = {"host": self.host, "port": self.port, "request_timeout_s": REQUEST_TIMEOUT_S}
        grpc = grpc_options(self.host, self.grpc_port) if self.grpc_port else None
        try:
            serve.start(
                http_options=http,
                grpc_options=grpc,
                logging_config=_LOGGING,
                controller_options=controller_options(),
            )
        except Exception as error:
            raise coded(
                RuntimeError,
                f"[deploy] Ray Serve did not start on {self.host}:{self.port}: {error}",
            ) from error

    def deploy(self, config: ServeConfig) -> None:
        """Deploys, or changes the deployment of the same name; returns when it answers.

        Raises RuntimeError with the message of the replica that failed.
        """
        from ray import serve

        try:
            serve.run(
                build(config),
                name=APPLICATION,
                route_prefix="/",
                logging_config=_LOGGING,
            )
        except RuntimeError as error:
            raise coded(RuntimeError, self.failure() or f"[deploy] {error}") from error

    def failure(self) -> str:
        """Why the deployment failed; empty if it did not."""
        return failure_of(self.status())

    def status(self) -> Any:
        """Ray Serve's status of the application; None if there is none."""
        from ray import serve

        return serve.status().applications.get(APPLICATION)

    def stop(self) -> None:
        """Answers the requests inside, then ends what ``start`` started."""
        import ray
        from ray import serve

        if self._owns_ray:
            # Ray prints that its controller was killed, which is what this does.
            ignored = sys.stdout if self._verbose else io.StringIO()
            with contextlib.redirect_stdout(ignored):
                if ray.is_initialized():
                    serve.shutdown()
                ray.shutdown()
        elif ray.is_initialized():
            serve.delete(APPLICATION)
        if self._haproxy is not None:
            self._haproxy.close()

    def _connect(self, ray: Any) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        quiet = {"logging_level": "warning", "log_to_driver": self._verbose}
        if not self._verbose:
            logging.getLogger("ray.serve").setLevel(logging.ERROR)
        address = self._address
        if address == "auto":
            address = os.environ.get("RAY_ADDRESS") or address
        if address != "local":
            if address == "auto" and _only_loopback_runs():
                stay_on_loopback()
            try:
                ray.init(address=address, **quiet)
                return
            except ConnectionError:
                if address != "auto":
                    raise
        stay_on_loopback()
        keep_priority()
        if self._proxy == "auto":
            with contextlib.suppress(RuntimeError):
                self._haproxy = HAProxy(self.host)
        self._owns_ray = True  # what has started when init fails is to be ended, too
        try:
            with _environment(self._haproxy.variables() if self._haproxy is not None else {}):
                self._start_ray(ray, **quiet)
        except Exception as error:  # Ray raises many kinds, also plain ones
            raise coded(
                RuntimeError,
                f"[deploy] Ray did not start on this machine: {type(error).__name__}: {error} Its "
                "logs are in /tmp/ray/session_latest/logs. On a busy machine, try again.",
            ) from error

    def _start_ray(self, ray: Any, **options: Any) -> None:
        """Starts Ray; again if its processes did not start in time."""
        options |= {"include_dashboard": self._dashboard, "dashboard_host": "127.0.0.1"}
        try:
            ray.init(address="local", **options)
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
            ray.shutdown()
            ray.init(address="local", **options)


def stay_on_loopback() -> None:
    """Makes the processes of a new Ray talk to each other by 127.0.0.1, not by the network."""
    from ray._private import ray_constants

    ray_constants.ENABLE_RAY_CLUSTER = False
    os.environ[ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR] = "0"  # for the processes that it starts


@contextlib.contextmanager
def _environment(variables: "dict[str, str]") -> Iterator[None]:
    """Variables of the processes that start inside of the block."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def keep_priority() -> None:
    """Gives the workers of a new Ray the priority of other programs; RAY_worker_niceness says less.

    Ray starts them with niceness 15, for machines whose users work on something else. Replicas and
    proxies would get a thirtieth of the processor time that any busy program gets.
    """
    os.environ.setdefault("RAY_worker_niceness", "0")  # of the processes that it starts


def _only_loopback_runs() -> bool:
    """Whether every Ray of this machine is one that stays on 127.0.0.1.

    Ray would look for it at the machine's address in the network, in vain for minutes.
    """
    from ray._private import services

    found = services.find_gcs_addresses()
    return bool(found) and all(address.startswith("127.") for address in found)


def failure_of(status: Any) -> str:
    """The messages of Kiln in the status of an application, or its last line; '' if it is well.

    Ray Serve wraps the message of a replica into several tracebacks.
    """
    if status is None or status.status in ("RUNNING", "DEPLOYING", "DELETING"):
        return ""
    texts = [d.message for d in status.deployments.values() if d.message] or [status.message]
    found = []
    for text in texts:
        said = [*_SAID.finditer(text)]
        if said:
            found.append(text[said[-1].end() :].strip())
        elif text.strip():
            found.append(f"[deploy] {text.strip().splitlines()[-1]}")
    return "\n".join(dict.fromkeys(found))
