# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry spans: a request, its wait in the queue, its batch, and the steps of the engine.

The spans join the trace that the request is part of: the recorded span that is current where the
model is called, as Ray Serve's own, or else that of the header traceparent. Without OpenTelemetry's
SDK, or without an exporter that the server was started with, no spans are made.
"""

import random
import time
from typing import Any

from kiln.serve.call import CURRENT, Call
from kiln.serve.observer import LoneRuns, Observer
from kiln.serve.request import InferRequest, InferResult, RequestError

try:
    from opentelemetry import trace
    from opentelemetry.trace.propagation import tracecontext
except ImportError:
    trace = None


class Tracing(Observer):
    """Makes the spans.

    tracer: OpenTelemetry's; None: that of the global provider. steps: the share of recorded
    requests, 0 to 1, whose runs are profiled: a profiled run takes longer.
    """

    def __init__(self, tracer: Any = None, steps: float = 0.0) -> None:
        self._is_global = tracer is None
        if tracer is None and trace is not None:
            tracer = trace.get_tracer("kiln.serve")
        self._tracer = tracer
        self._steps = steps

    @property
    def starts_late(self) -> bool:  # type: ignore[override]
        """A span needs the one that is current where the model is called."""
        return self._tracer is None or not self._exports()

    def ran_alone(self, runs: LoneRuns) -> None:
        """Such requests have no spans."""

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """Starts the span of the request; None if the trace is not recorded."""
        if self._tracer is None or not self._exports():
            return None
        call = CURRENT.get()
        context = _parent(call)
        span = self._tracer.start_span("kiln.request", context=context)
        if not span.is_recording():
            return None
        span.set_attributes(
            {"kiln.model": model, "kiln.version": version, "kiln.protocol": call.protocol}
        )
        if call.request_id or request.id:
            span.set_attribute("kiln.request_id", call.request_id or request.id)
        if self._steps and random.random() < self._steps:
            request.profile = True
        return span, time.time_ns(), time.perf_counter()

    def _exports(self) -> bool:
        """Whether spans go anywhere; making one that nobody keeps takes microseconds, too."""
        return not (
            self._is_global and isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
        )

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """Ends the span; a result gives the spans inside of it."""
        if token is None:
            return
        span, start, clock = token
        if isinstance(result, BaseException):
            _set_error(span, result)
            span.end()
            return
        within = trace.set_span_in_context(span)
        ran = start + int(result.queue_ms * 1e6)
        ran_until = ran + int(result.run_ms * 1e6)
        queue = self._tracer.start_span("kiln.queue", context=within, start_time=start)
        queue.end(ran)
        batch = self._tracer.start_span("kiln.batch", context=within, start_time=ran)
        batch.set_attribute("kiln.rows", result.batch)
        self._add_steps(batch, ran, result.steps)
        batch.end(ran_until)
        span.end(max(ran_until, start + int((result.ended - clock) * 1e9)))

    def _add_steps(self, batch: Any, start: int, steps: "list[tuple[str, float]]") -> None:
        """Spans for the steps of the engine, one after the other."""
        within = trace.set_span_in_context(batch)
        for name, ms in steps:
            step = self._tracer.start_span(name, context=within, start_time=start)
            start += int(ms * 1e6)
            step.end(start)

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """A span with the error alone."""
        if self._tracer is None or not self._exports():
            return
        span = self._tracer.start_span("kiln.request", context=_parent(CURRENT.get()))
        span.set_attribute("kiln.model", model)
        _set_error(span, error)
        span.end()


def _parent(call: Call) -> Any:
    """The context that a new span belongs to; None: the current one."""
    # A span that is not recorded must not hide that the client records its trace.
    if trace.get_current_span().is_recording() or not call.traceparent:
        return None
    carrier = {"traceparent": call.traceparent, "tracestate": call.tracestate}
    return tracecontext.TraceContextTextMapPropagator().extract(carrier)


def _set_error(span: Any, error: BaseException) -> None:
    status = error.status if isinstance(error, RequestError) else 500
    span.set_attribute("kiln.status", status)
    span.set_attribute("error.type", type(error).__name__)
    span.set_status(trace.Status(trace.StatusCode.ERROR, str(error)))
