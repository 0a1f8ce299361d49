# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Hands the metrics to Ray's exporter, where Prometheus finds those of the whole cluster.

Ray adds the labels deployment, replica and application, and ``ray_`` before each name. It forgets
gauges that are not set again, and takes the middle of its bucket for each observation of a
histogram: counts and quantiles stay right, sums do not, so what needs a mean has counters.
"""

import threading
from typing import Any

from kiln.serve.metrics import Histogram, Metric, Metrics

PERIOD_S = 5.0
# Observations between two pauses: some thousands without one would hold up the requests that come
# meanwhile by the interval at which Python's threads take turns.
_BETWEEN_PAUSES = 8
_PAUSE_S = 0.0005


class RayExport:
    """Sends all gauges and what else changed to Ray every few seconds, on a thread of its own.

    A call into Ray's metrics takes microseconds, which the answers to requests need not wait for.
    kinds: the classes Counter, Gauge and Histogram of Ray; None: those of ``ray.serve.metrics``.
    """

    def __init__(
        self, metrics: Metrics, period_s: float = PERIOD_S, kinds: "Any | None" = None
    ) -> None:
        if kinds is None:
            from ray.serve import metrics as ray_kinds

            kinds = ray_kinds
        self._pairs = [(metric, _made(metric, kinds)) for metric in metrics.table.values()]
        self._sent: dict[tuple[str, tuple[str, ...]], float] = {}
        self._seen: dict[tuple[str, tuple[str, ...]], Histogram] = {}
        self._period = period_s
        self._sent_since = 0  # the last pause
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kiln-metrics", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(self._period):
            self.send()

    def send(self) -> None:
        """Sends the gauges, and what changed since the last time."""
        for metric, target in self._pairs:
            for labels, value in list(metric.values.items()):
                self._send_value(metric, target, labels, value)
            for labels, found in list(metric.histograms.items()):
                self._send_histogram(metric, target, labels, found)

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

    def _send_histogram(
        self, metric: Metric, target: Any, labels: tuple[str, ...], found: Histogram
    ) -> None:
        """Repeats the observations of each bucket by their mean."""
        key = (metric.name, labels)
        counts, sums = list(found.counts), list(found.sums)
        seen = self._seen.get(key) or Histogram([0] * len(counts), [0.0] * len(sums))
        self._seen[key] = Histogram(counts, sums)
        tags = dict(zip(metric.labels, labels, strict=True))
        for bucket, count in enumerate(counts):
            new = count - seen.counts[bucket]
            if new > 0:
                ends = metric.bounds[bucket] if bucket < len(metric.bounds) else float("inf")
                mean = min((sums[bucket] - seen.sums[bucket]) / new, ends)
                for _ in range(new):
                    target.observe(mean, tags=tags)
                    self._pause()

    def _pause(self) -> None:
        self._sent_since += 1
        if self._sent_since >= _BETWEEN_PAUSES:
            self._sent_since = 0
            self._stop.wait(_PAUSE_S)  # no pause at the end

    def close(self) -> None:
        """Sends the last changes, and ends the thread."""
        self._stop.set()
        self._thread.join()
        self.send()


def _made(metric: Metric, kinds: Any) -> Any:
    if metric.kind == "histogram":
        return kinds.Histogram(metric.name, metric.help, list(metric.bounds), metric.labels)
    kind = kinds.Counter if metric.kind == "counter" else kinds.Gauge
    return kind(metric.name, metric.help, metric.labels)
