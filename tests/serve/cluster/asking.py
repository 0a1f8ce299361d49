# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A client that asks until it is told to stop, and counts."""

import threading
import time

import numpy as np
from client import ask

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
