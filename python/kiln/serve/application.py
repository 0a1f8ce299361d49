# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Applications of Ray Serve, from Python and from the YAML files of ``serve deploy``."""

from typing import Any

from kiln.serve.config import ServeConfig, to_dict
from kiln.serve.origin import pin
from kiln.serve.proxy import CALLBACK, CALLBACK_VARIABLE
from kiln.serve.proxy_grpc import LOOPBACK, OPEN
from kiln.serve.values import config_of

IMPORT_PATH = "kiln.serve:app"
# Without a limit, Ray Serve's proxies hold requests for ever while there is no replica.
REQUEST_TIMEOUT_S = 120.0
# Ray Serve ends a proxy that is not ready after 5 s and starts another one. On a busy machine, none
# ever is: a proxy loads Ray and the protocols first.
PROXY_START_S = 60
_PROXY_START = "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S"
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


def build(args: "ServeConfig | dict[str, Any]") -> Any:
    """The application of a deployment, as ``serve.run`` and ``serve deploy`` take it.

    args: the fields of ServeConfig, or a ServeConfig. With one model, its fields may stand beside
    those: ``{"plan": "digits.plan", "replicas": 2}``.
    Raises ValueError for wrong fields. Faults of plans and plugins are found by the replicas: the
    deployment fails with their message.
    """
    from kiln.serve.deployment import bind

    config, origin = pin(config_of(args, "args"))
    return bind(config, origin)


def cluster_config(
    config: ServeConfig,
    host: str = "127.0.0.1",
    port: int = 8000,
    grpc_port: int = 0,
    name: str = "kiln",
    route_prefix: str = "/",
    timeout_s: float = REQUEST_TIMEOUT_S,
) -> "dict[str, Any]":
    """What ``serve deploy`` takes, as plain values for a YAML file.

    host, port: of the HTTP proxies. grpc_port: of the gRPC proxies; 0: no gRPC. name: of the
    application. timeout_s: the longest time of a request in the proxies, retries included.
    """
    values: dict[str, Any] = {
        "proxy_location": "EveryNode",
        "http_options": {"host": host, "port": port, "request_timeout_s": timeout_s},
        **({"grpc_options": grpc_options(host, grpc_port, timeout_s)} if grpc_port else {}),
        "controller_options": controller_options(),
        "applications": [
            {
                "name": name,
                "route_prefix": route_prefix,
                "import_path": IMPORT_PATH,
                "args": to_dict(config, defaults=False),
            }
        ],
    }
    return values


def grpc_options(host: str, port: int, timeout_s: float = REQUEST_TIMEOUT_S) -> "dict[str, Any]":
    """Those of Ray Serve's gRPC proxies. On a loopback host they answer this machine only."""
    function = LOOPBACK if host in LOOPBACK_HOSTS else OPEN
    return {"port": port, "grpc_servicer_functions": [function], "request_timeout_s": timeout_s}


def controller_options() -> "dict[str, Any]":
    """Those of Ray Serve's controller: what its proxies load, and how long they may take."""
    variables = {CALLBACK_VARIABLE: CALLBACK, _PROXY_START: str(PROXY_START_S)}
    return {"runtime_env": {"env_vars": variables}}
