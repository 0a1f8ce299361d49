# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The observers that a server has: statistics, metrics, spans and logs."""

import logging
from collections.abc import Sequence

from kiln.serve.logs import Logs
from kiln.serve.metrics import Metrics
from kiln.serve.observer import Observer
from kiln.serve.protocol.statistics import Statistics
from kiln.serve.tracing import Tracing
from kiln.serve.watch import Watchers


class Watching(Watchers):
    """All observers of a server. Give it to ``Models``; the protocols find it there.

    logger: of the requests; None: 'kiln.serve'. log_answers: whether requests that succeed are
    logged. trace_steps: the share of traced requests whose engine steps become spans. in_ray: also
    hand the metrics to Ray's exporter. more: other observers.
    """

    def __init__(
        self,
        *,
        logger: "logging.Logger | None" = None,
        log_answers: bool = True,
        trace_steps: float = 0.0,
        in_ray: bool = False,
        more: "Sequence[Observer]" = (),
    ) -> None:
        self.statistics = Statistics()
        self.metrics = Metrics()
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
