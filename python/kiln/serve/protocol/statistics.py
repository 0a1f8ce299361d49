# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts and times of each model since it was loaded, as the statistics extension gives them."""

import time
from dataclasses import dataclass, field
from typing import Any

from kiln.serve.observer import LoneRuns, Observer
from kiln.serve.request import InferRequest, InferResult, ended, started


@dataclass
class Duration:
    """How often something happened, and how long it took in all."""

    count: int = 0
    ns: int = 0

    def add(self, ns: int, count: int = 1) -> None:
        """Adds `count` events that took `ns` nanoseconds together."""
        self.count += count
        self.ns += ns

    def value(self) -> dict[str, int]:
        """As JSON."""
        return {"count": self.count, "ns": self.ns}


@dataclass
class _Model:
    success: Duration = field(default_factory=Duration)
    fail: Duration = field(default_factory=Duration)
    queue: Duration = field(default_factory=Duration)
    run: Duration = field(default_factory=Duration)
    batches: dict[int, Duration] = field(default_factory=dict)  # by rows
    rows: int = 0
    runs: int = 0
    last_ms: int = 0
    memory: int = 0

    def batch(self, rows: int) -> Duration:
        """Batches of so many rows."""
        found = self.batches.get(rows)
        if found is None:
            found = self.batches[rows] = Duration()
        return found


class Statistics(Observer):
    """Keeps the statistics. Costs about a microsecond for a request."""

    starts_late = True

    def __init__(self) -> None:
        self._models: dict[tuple[str, str], _Model] = {}

    def _of(self, model: str, version: str) -> _Model:
        found = self._models.get((model, version))
        if found is None:
            found = self._models[model, version] = _Model()
        return found

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """Takes the time."""
        return model, version, started(request)

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """Counts a success with its waiting and running time, or a failure."""
        model, version, start = token
        found = self._of(model, version)
        ns = int((ended(result) - start) * 1e9)
        if isinstance(result, BaseException):
            found.fail.add(ns)
            return
        found.success.add(ns)
        found.queue.add(int(result.queue_ms * 1e6))
        found.run.add(int(result.run_ms * 1e6))
        found.last_ms = int(time.time() * 1000)

    def ran_alone(self, runs: LoneRuns) -> None:
        """Counts them together."""
        found, count = self._of(runs.model, runs.version), len(runs.times)
        ns = int(sum([end - start for start, end in runs.times]) * 1e9)
        found.success.add(ns, count)
        found.queue.add(0, count)
        found.run.add(ns, count)
        found.last_ms = int(time.time() * 1000)
        found.rows += runs.rows * count
        found.runs += count
        found.batch(runs.rows).add(ns, count)

    def batch_ran(
        self,
        model: str,
        version: str,
        rows: int,
        padded_share: float,
        queue_ms: list[float],
        run_ms: float,
    ) -> None:
        """Counts a run by its rows."""
        found = self._of(model, version)
        found.rows += rows
        found.runs += 1
        found.batch(rows).add(int(run_ms * 1e6))

    def model_loaded(self, model: str, version: str, memory: int, seconds: float) -> None:
        """Keeps the memory."""
        self._of(model, version).memory = memory

    def model_unloaded(self, model: str, version: str) -> None:
        """The counts of a model go with it."""
        self._models.pop((model, version), None)

    def of(self, model: str, version: str = "") -> dict[str, Any]:
        """The statistics of one model or, for '', of all: ``{"model_stats": [...]}``."""
        return {
            "model_stats": [
                _value(*key, found)
                for key, found in self._models.items()
                if (not model or key[0] == model) and (not version or key[1] == version)
            ]
        }


def _value(name: str, version: str, found: _Model) -> dict[str, Any]:
    none = Duration().value()
    value: dict[str, Any] = {
        "name": name,
        "version": version,
        "last_inference": found.last_ms,
        "inference_count": found.rows,
        "execution_count": found.runs,
        "inference_stats": {
            "success": found.success.value(),
            "fail": found.fail.value(),
            "queue": found.queue.value(),
            "compute_input": none | {"count": found.run.count},  # within the run
            "compute_infer": found.run.value(),
            "compute_output": none | {"count": found.run.count},
            "cache_hit": none,
            "cache_miss": none,
        },
        "batch_stats": [
            {
                "batch_size": rows,
                "compute_input": none | {"count": run.count},
                "compute_infer": run.value(),
                "compute_output": none | {"count": run.count},
            }
            for rows, run in sorted(found.batches.items())
        ],
    }
    if found.memory:
        value["memory_usage"] = [{"type": "MODEL", "id": 0, "byte_size": found.memory}]
    return value
