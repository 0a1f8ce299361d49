# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Ray's exporters have the metrics of all replicas, with the names of the dashboard."""

import json
import time
import urllib.request

import numpy as np
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
ray = pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")
parser = pytest.importorskip(
    "prometheus_client.parser", reason="scripts/setup.sh serve installs it"
)

from client import ask  # noqa: E402


def exported():
    """The samples of Kiln's metrics at the exporters of all nodes."""
    found = []
    for node in ray.nodes():
        url = f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            for family in parser.text_string_to_metric_families(answer.read().decode()):
                found += [s for s in family.samples if s.name.startswith("ray_kiln_")]
    return found


def total(samples, name, **labels):
    """The sum of the series with these labels."""
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


def reached(wanted):
    """The samples, once those of the model 'counted' add up to what is wanted, by name."""
    until = time.monotonic() + 40
    samples = exported()
    while any(total(samples, name, model="counted") < count for name, count in wanted.items()):
        assert time.monotonic() < until, samples
        time.sleep(0.5)
        samples = exported()
    return samples


def test_metrics_of_all_replicas(deploy, plans, serving):
    deploy(
        {
            "models": [{"plan": f"{plans}/one.plan", "name": "counted"}],
            "replicas": 2,
            "options": {"max_replicas_per_node": 1},
        }
    )
    with http.InferenceServerClient(serving.url) as client:
        for _ in range(20):
            ask(http, client, "counted", np.ones((3, 4), np.float32))
    # Of both replicas.
    wanted = {"ray_kiln_rows_total": 60, "ray_kiln_batch_rows_sum": 60}
    samples = reached(wanted | {"ray_kiln_model_loads_total": 2})
    own = {"model": "counted", "version": "1", "deployment": "kiln", "application": "kiln"}
    assert total(samples, "ray_kiln_rows_total", **own) == 60
    assert total(samples, "ray_kiln_requests_total", **own, status="200", protocol="http") == 20
    assert total(samples, "ray_kiln_batch_rows_count", **own) <= 20
    assert total(samples, "ray_kiln_batch_rows_sum", **own) == 60
    name = "ray_kiln_batch_rows_bucket"
    below = [total(samples, name, **own, le=le) for le in ("2", "4", "+Inf")]
    assert below[0] == 0 and 0 < below[1] <= below[2] <= 20
    assert total(samples, "ray_kiln_model_loads_total", **own) == 2
    # Ray forgets a gauge that was not set again for two of its intervals, a second each here.
    reached({"ray_kiln_model_memory_bytes": 1})
    time.sleep(3)
    reached({"ray_kiln_model_memory_bytes": 1})
    with urllib.request.urlopen(f"http://{serving.url}/v2/models/counted/stats") as answer:
        assert json.load(answer)["model_stats"][0]["inference_count"] <= 60  # of one replica
