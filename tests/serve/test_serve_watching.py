# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Metrics, spans and logs of requests that clients send."""

import io
import json
import logging
import urllib.error
import urllib.request
from functools import partial
from types import SimpleNamespace

import pytest
from kiln.serve.config import ServeConfig
from kiln.serve.logs import JsonLines, Logs
from kiln.serve.metrics import Metric, Metrics
from kiln.serve.models import Models
from kiln.serve.ray_metrics import RayExport
from kiln.serve.request import InferRequest, InferResult, OverloadedError
from kiln.serve.tracing import Tracing
from kiln.serve.watching import Watching
from protocol_server import Server, models

parser = pytest.importorskip("prometheus_client.parser", reason="needs prometheus-client")


def post(server, model, body, **headers):
    data = json.dumps(body).encode()
    address = f"http://{server.http}/v2/models/{model}/infer"
    request = urllib.request.Request(address, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


GOOD = {"inputs": {"x": [[1, 2, 3, 4]] * 3}, "id": "body"}
WRONG = {"inputs": {"x": [["a"]]}}


def samples(text):
    """The samples of Prometheus's text format: {(name, labels): value}."""
    found = {}
    for family in parser.text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    return found


def value(found, name, **labels):
    return found.get((name, tuple(sorted(labels.items()))))


def test_metrics_of_requests():
    metrics = Metrics()
    with Server(observers=[metrics], metrics=metrics.text) as server:
        for _ in range(5):
            assert post(server, "double", GOOD) == 200
        assert post(server, "double", WRONG) == 400
        assert post(server, "double", {"inputs": {"x": [[0.0] * 4] * 17}}) == 400
        assert post(server, "invented", GOOD) == 404
        with urllib.request.urlopen(f"http://{server.http}/metrics") as response:
            assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            found = samples(response.read().decode())
        server.run(server.models.unload("double"))
        after = samples(metrics.text())
    own = {"model": "double", "version": "1"}
    http = own | {"protocol": "http"}
    assert value(found, "kiln_requests_total", **http, status="200") == 5
    assert value(found, "kiln_requests_total", **http, status="400") == 1  # the model's check
    refused = {"model": "double", "version": "", "protocol": "http"}
    assert value(found, "kiln_requests_total", **refused, status="400") == 1  # the protocol's
    unknown = {"model": "unknown", "version": "", "protocol": "http"}
    assert value(found, "kiln_requests_total", **unknown, status="404") == 1
    assert value(found, "kiln_request_seconds_count", **http) == 6
    assert value(found, "kiln_rows_total", **own) == 15
    assert value(found, "kiln_batch_rows_bucket", **own, le="2") == 0
    assert value(found, "kiln_batch_rows_bucket", **own, le="4") == 5
    assert value(found, "kiln_batch_rows_sum", **own) == 15
    assert value(found, "kiln_queue_seconds_count", **own) == 5
    assert 0 < value(found, "kiln_run_seconds_sum", **own) < 5
    assert value(found, "kiln_padding_ratio_sum", **own) == 0
    assert value(found, "kiln_requests_inside", **own) == 0
    assert value(found, "kiln_queue_requests", model="double") == 0
    assert value(found, "kiln_model_memory_bytes", **own) > 0
    assert value(found, "kiln_model_loads_total", **own) == 1
    assert value(found, "kiln_model_unloads_total", **own) == 0
    assert value(after, "kiln_model_unloads_total", **own) == 1
    assert value(after, "kiln_model_memory_bytes", **own) == 0


def test_padding_is_counted_in_rows():
    metrics = Metrics({"replica": "r1"})
    metrics.batch_ran("m", "1", 6, 0.25, [0.0], 1.0)  # 6 rows of 8
    metrics.batch_ran("m", "1", 4, 0.0, [0.0], 1.0)
    metrics.batch_ran("m", "1", 1, 1.0, [0.0], 1.0)  # rows without elements, padded
    found = samples(metrics.text())
    own = {"model": "m", "version": "1", "replica": "r1"}
    assert value(found, "kiln_padded_rows_total", **own) == pytest.approx(12)
    assert value(found, "kiln_rows_total", **own) == 11
    assert value(found, "kiln_padding_ratio_bucket", **own, le="+Inf") == 3


class Recorded:
    """Stands for Ray's classes of metrics; keeps what they are told."""

    def __init__(self):
        self.calls = []

    def _make(self, kind):
        def made(name, description, *arguments):
            told = SimpleNamespace(name=name, kind=kind, labels=arguments[-1])
            for verb in ("inc", "set", "observe"):
                call = partial(self._call, name, verb)
                setattr(told, verb, call)
            return told

        return made

    def _call(self, name, verb, number, tags):
        assert all(isinstance(tag, str) for tag in tags.values())
        self.calls.append((name, verb, number))

    def __getattr__(self, kind):
        return self._make(kind)

    def taken(self, name):
        """What was told of a metric since the last time."""
        found = [(verb, number) for told, verb, number in self.calls if told == name]
        self.calls = [call for call in self.calls if call[0] != name]
        return found


def test_ray_gets_what_changed():
    metrics, ray = Metrics(), Recorded()
    export = RayExport(metrics, period_s=1000, kinds=ray)
    requests = metrics.table["kiln_requests_total"]
    labels = ("m", "1", "http", "200")
    requests.add(labels, 3)
    metrics.queue_changed("m", 7)
    for seconds in (0.1, 0.1, 0.1, 0.06, 20.0):
        metrics.table["kiln_run_seconds"].observe(("m", "1"), seconds)
    export.send()
    assert ray.taken("kiln_requests_total") == [("inc", 3.0)]
    assert ray.taken("kiln_queue_requests") == [("set", 7)]
    told = [number for _, number in ray.taken("kiln_run_seconds_bucket")]
    assert told == [0] * 9 + [4] * 7 + [5]  # up to 0.05, from 0.1 to 10 seconds, and all
    assert ray.taken("kiln_run_seconds_sum") == [("set", pytest.approx(20.36))]
    assert ray.taken("kiln_run_seconds_count") == [("set", 5)]
    export.send()  # Ray forgets gauges
    assert ray.taken("kiln_queue_requests") == [("set", 7)]
    assert ray.taken("kiln_run_seconds_count") == [("set", 5)]
    assert ray.taken("kiln_requests_total") == []
    requests.add(labels)
    export.close()
    assert ray.taken("kiln_requests_total") == [("inc", 1.0)]


def test_many_observations_take_few_calls():
    metrics, ray = Metrics(), Recorded()
    export = RayExport(metrics, period_s=1000, kinds=ray)
    for _ in range(1000):
        metrics.table["kiln_run_seconds"].observe(("m", "1"), 0.1)
    export.close()
    assert ray.taken("kiln_run_seconds_count") == [("set", 1000)]
    assert len(ray.calls) < 30  # Ray takes 6 us for each, and requests wait meanwhile


def test_the_classes_of_ray_take_the_table():
    kinds = pytest.importorskip("ray.util.metrics", reason="needs ray")
    metrics = Metrics()
    export = RayExport(metrics, period_s=1000, kinds=kinds)
    metrics.model_loaded("m", "1", 1000, 0.5)
    metrics.batch_ran("m", "1", 3, 0.0, [1.0, 2.0, 3.0], 0.5)
    metrics.request_refused("m", "", OverloadedError("[serve] full"))
    export.close()


def test_a_server_of_all_observers(lines):
    logger, read = lines
    watching = Watching(logger=logger)
    with Server(lambda _: Models(ServeConfig(models()), watching), own=False) as server:
        assert post(server, "double", GOOD) == 200
        assert post(server, "nobody", GOOD) == 404
        with urllib.request.urlopen(f"http://{server.http}/metrics") as response:
            found = samples(response.read().decode())
        address = f"http://{server.http}/v2/models/double/stats"
        with urllib.request.urlopen(address) as response:
            (stats,) = json.load(response)["model_stats"]
    watching.close()
    assert value(found, "kiln_rows_total", model="double", version="1") == 3
    assert stats["inference_count"] == 3
    assert [line["status"] for line in read()] == [200, 404]


def test_labels_are_escaped():
    metric = Metric("kiln_x", "gauge", "A gauge.", ("model",))
    name = 'a "quoted"\\name\nin two lines'
    metric.set((name,), 0.25)
    found = samples("\n".join(metric.lines()) + "\n")
    assert found == {("kiln_x", (("model", name),)): 0.25}


def spans(exporter):
    return {span.name: span for span in exporter.get_finished_spans()}


@pytest.fixture
def exporter():
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs opentelemetry-sdk")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    made = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(made))
    made.tracer = provider.get_tracer("test")
    return made


TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_spans_join_the_trace_of_the_client(exporter):
    with Server(observers=[Tracing(exporter.tracer)]) as server:
        headers = {"traceparent": TRACE, "x-request-id": "7"}
        assert post(server, "double", GOOD, **headers) == 200
    found = spans(exporter)
    request, queue, batch = (found[f"kiln.{name}"] for name in ("request", "queue", "batch"))
    assert f"{request.context.trace_id:032x}" == TRACE[3:35]
    assert f"{request.parent.span_id:016x}" == TRACE[36:52]
    for inner in (queue, batch):
        assert inner.parent.span_id == request.context.span_id
        assert request.start_time <= inner.start_time <= inner.end_time <= request.end_time
    assert queue.end_time == batch.start_time and batch.attributes["kiln.rows"] == 3
    assert dict(request.attributes) == {
        "kiln.model": "double",
        "kiln.version": "1",
        "kiln.protocol": "http",
        "kiln.request_id": "7",
    }


def test_spans_join_the_current_span(exporter):
    tracing = Tracing(exporter.tracer)
    with exporter.tracer.start_as_current_span("outer") as outer:
        token = tracing.request_started("m", "1", InferRequest({}))
        tracing.request_ended(token, InferResult({}, run_ms=1.0))
    request = spans(exporter)["kiln.request"]
    assert request.parent.span_id == outer.get_span_context().span_id


def test_a_trace_that_is_not_sampled_costs_no_spans(exporter):
    with Server(observers=[Tracing(exporter.tracer)]) as server:
        assert post(server, "double", GOOD, traceparent=TRACE[:-1] + "0") == 200
    assert not exporter.get_finished_spans()


def test_errors_in_spans(exporter):
    with Server(observers=[Tracing(exporter.tracer)]) as server:
        assert post(server, "double", {"inputs": {"x": [[1.0]]}}) == 400
        assert post(server, "nobody", GOOD) == 404
    checked, refused = exporter.get_finished_spans()
    assert checked.attributes["kiln.status"] == 400 and not checked.status.is_ok
    assert "expected the shape" in checked.status.description
    assert refused.attributes["kiln.status"] == 404
    assert "expected one of double" in refused.status.description


def test_without_an_exporter_there_are_no_spans():
    tracing = Tracing()  # the global provider, which nobody has set
    assert tracing.request_started("m", "1", InferRequest({})) is None
    tracing.request_ended(None, InferResult({}))


def test_steps_become_spans(exporter):
    tracing = Tracing(exporter.tracer, steps=1.0)
    request = InferRequest({})
    token = tracing.request_started("m", "1", request)
    assert request.profile
    result = InferResult({}, run_ms=3.0, steps=[("first", 1.0), ("second", 2.0)])
    tracing.request_ended(token, result)
    found = spans(exporter)
    first, second, batch = found["first"], found["second"], found["kiln.batch"]
    assert first.parent.span_id == second.parent.span_id == batch.context.span_id
    assert first.start_time == batch.start_time and first.end_time == second.start_time
    assert second.end_time == batch.end_time


def test_steps_of_a_run(exporter):
    with Server(observers=[Tracing(exporter.tracer, steps=1.0)]) as server:
        assert post(server, "add_sub", {"inputs": {name: [[1, 2, 3]] * 2 for name in "ab"}}) == 200
    batch = spans(exporter)["kiln.batch"]
    inner = [span for span in exporter.get_finished_spans() if span.parent is not None]
    steps = [span for span in inner if span.parent.span_id == batch.context.span_id]
    assert len(steps) >= 1
    assert sum(s.end_time - s.start_time for s in steps) <= batch.end_time - batch.start_time


@pytest.fixture
def lines():
    """A logger that writes lines of JSON, and what it wrote."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("test.kiln.serve")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    yield logger, lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.removeHandler(handler)


def test_logs_of_requests(lines):
    logger, read = lines
    with Server(observers=[Logs(logger)]) as server:
        assert post(server, "double", GOOD) == 200
        assert post(server, "double", GOOD, **{"x-request-id": "header"}) == 200
        assert post(server, "nobody", GOOD, **{"x-request-id": "wrong"}) == 404
    first, second, third = read()
    assert (first["level"], first["model"], first["version"]) == ("INFO", "double", "1")
    assert (first["protocol"], first["status"], first["rows"]) == ("http", 200, 3)
    assert first["request_id"] == "body" and second["request_id"] == "header"
    assert 0 <= first["queue_ms"] + first["run_ms"] <= first["ms"] * 1.01
    assert first["message"].startswith("double http 200 in ")
    assert (third["level"], third["status"], third["request_id"]) == ("WARNING", 404, "wrong")
    assert "expected one of double" in third["message"]


def test_logs_of_failures_alone(lines):
    logger, read = lines
    logs = Logs(logger, answers=False)
    logs.request_ended(logs.request_started("m", "1", InferRequest({})), InferResult({}))
    for error in (OverloadedError("[serve] full"), ValueError("unforeseen"), KeyboardInterrupt()):
        logs.request_ended(logs.request_started("m", "1", InferRequest({})), error)
    assert [(line["level"], line["status"]) for line in read()] == [
        ("WARNING", 503),
        ("ERROR", 500),
        ("WARNING", 499),
    ]


def test_lines_have_the_traceback(lines):
    logger, read = lines
    try:
        raise ValueError("unforeseen")
    except ValueError:
        logger.exception("failed", extra={"model": "m"})
    (line,) = read()
    assert line["model"] == "m" and "ValueError: unforeseen" in line["traceback"]
    assert line["time"][10] == "T" and line["logger"] == "test.kiln.serve"
