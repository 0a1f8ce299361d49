# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Deployments under load: overload, hanging runs, drain, replicas that come and go."""

import concurrent.futures
import contextlib
import json
import re
import time
import urllib.error
import urllib.request

import engine_nets
import numpy as np
import pytest
import slow_plans

grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")
ray = pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from client import ask, pids
from slow_plans import HELD

RUN_S = 1.5


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return slow_plans.make(tmp_path_factory.mktemp("slow"))


@pytest.fixture
def gate(slow):
    """Runs of HELD wait for this file."""
    file = slow_plans.gate(slow)
    file.unlink(missing_ok=True)
    yield file
    file.touch()


def wait_inside(url, count):
    """Returns when so many requests are inside of the only replica."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        # While a deployment changes, the metrics may be those of the replica before, or none.
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"http://{url}/metrics", timeout=20) as answer:
                text = answer.read().decode()
            found = re.findall(r"^kiln_requests_inside\{.*\} (\d+)$", text, re.MULTILINE)
            if sum(map(int, found)) == count:
                return
        time.sleep(0.02)
    raise AssertionError(f"{count} requests did not come in within a minute")


def post(url, seconds, model="m"):
    """Status, headers and body of a request whose run takes some seconds."""
    body = json.dumps({"inputs": {"x": [[seconds, 1, 2, 3]]}}).encode()
    try:
        with urllib.request.urlopen(
            f"http://{url}/v2/models/{model}/infer", body, timeout=60
        ) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.load(error)


def expected(seconds):
    return [[2 * seconds, 2, 4, 6]]


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        yield threads


def test_a_full_queue_refuses_over_both_protocols(deploy, serving, slow, gate, pool):
    deploy(slow)
    first = []
    for inside in (1, 2):  # one runs, one waits
        first.append(pool.submit(post, serving.url, HELD))
        wait_inside(serving.url, inside)
    status, headers, body = post(serving.url, 0)
    assert status == 503 and int(headers["Retry-After"]) >= 1
    assert "1 requests wait, which is all that its queue holds" in body["error"]
    with grpc.InferenceServerClient(serving.grpc_url) as client:
        with pytest.raises(grpc.InferenceServerException) as error:
            ask(grpc, client, "m", np.zeros((1, 4), np.float32))
        assert error.value.status() == "StatusCode.UNAVAILABLE"
        assert "all that its queue holds" in error.value.message()
    gate.touch()
    for future in first:
        status, _, body = future.result()
        assert status == 200 and body["outputs"]["y"] == expected(HELD)


def test_a_request_that_waits_too_long_is_told_so(deploy, serving, slow, gate, pool):
    deploy(slow)
    first = pool.submit(post, serving.url, HELD)
    wait_inside(serving.url, 1)
    with grpc.InferenceServerClient(serving.grpc_url) as client:
        with pytest.raises(grpc.InferenceServerException) as error:
            ask(grpc, client, "m", np.zeros((1, 4), np.float32), timeout=200_000)
        assert error.value.status() == "StatusCode.DEADLINE_EXCEEDED"
        assert "waited for 200 ms" in error.value.message()
    gate.touch()
    assert first.result()[0] == 200


def test_a_replica_that_goes_answers_the_request_inside(deploy, serving, slow, plans, pool):
    deploy(slow)
    inside = pool.submit(post, serving.url, RUN_S)
    wait_inside(serving.url, 1)
    deploy({"plan": f"{plans}/three.plan", "name": "m"})
    status, _, body = inside.result()
    assert status == 200 and body["outputs"]["y"] == expected(RUN_S)
    assert post(serving.url, 1)[2]["outputs"]["y"] == [[3, 3, 6, 9]]


def test_a_replica_that_hangs_is_replaced(deploy, serving, slow):
    """The request that hung runs again in the new replica."""
    deploy({**slow, "stall_timeout_s": 1, "health_check_period_s": 1})
    before = pids()
    status, _, body = post(serving.url, -1)
    assert status == 200 and body["outputs"]["y"] == expected(-1)
    assert not pids() & before


def test_replicas_come_and_go_with_the_load(deploy, serving, slow, gate, pool):
    replicas = {
        "min_replicas": 1,
        "max_replicas": 2,
        "target_ongoing_requests": 1,
        "upscale_delay_s": 0.5,
        "downscale_delay_s": 1,
        "metrics_interval_s": 0.2,
        "look_back_period_s": 1,
    }
    deploy({**slow, "batching": {"max_size": 1}, "replicas": replicas})
    assert len(pids()) == 1
    answers = [pool.submit(post, serving.url, HELD) for _ in range(4)]
    until = time.monotonic() + 60
    while len(pids()) != 2:
        assert time.monotonic() < until, "no second replica"
        time.sleep(0.1)
    gate.touch()
    assert [answer.result()[0] for answer in answers] == [200] * len(answers)
    until = time.monotonic() + 60
    while len(pids()) != 1:
        assert time.monotonic() < until, "the second replica stays"
        time.sleep(0.2)


def test_a_plan_as_bytes(deploy, serving):
    deploy({"plan": engine_nets.double(), "name": "m"})
    assert post(serving.url, 3)[2]["outputs"]["y"] == expected(3)
