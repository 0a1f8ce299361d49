# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of the requests, batches and models: one table, kept in this process.

``Metrics`` counts; ``text`` gives all in Prometheus's text format. In Ray Serve,
``kiln.serve.ray_metrics`` hands them to Ray's exporter.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from kiln.serve.call import CURRENT
from kiln.serve.observer import LoneRuns, Observer
from kiln.serve.request import (
    InferRequest,
    InferResult,
    NotFoundError,
    RequestError,
    ended,
    started,
)

SECONDS = (
    *(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05),
    *(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
)
ROWS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
SHARES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)

# What a client called that has no model here; names that clients invent make no series.
UNKNOWN = "unknown"

Labels = tuple[str, ...]


@dataclass
class Histogram:
    """Observations of one series. counts, sums: of each bucket alone; the last is above all."""

    counts: list[int]
    sums: list[float]


@dataclass
class Metric:
    """One metric with its series.

    kind: 'counter', 'gauge' or 'histogram'. bounds: the upper ends of a histogram's buckets.
    """

    name: str
    kind: str
    help: str
    labels: Labels
    bounds: tuple[float, ...] = ()
    values: dict[Labels, float] = field(default_factory=dict)
    histograms: dict[Labels, Histogram] = field(default_factory=dict)

    def add(self, labels: Labels, value: float = 1.0) -> None:
        """Adds to a counter or gauge."""
        self.values[labels] = self.values.get(labels, 0.0) + value

    def set(self, labels: Labels, value: float) -> None:
        """Sets a gauge."""
        self.values[labels] = value

    def observe(self, labels: Labels, value: float, times: int = 1) -> None:
        """Adds an observation to a histogram, or several alike."""
        found = self.histograms.get(labels)
        if found is None:
            buckets = len(self.bounds) + 1
            found = self.histograms[labels] = Histogram([0] * buckets, [0.0] * buckets)
        bucket = bisect_left(self.bounds, value)
        found.counts[bucket] += times
        found.sums[bucket] += value * times

    def lines(self, more: "Mapping[str, str]" = MappingProxyType({})) -> Iterator[str]:
        """The metric in Prometheus's text format. more: labels that all series have."""
        names, ends = (*self.labels, *more), tuple(more.values())
        yield f"# HELP {self.name} {self.help}"
        yield f"# TYPE {self.name} {self.kind}"
        for labels, value in list(self.values.items()):
            yield f"{self.name}{_braces(names, (*labels, *ends))} {_number(value)}"
        for labels, found in list(self.histograms.items()):
            for suffix, end, value in self.parts(found):
                own = (*names, "le") if end else names
                braces = _braces(own, (*labels, *ends, *end))
                yield f"{self.name}{suffix}{braces} {_number(value)}"

    def parts(self, found: Histogram) -> "Iterator[tuple[str, Labels, float]]":
        """The series of a histogram in Prometheus: suffix, upper end of a bucket, value."""
        total = 0
        for bound, count in zip((*self.bounds, float("inf")), found.counts, strict=True):
            total += count
            yield "_bucket", ("+Inf" if bound == float("inf") else _number(bound),), total
        yield "_sum", (), sum(found.sums)
        yield "_count", (), total


def _braces(names: Labels, values: Labels) -> str:
    escaped = (
        value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for value in values
    )
    return "{" + ",".join(f'{n}="{v}"' for n, v in zip(names, escaped, strict=True)) + "}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


_MODEL = ("model", "version")


def table() -> dict[str, Metric]:
    """All metrics by name, without series."""
    metrics = (
        Metric(
            "kiln_requests_total",
            "counter",
            "Requests that were answered, by HTTP status; 499: the client went away.",
            (*_MODEL, "protocol", "status"),
        ),
        Metric(
            "kiln_request_seconds",
            "histogram",
            "From the parsed request to its result, by protocol.",
            (*_MODEL, "protocol"),
            SECONDS,
        ),
        Metric("kiln_requests_inside", "gauge", "Requests that wait or run.", _MODEL),
        Metric("kiln_queue_requests", "gauge", "Requests that wait for a run.", ("model",)),
        Metric(
            "kiln_queue_seconds",
            "histogram",
            "Of each request, from its submission to the start of its run.",
            _MODEL,
            SECONDS,
        ),
        Metric("kiln_batch_rows", "histogram", "Rows that ran together.", _MODEL, ROWS),
        Metric("kiln_rows_total", "counter", "Rows that ran.", _MODEL),
        Metric(
            "kiln_run_seconds",
            "histogram",
            "Runs of the engine with their copies, one for a batch.",
            _MODEL,
            SECONDS,
        ),
        Metric(
            "kiln_padding_ratio",
            "histogram",
            "Of each batch, the padded elements as a share of all that the engine read.",
            _MODEL,
            SHARES,
        ),
        Metric(
            "kiln_padded_rows_total",
            "counter",
            "Rows that ran, with the padding of their batch as rows.",
            _MODEL,
        ),
        Metric("kiln_model_memory_bytes", "gauge", "Memory of a loaded model.", _MODEL),
        Metric("kiln_model_loads_total", "counter", "Models that were loaded.", _MODEL),
        Metric("kiln_model_unloads_total", "counter", "Models that were unloaded.", _MODEL),
        Metric("kiln_model_load_seconds", "gauge", "What the last load took.", _MODEL),
    )
    return {metric.name: metric for metric in metrics}


