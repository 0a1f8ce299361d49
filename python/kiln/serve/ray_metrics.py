# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Hands the metrics to Ray's exporter, where Prometheus finds those of the whole cluster.

Ray adds the labels deployment, replica and application, and ``ray_`` before each name. It forgets
gauges that are not set again. Its histograms take one observation at a time, in 6 us, and the
requests that come meanwhile wait for the interpreter: so histograms are gauges here, one for each
series that Prometheus has of them, with the same names and exact sums.
"""

import threading
from typing import Any

from kiln.serve.metrics import Histogram, Metric, Metrics

PERIOD_S = 5.0


class RayExport:
    """Sends all gauges and what else changed to Ray every few seconds, on a thread of its own.

    A call into Ray's metrics takes microseconds, which the answers to requests need not wait for.
    kinds: the classes Counter and Gauge of Ray; None: those of ``ray.serve.metrics``.
    """

    def __init__(
        self, metrics: Metrics, period_s: float = PERIOD_S, kinds: "Any | None" = None
    ) -> None:
        if kinds is None:
            from ray.serve import metrics as ray_kinds

            kinds = ray_kinds
        self._pairs = [(metric, _made(metric, kinds)) for metric in metrics.table.values()]
        self._sent: dict[tuple[str, tuple[str, ...]], float] = {}
        self._period = period_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kiln-metrics", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(self._period):
            self.send()

    def send(self) -> None:
        """Sends the gauges and histograms, and what changed of the counters."""
        for metric, targets in self._pairs:
            for labels, value in list(metric.values.items()):
                self._send_value(metric, targets[""], labels, value)
            for labels, found in list(metric.histograms.items()):
                _send_histogram(metric, targets, labels, found)

    def _send_value(
        self, metric: Metric, target: Any, labels: tuple[str, ...], value: float
    ) -> None:
        tags = dict(zip(metric.labels, labels, strict=True))
        key = (metric.name, labels)
        before = self._sent.get(key)
        self._sent[key] = value
        if metric.kind == "gauge":
            target.set(value, tags=tags)
        elif value > (before or 0.0):
            target.inc(value - (before or 0.0), tags=tags)

    def close(self) -> None:
        """Sends the last changes, and ends the thread."""
        self._stop.set()
        self._thread.join()
        self.send()


def _send_histogram(
    metric: Metric, targets: "dict[str, Any]", labels: tuple[str, ...], found: Histogram
) -> None:
    copy = Histogram(list(found.counts), list(found.sums))  # it goes on counting
    for suffix, end, value in metric.parts(copy):
        tags = dict(zip(metric.labels, labels, strict=True))
        if end:
            tags["le"] = end[0]
        targets[suffix].set(value, tags=tags)


def _made(metric: Metric, kinds: Any) -> "dict[str, Any]":
    """What takes a metric, by the suffix of its name."""
    if metric.kind != "histogram":
        kind = kinds.Counter if metric.kind == "counter" else kinds.Gauge
        return {"": kind(metric.name, metric.help, metric.labels)}
    labels = {"_bucket": (*metric.labels, "le"), "_sum": metric.labels, "_count": metric.labels}
    return {s: kinds.Gauge(metric.name + s, metric.help, own) for s, own in labels.items()}
