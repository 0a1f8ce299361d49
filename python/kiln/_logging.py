# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A logger of Kiln that writes to Python's logging."""

import logging

from kiln._core import ILogger
from kiln._messages import code_of

_LEVELS = {
    ILogger.INTERNAL_ERROR: logging.CRITICAL,
    ILogger.ERROR: logging.ERROR,
    ILogger.WARNING: logging.WARNING,
    ILogger.INFO: logging.INFO,
    ILogger.VERBOSE: logging.DEBUG,
}


class LoggingLogger(ILogger):
    """Passes each message to a logger of the module ``logging``."""

    def __init__(self, target: logging.Logger) -> None:
        super().__init__()
        self.target = target

    def log(self, severity: ILogger.Severity, msg: str) -> None:
        """Callback: receives a message."""
        code = code_of(msg)
        self.target.log(_LEVELS[severity], "%s", msg, extra={"kiln_code": code})


def logging_logger(logger: "logging.Logger | str" = "kiln") -> LoggingLogger:
    """A logger for builders, runtimes and parsers that passes messages to Python's ``logging``.

    Severities become CRITICAL (INTERNAL_ERROR), ERROR, WARNING, INFO and DEBUG (VERBOSE); levels,
    handlers and formats are those of ``logging``. Records have the code of the message, such as
    "run-17", as ``kiln_code``, or None.

    logger: a ``logging.Logger``, or the name of one. Default: "kiln".
    Returns an ILogger; its attribute ``target`` is the ``logging.Logger``.

    Example::

        logging.basicConfig(level=logging.INFO)
        builder = trt.Builder(kiln.logging_logger())
    """
    target = logging.getLogger(logger) if isinstance(logger, str) else logger
    return LoggingLogger(target)
