# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A log line for each request, through Python's logging.

Each record has fields beside its text: model, version, protocol, status, ms, rows, queue_ms, run_ms
and request_id. ``JsonLines`` writes them as JSON, and so does Ray Serve's logging_config with
the encoding JSON.
"""

import json
import logging
from typing import Any

from kiln.serve.call import CURRENT
from kiln.serve.observer import LoneRuns, Observer
from kiln.serve.request import InferRequest, InferResult, RequestError, ended, started

# The attributes that every record has; all others came with the message.
_USUAL = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}


class Logs(Observer):
    """Logs requests: answers at INFO, refused ones at WARNING, failures of the server at ERROR.

    logger: None takes 'kiln.serve'. answers: whether those that succeed are logged.
    """

    starts_late = True

    def __init__(self, logger: "logging.Logger | None" = None, answers: bool = True) -> None:
        self._logger = logger or logging.getLogger("kiln.serve")
        self._answers = answers

    def request_started(self, model: str, version: str, request: InferRequest) -> Any:
        """Takes the time and what the client calls the request."""
        call = CURRENT.get()
        name = call.request_id or request.id
        return model, version, call.protocol, name, started(request)

    def ran_alone(self, runs: LoneRuns) -> None:
        """Logs each of them, if answers are logged."""
        if self._answers and self._logger.isEnabledFor(logging.INFO):
            super().ran_alone(runs)

    def request_ended(self, token: Any, result: "InferResult | BaseException") -> None:
        """Logs the answer."""
        model, version, protocol, name, start = token
        ms = (ended(result) - start) * 1000.0
        if isinstance(result, BaseException):
            self._failed(model, version, protocol, name, ms, result)
            return
        if not self._answers or not self._logger.isEnabledFor(logging.INFO):
            return
        fields = {
            **_fields(model, version, protocol, name, ms, 200),
            "rows": result.batch,
            "queue_ms": round(result.queue_ms, 3),
            "run_ms": round(result.run_ms, 3),
        }
        self._logger.info(
            "%s %s 200 in %.2f ms (queue %.2f, run %.2f, %d rows) %s",
            model,
            protocol,
            ms,
            result.queue_ms,
            result.run_ms,
            result.batch,
            name,
            extra=fields,
        )

    def request_refused(self, model: str, version: str, error: BaseException) -> None:
        """Logs the refusal."""
        call = CURRENT.get()
        self._failed(model, version, call.protocol, call.request_id, 0.0, error)

    def _failed(
        self, model: str, version: str, protocol: str, name: str, ms: float, error: BaseException
    ) -> None:
        status = error.status if isinstance(error, RequestError) else 500
        if not isinstance(error, Exception):
            status = 499  # the client went away
        level = logging.ERROR if status == 500 else logging.WARNING
        fields = _fields(model, version, protocol, name, ms, status)
        text = str(error) or type(error).__name__
        self._logger.log(
            level, "%s %s %d: %s %s", model, protocol, status, text, name, extra=fields
        )


def _fields(
    model: str, version: str, protocol: str, name: str, ms: float, status: int
) -> dict[str, Any]:
    return {
        "model": model,
        "version": version,
        "protocol": protocol,
        "status": status,
        "ms": round(ms, 3),
        "request_id": name,
    }


class JsonLines(logging.Formatter):
    """Writes each record as one line of JSON, with its fields and, for errors, the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        value: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03}",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        value |= {key: own for key, own in vars(record).items() if key not in _USUAL}
        if record.exc_info:
            value["traceback"] = self.formatException(record.exc_info)
        return json.dumps(value, default=str)