class Metrics(Observer):
    """Counts what happens. Costs a few microseconds for a request; one event loop uses it.

    labels: more of them for all series in ``text``, such as the replica.
    """

    starts_late = True

    def __init__(self, labels: "Mapping[str, str] | None" = None) -> None:
        self.table = table()
        self._more = dict(labels or {})
        self._names: set[str] = set()
        t = self.table
        self._requests = t["kiln_requests_total"]
        self._seconds = t["kiln_request_seconds"]
        self._inside = t["kiln_requests_inside"]

    def text(self) -> str:
        """All metrics in Prometheus's text format."""
        metrics = self.table.values()
        return "".join(f"{line}\n" for metric in metrics for line in metric.lines(self._more))

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """Takes the time."""
        self._inside.add((model, version))
        return model, version, CURRENT.get().protocol, started(request)

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """Counts the request by its status, and observes its time."""
        model, version, protocol, start = token
        self._inside.add((model, version), -1.0)
        self._requests.add((model, version, protocol, _status(result)))
        self._seconds.observe((model, version, protocol), ended(result) - start)

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """Counts the request; under 'unknown' if there is no model of its name."""
        known = model in self._names and not isinstance(error, NotFoundError)
        labels = (model, "") if known else (UNKNOWN, "")
        self._requests.add((*labels, CURRENT.get().protocol, _status(error)))

    def batch_ran(
        self,
        model: str,
        version: str,
        rows: int,
        padded_share: float,
        queue_ms: list[float],
        run_ms: float,
    ) -> None:
        """Observes the batch and the waits of its requests."""
        labels, t = (model, version), self.table
        t["kiln_batch_rows"].observe(labels, rows)
        t["kiln_rows_total"].add(labels, rows)
        t["kiln_run_seconds"].observe(labels, run_ms / 1000.0)
        t["kiln_padding_ratio"].observe(labels, padded_share)
        if padded_share < 1.0:  # else nothing was asked for
            t["kiln_padded_rows_total"].add(labels, rows / (1.0 - padded_share))
        for wait in queue_ms:
            t["kiln_queue_seconds"].observe(labels, wait / 1000.0)

    def ran_alone(self, runs: LoneRuns) -> None:
        """Counts them together, and observes the time of each."""
        labels, count, t = (runs.model, runs.version), len(runs.times), self.table
        self._inside.add(labels, 0.0)
        self._requests.add((*labels, runs.protocol, "200"), count)
        t["kiln_batch_rows"].observe(labels, runs.rows, count)
        t["kiln_padding_ratio"].observe(labels, 0.0, count)
        t["kiln_queue_seconds"].observe(labels, 0.0, count)
        for counter in ("kiln_rows_total", "kiln_padded_rows_total"):
            t[counter].add(labels, runs.rows * count)
        for start, end in runs.times:
            t["kiln_run_seconds"].observe(labels, end - start)
            self._seconds.observe((*labels, runs.protocol), end - start)

    def queue_changed(self, model: str, waiting: int) -> None:
        """Sets the length of the queue."""
        self.table["kiln_queue_requests"].set((model,), waiting)

    def model_loaded(self, model: str, version: str, memory: int, seconds: float) -> None:
        """Counts the load, sets memory and time."""
        self._names.add(model)
        labels, t = (model, version), self.table
        t["kiln_model_loads_total"].add(labels)
        t["kiln_model_unloads_total"].add(labels, 0.0)
        t["kiln_model_load_seconds"].set(labels, seconds)
        t["kiln_model_memory_bytes"].set(labels, memory)

    def model_unloaded(self, model: str, version: str) -> None:
        """Counts it; the model has no memory now."""
        self.table["kiln_model_unloads_total"].add((model, version))
        self.table["kiln_model_memory_bytes"].set((model, version), 0)


def _status(result: "InferResult | BaseException") -> str:
    """The HTTP status of an answer."""
    if not isinstance(result, BaseException):
        return "200"
    if isinstance(result, RequestError):
        return str(result.status)
    return "500" if isinstance(result, Exception) else "499"
