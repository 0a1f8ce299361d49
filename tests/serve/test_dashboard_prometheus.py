# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Prometheus itself reads the metrics of a server and answers each query of the dashboard."""

import json
import math
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import engine_nets
import kiln.serve.metrics as metrics_module
import numpy as np
import pytest
from kiln.serve.config import Batching, Crop, ModelConfig, Pad, ServeConfig
from kiln.serve.metrics import Metrics
from kiln.serve.models import Models
from protocol_server import Server

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")

DASHBOARD = Path(metrics_module.__file__).parent / "dashboards" / "kiln.json"
PANELS = json.loads(DASHBOARD.read_text())["panels"]
QUERIES = {(p["title"], t["legendFormat"]): t["expr"] for p in PANELS for t in p["targets"]}
SECONDS = 5  # of load; Prometheus reads the metrics ten times
LARGEST = {"percentunit": 1.0, "s": 10.0, "bytes": 1e6}  # by unit; else a scale is wrong


def filled(query):
    """A query as Grafana sends it, with all models."""
    return query.replace("$model", ".*").replace("$__rate_interval", f"{SECONDS}s")


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")
def test_promtool_reads_every_query(tmp_path):
    rules = [{"record": f"q{i}", "expr": filled(query)} for i, query in enumerate(QUERIES.values())]
    file = tmp_path / "rules.json"  # which is YAML, too
    file.write_text(json.dumps({"groups": [{"name": "kiln", "rules": rules}]}))
    command = ["promtool", "check", "rules", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{len(QUERIES)} rules found" in done.stdout


class Prometheus:
    """A Prometheus that reads one server twice a second."""

    def __init__(self, folder, target):
        self.folder, self.target = folder, target
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"

    def __enter__(self):
        job = {
            "job_name": "kiln",
            "scrape_interval": "500ms",
            "scrape_timeout": "500ms",
            "static_configs": [{"targets": [self.target]}],
        }
        (self.folder / "prometheus.yml").write_text(json.dumps({"scrape_configs": [job]}))
        self._log = (self.folder / "prometheus.log").open("w")
        self._process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={self.folder}/prometheus.yml",
                f"--storage.tsdb.path={self.folder}/data",
                f"--web.listen-address={self.address}",
            ],
            stderr=self._log,
        )
        until = time.monotonic() + 60
        while not self._ready():
            assert self._process.poll() is None and time.monotonic() < until, self.log()
            time.sleep(0.1)
        return self

    def _ready(self):
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def log(self):
        return (self.folder / "prometheus.log").read_text()[-2000:]

    def ask(self, query, now):
        """The series of a query at a time: [(labels, value)]."""
        options = urllib.parse.urlencode({"query": query, "time": now})
        url = f"http://{self.address}/api/v1/query?{options}"
        with urllib.request.urlopen(url, timeout=20) as answer:
            found = json.load(answer)
        assert found["status"] == "success", found
        return [(s["metric"], float(s["value"][1])) for s in found["data"]["result"]]

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(30)
        self._log.close()


def load(url, done):
    """Asks two models, one with sequences of different lengths, and asks wrongly."""
    tensors = []
    for name, shape in (("double", (3, 4)), *[("lengths", (1, n)) for n in (1, 20, 64)]):
        tensor = http.InferInput("x", list(shape), "FP32")
        tensor.set_data_from_numpy(np.ones(shape, np.float32))
        tensors.append((name, tensor))
    with http.InferenceServerClient(url, concurrency=4) as client:
        while not done.is_set():
            answers = [client.async_infer(name, [tensor]) for name, tensor in tensors]
            for answer in answers:
                answer.get_result()
            for name in ("double", "nobody"):
                with pytest.raises(http.InferenceServerException):
                    client.infer(name, [tensors[1][1]])


def served(watch):
    batching = Batching(pad={"x": Pad(1)}, crop={"y": Crop(1, "x", 1)})
    models = (
        ModelConfig(engine_nets.double(), name="double"),
        ModelConfig(engine_nets.sequence(), name="lengths", batching=batching),
    )
    return Models(ServeConfig(models), watch)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What Prometheus answers to each query after some seconds of requests."""
    if not shutil.which("prometheus"):
        pytest.skip("prometheus is not installed")
    metrics = Metrics()
    folder, done = tmp_path_factory.mktemp("prometheus"), threading.Event()
    with (
        Server(served, observers=[metrics], metrics=metrics.text) as server,
        Prometheus(folder, server.http) as prometheus,
    ):
        clients = [threading.Thread(target=load, args=(server.http, done)) for _ in range(3)]
        for client in clients:
            client.start()
        time.sleep(SECONDS + 1)
        until = time.monotonic() + 60  # on a busy machine, some readings fail
        while True:
            now = time.time()  # one for all, because their numbers are compared
            found = {key: prometheus.ask(filled(query), now) for key, query in QUERIES.items()}
            if all(found.values()) or time.monotonic() > until:
                break
            time.sleep(1)
        done.set()
        for client in clients:
            client.join()
    return found


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_each_query_gives_numbers_with_the_labels_of_its_legend(panel, answers):
    unit = panel["fieldConfig"]["defaults"]["unit"]
    for target in panel["targets"]:
        legend = target["legendFormat"]
        series = answers[panel["title"], legend]
        assert series, f"no data for {target['expr']}"
        for labels, value in series:
            assert all(f"{{{{{name}}}}}" in legend for name in labels), (labels, legend)
            assert math.isfinite(value) and 0 <= value <= LARGEST.get(unit, math.inf), value
        models = {labels["model"] for labels, _ in series}
        assert models >= {"double"} and models <= {"double", "lengths", "unknown"}


def of(answers, title, legend, **labels):
    (value,) = [v for own, v in answers[title, legend] if labels.items() <= own.items()]
    return value


def test_the_numbers_agree_with_each_other(answers):
    for model, rows in (("double", 3), ("lengths", 1)):
        asked = of(answers, "Requests", "{{model}} {{protocol}}", model=model, protocol="http")
        ran = of(answers, "Rows", "{{model}}", model=model)
        assert ran == pytest.approx(rows * asked, rel=0.3)  # read at one time, counted at two
        mean = of(answers, "Rows of a batch", "{{model}} mean", model=model)
        assert rows <= mean * 1.001 and mean <= 16  # a quotient of two rates
    refused = answers["Refused and failed requests", "{{model}} {{status}}"]
    assert {(s["model"], s["status"]) for s, _ in refused} == {
        ("double", "400"),
        ("unknown", "404"),
    }
    assert of(answers, "Padding", "{{model}} mean", model="double") == 0
    quantiles = [
        of(answers, "Time of a request", f"{{{{model}}}} p{q}", model="double")
        for q in (50, 90, 99)
    ]
    assert quantiles == sorted(quantiles) and quantiles[0] > 0
    loaded = of(answers, "Models loaded and unloaded", "{{model}} in replicas", model="lengths")
    assert loaded == 1
