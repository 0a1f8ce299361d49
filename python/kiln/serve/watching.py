# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The observers that a server has: statistics, metrics, spans and logs."""

import logging
import sys
from collections.abc import Sequence

from kiln.serve.logs import Logs
from kiln.serve.metrics import Metrics
from kiln.serve.observer import Observer
from kiln.serve.protocol.statistics import Statistics
from kiln.serve.tracing import Tracing
from kiln.serve.watch import Watchers


class Watching(Watchers):
    """All observers of a server. Give it to ``Models``; the protocols find it there.

    logger: of the requests; None: Ray Serve's own in a replica of it, else 'kiln.serve'.
    log_answers: whether requests that succeed are logged. trace_steps: the share of traced requests
    whose engine steps become spans. in_ray: whether the metrics also go to Ray's exporter; None: in
    a replica of Ray Serve. more: other observers.
    """

    def __init__(
        self,
        *,
        logger: "logging.Logger | None" = None,
        log_answers: bool = True,
        trace_steps: float = 0.0,
        in_ray: "bool | None" = None,
        more: "Sequence[Observer]" = (),
    ) -> None:
        replica = _replica()
        if in_ray is None:
            in_ray = replica is not None
        if logger is None and in_ray:
            logger = logging.getLogger("ray.serve")
        self.statistics = Statistics()
        # The proxy asks any of the replicas: their series must not be taken for one.
        self.metrics = Metrics({"replica": replica} if replica else {})
        watchers = (
            self.statistics,
            self.metrics,
            Tracing(steps=trace_steps),
            Logs(logger, log_answers),
        )
        super().__init__((*watchers, *more))
        self._export = None
        if in_ray:
            from kiln.serve.ray_metrics import RayExport

            self._export = RayExport(self.metrics)

    def close(self) -> None:
        """Hands over the last metrics."""
        if self._export is not None:
            self._export.close()


def _replica() -> "str | None":
    """The name of this replica of Ray Serve; None if this process is none."""
    serve = sys.modules.get("ray.serve")
    try:
        return None if serve is None else str(serve.get_replica_context().replica_tag)
    except Exception:  # RayServeException: no replica
        return None
