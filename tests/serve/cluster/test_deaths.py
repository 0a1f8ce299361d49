# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Replicas are killed while clients ask: each request gets one answer, a result or a 503."""

import threading

import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from asking import Client, lose_nothing
from client import pids


def test_no_request_is_lost_when_replicas_are_killed(serving, plans, deploy):
    deploy({"plan": f"{plans}/three.plan", "name": "m", "replicas": 2, "num_cpus": 0.5})
    done = threading.Event()
    ways = [(http, serving.url), (http, serving.url), (grpc, serving.grpc_url)]
    lose_nothing([Client(module, url, done) for module, url in ways], done, pids)
