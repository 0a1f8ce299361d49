# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Spans and log lines of replicas, in the files where Ray Serve puts them."""

import json
import re
import secrets
import time
import urllib.request
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")


@pytest.fixture
def asked(deploy, serving, plans):
    """Two requests, of which the second is traced; gives the id of its trace."""
    deploy(
        {
            "plan": f"{plans}/three.plan",
            "name": "m",
            "log_requests": True,
            "trace_steps": 1.0,
            "options": {"logging_config": {"encoding": "JSON", "enable_access_log": False}},
        }
    )
    trace = secrets.token_hex(16)
    body = json.dumps({"inputs": {"x": [[1, 2, 3, 4]] * 3}}).encode()
    for name, flag in (("request-a", "00"), ("request-b", "01")):
        span = secrets.token_hex(8)
        headers = {"traceparent": f"00-{trace}-{span}-{flag}", "x-request-id": name}
        url = f"http://{serving.url}/v2/models/m/infer"
        request = urllib.request.Request(url, body, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200
    return trace, span


def logs():
    """The folder of Ray Serve's logs."""
    return Path(ray._private.worker.global_worker.node.get_session_dir_path()) / "logs" / "serve"


def spans_of(trace):
    """The spans of a trace in all files; each is a value of JSON over several lines."""
    found = []
    for file in (logs() / "spans").glob("*.json"):
        text = file.read_text()
        for part in re.split(r"^(?=\{$)", text, flags=re.MULTILINE):
            if part.strip():
                span = json.loads(part)
                if int(span["context"]["trace_id"], 16) == int(trace, 16):
                    found.append(span)
    return found


def wait_for(find):
    until = time.monotonic() + 20
    while not (found := find()):
        assert time.monotonic() < until
        time.sleep(0.2)
    return found


def test_spans_from_the_request_to_the_step(asked):
    trace, client = asked
    names = {"kiln.request", "kiln.queue", "kiln.batch"}
    spans = wait_for(lambda: names <= {s["name"] for s in spans_of(trace)} and spans_of(trace))
    by_id = {span["context"]["span_id"]: span for span in spans}
    (request,) = [span for span in spans if span["name"] == "kiln.request"]
    assert request["attributes"]["kiln.model"] == "m"
    assert request["attributes"]["kiln.request_id"] == "request-b"
    (batch,) = [span for span in spans if span["name"] == "kiln.batch"]
    assert batch["attributes"]["kiln.rows"] == 3
    steps = [span for span in spans if span["parent_id"] == batch["context"]["span_id"]]
    assert steps and all(span["start_time"] >= batch["start_time"] for span in steps)
    # From the step up to the client's own span, perhaps by those of Ray Serve.
    way, span = [], steps[0]
    while span is not None:
        way.append(span["name"])
        top, span = span, by_id.get(span["parent_id"])
    assert way[1:3] == ["kiln.batch", "kiln.request"], way
    assert int(top["parent_id"], 16) == int(client, 16)


def test_log_lines_are_json_with_the_id_of_the_request(asked):
    def lines():
        found = []
        for file in logs().glob("replica_kiln_kiln_*.log"):
            for line in file.read_text().splitlines():
                if line.startswith("{") and "request-a" in line:
                    found.append(json.loads(line))
        return found

    line = wait_for(lines)[-1]
    assert line["request_id"] == "request-a" and line["model"] == "m" and line["version"] == "1"
    assert line["status"] == 200 and line["protocol"] == "http" and line["rows"] == 3
    assert 0 < line["run_ms"] <= line["ms"] and line["queue_ms"] >= 0
