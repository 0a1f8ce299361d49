# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs every worker before the first request: first runs do extra work and tell the cost."""

import logging
import time
from collections.abc import Iterator

import numpy as np

from kiln._device_array import _dtype_of
from kiln.serve.engine import OpenedEngine
from kiln.serve.pace import Cost
from kiln.serve.padding import Grouping
from kiln.serve.request import Array, InferRequest
from kiln.serve.worker import Worker

_LOG = logging.getLogger("kiln.serve")
_SECONDS = 2.0  # after this, requests warm up what is left
_RUNS = 3  # of each shape by each worker; the first one does the extra work


def warm_up(opened: OpenedEngine, workers: "list[Worker]", grouping: Grouping, cost: Cost) -> None:
    """Runs zeros in the smallest and the best shapes of each profile, and notes the times.

    A plugin may refuse zeros: a run that fails is logged, and no reason to refuse the model.
    """
    end = time.perf_counter() + _SECONDS
    try:
        for request in _requests(opened, grouping):
            for worker in workers:
                if time.perf_counter() > end:
                    return
                _run(worker, grouping, request, cost, end)
    except Exception as error:
        _LOG.warning("model '%s', warm-up with zeros: %s", opened.name, error)


def _run(worker: Worker, grouping: Grouping, request: InferRequest, cost: Cost, end: float) -> None:
    group = grouping.group(request)
    assert group is not None
    joined = grouping.join(group, [request], [grouping.rows(request)])
    for index in range(_RUNS):
        start = time.perf_counter()
        joined.split(worker.run(joined))
        now = time.perf_counter()
        if index > 0 or now > end:
            cost.add(joined.elements, now - start)
        if now > end:
            return


def _requests(opened: OpenedEngine, grouping: Grouping) -> Iterator[InferRequest]:
    """Zeros in the smallest shapes of each profile, then in the best ones."""
    for which in ("low", "best"):
        for index, ranges in enumerate(opened.signature.profiles):
            inputs: dict[str, Array] = {}
            for spec in opened.signature.inputs:
                shape = ranges[spec.name].best
                if which == "low" and grouping.joins:
                    shape = (ranges[spec.name].low[0], *shape[1:])
                values = np.zeros(shape, _dtype_of(spec.dtype))
                if spec.name in opened.host_inputs:  # zeros may be outside of the profile
                    best = opened.engine.get_tensor_profile_values(spec.name, index)[1]
                    values[...] = np.reshape(best, shape)
                inputs[spec.name] = values
            request = InferRequest(inputs)
            if grouping.group(request) is not None:
                yield request
