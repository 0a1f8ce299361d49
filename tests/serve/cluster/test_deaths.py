# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Replicas are killed while clients ask: each request gets one answer, a result or a 503."""

import os
import random
import signal
import threading
import time

import numpy as np
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from client import ask, pids

KILLS = 3
SECONDS_BETWEEN = float(os.environ.get("KILN_TEST_KILL_SECONDS", "3"))
SHOULD_RETRY = ("503", "StatusCode.UNAVAILABLE")


class Client(threading.Thread):
    """Asks until told to stop. answers: of requests; refusals: that said to try again."""

    def __init__(self, module, url, done):
        super().__init__()
        self.module, self.url, self.done = module, url, done
        self.asked = self.answers = self.refusals = 0
        self.problem = None

    def run(self):
        try:
            with self.module.InferenceServerClient(self.url) as client:
                while not self.done.is_set():
                    self.asked += 1
                    self.ask_until_answered(client, float(self.asked))
                    self.answers += 1
        except Exception as error:
            self.problem = error

    def ask_until_answered(self, client, value):
        for _ in range(20):
            try:
                y = ask(self.module, client, "m", np.full((1, 4), value, np.float32))
            except self.module.InferenceServerException as error:
                if error.status() not in SHOULD_RETRY:
                    raise
                self.refusals += 1
                time.sleep(0.5)
            else:
                assert (y == 3 * value).all()
                return
        raise AssertionError("refused 20 times")


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
