# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""The configuration of nginx in the tutorial: TLS and a token in front of a server."""

import re
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")

from ports import free_port
from protocol_server import Server

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
PAGE = Path(__file__).parents[2] / "docs" / "serving.md"
TOKEN = {"authorization": "Bearer THE_TOKEN"}
X = np.ones((1, 4), np.float32)


def replaced(text, old, new):
    assert old in text, old
    return text.replace(old, new)


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """'host:port' of nginx for HTTP and gRPC, and the file of its certificate."""
    if NGINX is None or shutil.which("openssl") is None:
        pytest.skip("nginx or openssl is not installed")
    folder = tmp_path_factory.mktemp("nginx")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
         "-keyout", "server.key", "-out", "server.pem", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost"],
        cwd=folder, check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    (servers,) = re.findall(r"^```nginx\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    ports = free_port(), free_port()
    with Server() as server:
        for old, new in (
            ("listen 443 ", f"listen 127.0.0.1:{ports[0]} "),
            ("listen 8443 ", f"listen 127.0.0.1:{ports[1]} "),
            ("/etc/ssl/", f"{folder}/"),
            ("127.0.0.1:8000", server.http),
            ("127.0.0.1:8001", server.grpc),
        ):
            servers = replaced(servers, old, new)
        temporary = "".join(
            f"{name}_temp_path {folder}/{name};"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/log; events {{}}\n"
            f"http {{ access_log off; {temporary}\n{servers}}}\n"
        )
        command = [NGINX, "-e", f"{folder}/log", "-c", f"{folder}/nginx.conf"]
        with subprocess.Popen(command) as process:
            try:
                wait_for(ports, process)
                yield [f"localhost:{port}" for port in ports], f"{folder}/server.pem"
            finally:
                process.terminate()


def wait_for(ports, process):
    until = time.monotonic() + 30
    for port in ports:
        while True:
            assert process.poll() is None and time.monotonic() < until
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            except OSError:
                time.sleep(0.05)


@pytest.fixture
def clients(addresses):
    (web, rpc), certificate = addresses
    context = ssl.create_default_context(cafile=certificate)
    options = {"ssl": True, "ssl_context_factory": lambda: context}
    with (
        http.InferenceServerClient(web, **options) as one,
        grpc.InferenceServerClient(rpc, ssl=True, root_certificates=certificate) as other,
    ):
        yield (http, one), (grpc, other)


def ask(module, client, headers):
    tensor = module.InferInput("x", [1, 4], "FP32")
    tensor.set_data_from_numpy(X)
    headers = headers and dict(headers)  # tritonclient adds to it
    return client.infer("double", [tensor], headers=headers).as_numpy("y")


def test_clients_with_the_token(clients):
    for module, client in clients:
        assert client.is_server_ready(headers=dict(TOKEN))
        np.testing.assert_array_equal(ask(module, client, TOKEN), 2 * X)


def test_clients_without_it(clients):
    for module, client in clients:
        for headers in (None, {"authorization": "Bearer ANOTHER"}):
            with pytest.raises(module.InferenceServerException) as error:
                ask(module, client, headers)
            assert error.value.status() in ("401", "StatusCode.UNAUTHENTICATED")


def test_what_is_not_for_others(clients):
    """Loading, unloading and metrics stay inside."""
    _, client = clients[0]
    with pytest.raises(http.InferenceServerException) as error:
        client.get_model_repository_index(headers=dict(TOKEN))
    assert error.value.status() == "404"
