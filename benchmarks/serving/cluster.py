# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A Ray of one node with Ray Serve's proxies, as `kiln serve` starts them."""

import logging
import os
import random
import socket
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).parent
LOGGING = {"enable_access_log": False, "log_level": "WARNING"}


class Server:
    """Ray Serve on free ports of 127.0.0.1."""

    def __init__(self):
        self.port, self.grpc_port = free_port(), free_port()
        self.grpc = f"127.0.0.1:{self.grpc_port}"

    def url(self, application):
        return f"http://127.0.0.1:{self.port}/{application}"

    def deploy(self, name, application):
        """Deploys under the path /NAME."""
        from ray import serve

        serve.run(application, name=name, route_prefix=f"/{name}", logging_config=LOGGING)


def free_port():
    """A port below those that the system gives to Ray's processes in the meantime."""
    for port in random.sample(range(20000, 30000), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise SystemExit("no free port between 20000 and 30000")


@contextmanager
def running(num_cpus=8, proxy="ray", **resources):
    """A server; num_cpus are those that Ray hands out, however many the machine has. proxy: as
    `kiln serve` has it."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    haproxy = None
    if proxy == "haproxy":
        from kiln.serve.haproxy import HAProxy

        haproxy = HAProxy("127.0.0.1")
        os.environ.update(haproxy.variables())
    import ray
    from kiln.serve.application import controller_options, grpc_options
    from kiln.serve.local import keep_priority, stay_on_loopback
    from ray import serve

    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    stay_on_loopback()
    keep_priority()
    ray.init(
        address="local",
        num_cpus=num_cpus,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
        object_store_memory=200 << 20,
        **resources,
    )
    server = Server()
    try:
        serve.start(
            http_options={"host": "127.0.0.1", "port": server.port},
            grpc_options=grpc_options("127.0.0.1", server.grpc_port),
            controller_options=controller_options(),
            logging_config=LOGGING,
        )
        yield server
    finally:
        serve.shutdown()
        ray.shutdown()
        if haproxy is not None:
            haproxy.close()


def replica_pids(application):
    """The processes of an application's replicas, by their actor names."""
    import ray

    return {
        actor["Name"]: actor["Pid"]
        for actor in ray._private.state.actors().values()
        if actor["State"] == "ALIVE" and actor["Name"].startswith(f"SERVE_REPLICA::{application}#")
    }


def processor_seconds(pid):
    """Of a process, since it started."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    """Memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)
