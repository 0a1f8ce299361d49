# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""HAProxy as Ray Serve configures it for `kiln serve`, before programs that stand for replicas.

Each is a process that answers every request, and dies of the one that says `poison`.
"""

import contextlib
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

from ports import free_port

REPLICA = """
import asyncio, os, sys

async def answer(reader, writer):
    while True:
        head = await reader.readuntil(b"\\r\\n\\r\\n")
        lines = [line.lower().partition(b":") for line in head.split(b"\\r\\n")]
        length = sum(int(value) for name, _, value in lines if name == b"content-length")
        body = await reader.readexactly(length)
        if body == b"poison":
            os._exit(9)
        if body:
            await asyncio.sleep(0.003)
        writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok")

async def serve(reader, writer):
    try:
        await answer(reader, writer)
    except (OSError, asyncio.IncompleteReadError):
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=200)
    print("ready", flush=True)
    await server.serve_forever()

asyncio.run(main())
"""

CONFIGURE = """
import sys
from ray.serve._private import haproxy as ray_haproxy
from ray.serve.config import HTTPOptions

file, port, fallback, *ports = sys.argv[1:]
server = lambda name, port: ray_haproxy.ServerConfig(name, "127.0.0.1", int(port))
backend = ray_haproxy.BackendConfig(
    "m", "/", servers=[server(f"replica-{port}", port) for port in ports],
    fallback_server=server("SERVE_PROXY_ACTOR-fallback-1", fallback),
)
options = HTTPOptions(host="127.0.0.1", port=int(port))
config = ray_haproxy.HAProxyConfig(http_options=options, is_head=True, metrics_enabled=False)
api = ray_haproxy.HAProxyApi(config, {"m": backend}, file)
api._generate_config_file_internal()
"""


class Servers:
    """HAProxy and so many replicas. url: of HAProxy. replicas: the processes, by their ports."""

    def __init__(self, settings, count):
        self._settings = settings
        self.replicas = {free_port(): None for _ in range(count)}
        self._fallback = free_port()
        self._processes = []
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}/"

    def start_replica(self, port):
        self.replicas[port] = self._started(port)

    def _started(self, port):
        command = [sys.executable, "-c", REPLICA, str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    def __enter__(self):
        for port in self.replicas:
            self.start_replica(port)
        self._started(self._fallback)
        variables = self._settings.variables()
        environment = {**os.environ, **variables}
        file = self._settings.folder / "haproxy.cfg"
        ports = map(str, [self._port, self._fallback, *self.replicas])
        subprocess.run([sys.executable, "-c", CONFIGURE, file, *ports], check=True, env=environment)
        script = variables["RAY_SERVE_HAPROXY_BINARY_PATH"]
        self._processes.append(subprocess.Popen([script, "-db", "-f", file]))
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(self.url, b"x", timeout=5):
                return self
            time.sleep(0.1)
        raise AssertionError("HAProxy does not answer")

    def post(self, body):
        """The status of a request."""
        try:
            with urllib.request.urlopen(self.url, body, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def dead(self):
        """How many replicas died."""
        time.sleep(0.2)
        return sum(process.poll() is not None for process in self.replicas.values())

    def __exit__(self, *error):
        for process in reversed(self._processes):
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        self._settings.close()
