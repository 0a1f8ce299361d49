# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Replicas are killed while clients ask: each request gets one answer, a result or a 503."""

import os
import random
import signal
import threading
import time

import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from asking import Client
from client import pids

KILLS = 3
SECONDS_BETWEEN = float(os.environ.get("KILN_TEST_KILL_SECONDS", "3"))


def living():
    """The processes of the replicas; waits until there is one."""
    for _ in range(300):
        found = sorted(pids())
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("no replica came back in 30 s")


def test_no_request_is_lost_when_replicas_are_killed(serving, plans, deploy):
    deploy({"plan": f"{plans}/three.plan", "name": "m", "replicas": 2, "num_cpus": 0.5})
    done = threading.Event()
    ways = [(http, serving.url), (http, serving.url), (grpc, serving.grpc_url)]
    clients = [Client(module, url, done) for module, url in ways]
    for client in clients:
        client.start()
    for _ in range(KILLS):
        time.sleep(SECONDS_BETWEEN)
        os.kill(random.choice(living()), signal.SIGKILL)
    time.sleep(1)
    done.set()
    for client in clients:
        client.join(60)
        assert not client.is_alive(), "a request hangs"
        assert client.problem is None, client.problem
        assert client.answers == client.asked > 10
    print([(c.asked, c.refusals) for c in clients])
