# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients that ask while replicas are killed, and count."""

import os
import random
import signal
import threading
import time

import numpy as np
from client import ask

SHOULD_RETRY = ("503", "StatusCode.UNAVAILABLE")
KILLS = 3
SECONDS_BETWEEN = float(os.environ.get("KILN_TEST_KILL_SECONDS", "3"))


class Client(threading.Thread):
    """Asks until told to stop. answers: of requests; refusals: that said to try again."""

    def __init__(self, module, url, done):
        super().__init__()
        self.module, self.url, self.done = module, url, done
        self.asked = self.answers = self.refusals = 0
        self.problem = None

    def run(self):
        try:
            with self.connection() as client:
                while not self.done.is_set():
                    self.asked += 1
                    self.ask_until_answered(client, float(self.asked))
                    self.answers += 1
        except Exception as error:
            self.problem = error

    def connection(self):
        return self.module.InferenceServerClient(self.url)

    def ask(self, client, value):
        """The output; None if the request was refused and may be sent again."""
        try:
            return ask(self.module, client, "m", np.full((1, 4), value, np.float32))
        except self.module.InferenceServerException as error:
            if error.status() not in SHOULD_RETRY:
                raise
            return None

    def ask_until_answered(self, client, value):
        for _ in range(20):
            y = self.ask(client, value)
            if y is not None:
                assert (y == 3 * value).all()
                return
            self.refusals += 1
            time.sleep(0.5)
        raise AssertionError("refused 20 times")


def lose_nothing(clients, done, replicas):
    """Kills replicas while the clients ask. replicas: gives the processes that live."""
    for client in clients:
        client.start()
    for _ in range(KILLS):
        time.sleep(SECONDS_BETWEEN)
        os.kill(random.choice(living(replicas)), signal.SIGKILL)
    time.sleep(1)
    done.set()
    for client in clients:
        client.join(60)
        assert not client.is_alive(), "a request hangs"
        assert client.problem is None, (type(client).__name__, client.module, client.problem)
        assert client.answers == client.asked > 10
    print([(c.asked, c.refusals) for c in clients])


def living(replicas):
    """Waits until there is one."""
    for _ in range(300):
        found = sorted(replicas())
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("no replica came back in 30 s")
