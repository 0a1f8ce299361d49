# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Which Ray `kiln serve` joins, and when it starts one of its own."""

import inspect
import os

import pytest

ray = pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from kiln.serve.application import controller_options  # noqa: E402
from kiln.serve.local import LocalServer  # noqa: E402
from ray._private import ray_constants, services  # noqa: E402
from ray.serve._private import constants  # noqa: E402

VARIABLE = ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR
NICENESS = ray_constants.RAY_WORKER_NICENESS


class FakeHAProxy:
    def __init__(self, host):
        self.host, self.closed = host, False

    def variables(self):
        return {"KILN_TEST_HOST": self.host}

    def close(self):
        self.closed = True


@pytest.fixture
def joined(monkeypatch):
    """The addresses that `ray.init` was called with, without starting anything."""
    monkeypatch.setattr("kiln.serve.local.HAProxy", FakeHAProxy)
    addresses = []
    monkeypatch.setattr(ray, "init", lambda address, **_: addresses.append(address))
    monkeypatch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", True)
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setenv(NICENESS, "")
    monkeypatch.delenv(NICENESS)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return addresses


@pytest.mark.parametrize(
    "running, on_loopback",
    [
        (["127.0.0.1:6379"], True),
        (["192.0.2.7:6379"], False),
        (["127.0.0.1:6379", "192.0.2.7:6379"], False),
    ],
)
def test_a_ray_on_loopback_is_looked_for_there(joined, monkeypatch, running, on_loopback):
    monkeypatch.setattr(services, "find_gcs_addresses", lambda: set(running))
    server = LocalServer()
    server._connect(ray)
    assert joined == ["auto"] and not server._owns_ray
    assert (os.environ[VARIABLE] == "0") == on_loopback
    assert on_loopback != ray_constants.ENABLE_RAY_CLUSTER


def test_the_variable_of_ray_says_which(joined, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "192.0.2.7:6379")
    LocalServer()._connect(ray)
    monkeypatch.setenv("RAY_ADDRESS", "local")
    server = LocalServer()
    server._connect(ray)
    LocalServer(address="192.0.2.8:6379")._connect(ray)
    assert joined == ["192.0.2.7:6379", "local", "192.0.2.8:6379"]
    assert server._owns_ray


def test_without_a_ray_one_is_started(monkeypatch, joined):
    def init(address, **_):
        joined.append(address)
        if address == "auto":
            raise ConnectionError("none")

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(services, "find_gcs_addresses", set)
    server = LocalServer()
    server._connect(ray)
    assert joined == ["auto", "local"] and server._owns_ray
    assert os.environ[VARIABLE] == "0"
    assert os.environ[NICENESS] == "0"  # else any busy program takes the time of the replicas


@pytest.mark.parametrize(
    "proxy, address, expected",
    [
        ("auto", "local", "127.0.0.1"),
        ("haproxy", "auto", "127.0.0.1"),
        ("ray", "local", None),
        ("auto", "192.0.2.8:6379", None),
    ],
)
def test_haproxy_is_for_the_ray_that_is_started(joined, monkeypatch, proxy, address, expected):
    seen = []
    init = lambda **_: seen.append(os.environ.get("KILN_TEST_HOST"))  # noqa: E731
    monkeypatch.setattr(ray, "init", init)
    server = LocalServer(address=address, proxy=proxy)
    server._connect(ray)
    assert seen == [expected]
    assert "KILN_TEST_HOST" not in os.environ


def test_without_haproxy_the_proxy_of_ray_stays(joined, monkeypatch):
    def refuse(host):
        raise RuntimeError("not found")

    monkeypatch.setattr("kiln.serve.local.HAProxy", refuse)
    LocalServer(address="local")._connect(ray)
    assert joined == ["local"]


def test_the_priority_of_the_user_stays(monkeypatch, joined):
    monkeypatch.setenv(NICENESS, "5")
    LocalServer(address="local")._connect(ray)
    assert os.environ[NICENESS] == "5"


def test_proxies_have_time_to_start():
    variables = controller_options()["runtime_env"]["env_vars"]
    name = "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S"
    assert float(variables[name]) >= 30
    assert name in inspect.getsource(constants)  # of this version of Ray


def test_a_ray_that_does_not_start_is_a_message(joined, monkeypatch):
    tries = []

    def fail(**options):
        tries.append(options)
        raise Exception("The current node timed out during startup.")

    ended = []
    monkeypatch.setattr(ray, "init", fail)
    # Other tests of this process may have a Ray, which must stay.
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "shutdown", lambda: ended.append(True))
    server = LocalServer(address="local")
    with pytest.raises(RuntimeError, match=r"\[deploy\] Ray did not start .* timed out during st"):
        server.start()
    assert len(tries) == 2 and tries[0] == tries[1]
    before = len(ended)
    server.stop()
    assert len(ended) == before + 1
    assert server._haproxy.closed
