# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Deployments in a Ray of two nodes, asked by clients of inference servers."""

import json
import urllib.error
import urllib.request

import numpy as np
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
grpc = pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from client import ask


@pytest.fixture
def deployed(deploy, plans):
    """Two models on both nodes: a file, and a folder of versions."""
    return deploy(
        {
            "models": [{"plan": f"{plans}/one.plan"}, {"plan": f"{plans}/versions", "name": "two"}],
            "replicas": 2,
            "options": {"max_replicas_per_node": 1},
        }
    )


def test_clients_of_both_protocols(deployed, serving):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for module, url in ((http, serving.url), (grpc, serving.grpc_url)):
        with module.InferenceServerClient(url) as client:
            assert client.is_server_ready()
            assert client.is_model_ready("two", "2")
            for name, factor in (("one", 1), ("two", 2)):
                np.testing.assert_array_equal(ask(module, client, name, x), factor * x)


def test_wrong_requests_are_refused_with_the_message(deployed, serving):
    url = f"http://{serving.url}/v2/models/one/infer"
    for body, status, text in (
        ({"inputs": {"z": [[1, 2, 3, 4]]}}, 400, "z"),
        ({"inputs": {"x": [[1, 2, 3]]}}, 400, "expected the shape"),
    ):
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(url, json.dumps(body).encode(), timeout=20)
        assert error.value.code == status
        assert text in json.load(error.value)["error"]
    with grpc.InferenceServerClient(serving.grpc_url) as client:
        with pytest.raises(grpc.InferenceServerException) as error:
            ask(grpc, client, "three", np.zeros((1, 4), np.float32))
        assert "NOT_FOUND" in error.value.status()
        assert "expected one of one, two" in error.value.message()
