# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Deployments under load: overload, hanging runs, drain, replicas that come and go."""

import concurrent.futures
import json
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

RUN_S = 1.5


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return slow_plans.make(tmp_path_factory.mktemp("slow"))


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


def test_a_full_queue_refuses_over_both_protocols(deploy, serving, slow, pool):
    deploy(slow)
    first = [pool.submit(post, serving.url, RUN_S) for _ in range(2)]
    time.sleep(RUN_S / 2)  # one runs, one waits
    status, headers, body = post(serving.url, 0)
    assert status == 503 and int(headers["Retry-After"]) >= 1
    assert "1 requests wait, which is all that its queue holds" in body["error"]
    with grpc.InferenceServerClient(serving.grpc_url) as client:
        with pytest.raises(grpc.InferenceServerException) as error:
            ask(grpc, client, "m", np.zeros((1, 4), np.float32))
        assert error.value.status() == "StatusCode.UNAVAILABLE"
        assert "all that its queue holds" in error.value.message()
    for future in first:
        status, _, body = future.result()
        assert status == 200 and body["outputs"]["y"] == expected(RUN_S)


def test_a_request_that_waits_too_long_is_told_so(deploy, serving, slow, pool):
    deploy(slow)
    first = pool.submit(post, serving.url, RUN_S)
    time.sleep(RUN_S / 4)
    with grpc.InferenceServerClient(serving.grpc_url) as client:
        with pytest.raises(grpc.InferenceServerException) as error:
            ask(grpc, client, "m", np.zeros((1, 4), np.float32), timeout=200_000)
        assert error.value.status() == "StatusCode.DEADLINE_EXCEEDED"
        assert "waited for 200 ms" in error.value.message()
    assert first.result()[0] == 200


def test_a_replica_that_goes_answers_the_request_inside(deploy, serving, slow, plans, pool):
    deploy(slow)
    inside = pool.submit(post, serving.url, RUN_S)
    time.sleep(RUN_S / 4)
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


def test_replicas_come_and_go_with_the_load(deploy, serving, slow, pool):
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
    answers = [pool.submit(post, serving.url, 0.5) for _ in range(16)]
    most, until = 1, time.monotonic() + 60
    while not all(answer.done() for answer in answers):
        assert time.monotonic() < until
        most = max(most, len(pids()))
        time.sleep(0.1)
    assert [answer.result()[0] for answer in answers] == [200] * len(answers)
    assert most == 2
    while len(pids()) != 1:
        assert time.monotonic() < until, "the second replica stays"
        time.sleep(0.2)


def test_a_plan_as_bytes(deploy, serving):
    deploy({"plan": engine_nets.double(), "name": "m"})
    assert post(serving.url, 3)[2]["outputs"]["y"] == expected(3)
