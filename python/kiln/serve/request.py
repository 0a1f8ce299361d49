# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the protocols, the batcher and the workers hand to each other."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from kiln._messages import message

Array = npt.NDArray[Any]


class RequestError(Exception):
    """A request that cannot be answered. The text is Kiln's message, with its code at the end.

    status: the HTTP status. grpc_status: the name of the member of ``grpc.StatusCode``.
    retry_after: seconds after which another try makes sense; None if it makes none.
    """

    status = 500
    grpc_status = "INTERNAL"
    retry_after: "float | None" = None

    def __init__(self, text: str) -> None:
        super().__init__(message(text))


class BadRequestError(RequestError):
    """The request is wrong: a name, a type, a shape, a value. Trying again gives the same."""

    status = 400
    grpc_status = "INVALID_ARGUMENT"


class NotFoundError(RequestError):
    """The model or the version of it does not exist."""

    status = 404
    grpc_status = "NOT_FOUND"


class OverloadedError(RequestError):
    """The queue is full, or the model is going away: try again after ``retry_after`` seconds."""

    status = 503
    grpc_status = "UNAVAILABLE"
    retry_after: "float | None" = 1.0


class TimedOutError(RequestError):
    """The request waited longer than it was told to."""

    status = 504
    grpc_status = "DEADLINE_EXCEEDED"


class LoadError(RequestError):
    """A model cannot be loaded: its plan, its plugins, its versions or its memory are not right."""


class Kind:
    """What a model found for a request, and need not find again for others like it.

    tries: to find a shortcut for them.
    """

    grouping: Any = None  # of the model
    group: Any = None
    tries = 0


@dataclass(slots=True)
class InferRequest:
    """One request for one model.

    inputs: an array for each input, by name: exactly the inputs of the engine, of its types
    (bfloat16 as ml_dtypes.bfloat16). The first axis of each is the batch, if the model has one.
    outputs: the names wanted; empty: all. id: the client's, given back with the result.
    timeout_ms: the longest time in the queue; None: that of the model's configuration.
    parameters: those of the protocol that Kiln has no use for; given back to nobody.
    profile: whether the result is to have the steps of the run. started: when its model took it, by
    time.perf_counter(). kind: one for all requests of these names, types, shapes and outputs; None:
    such requests do not know of each other.
    """

    inputs: dict[str, Array]
    outputs: list[str] = field(default_factory=list)
    id: str = ""
    timeout_ms: "float | None" = None
    parameters: dict[str, Any] = field(default_factory=dict)
    profile: bool = False
    started: float = 0.0
    kind: "Kind | None" = None


@dataclass(slots=True)
class InferResult:
    """The answer to an InferRequest.

    outputs: the arrays asked for, in the order of the engine. They belong to the caller.
    batch: rows of all requests that ran together. queue_ms: from submission to the start of the
    run. run_ms: the run of the engine with its copies. steps: of a profiled run, the layers with
    their milliseconds, in order. ended: when the result was there, by time.perf_counter().
    """

    outputs: dict[str, Array]
    model: str = ""
    version: str = ""
    id: str = ""
    batch: int = 1
    queue_ms: float = 0.0
    run_ms: float = 0.0
    steps: list[tuple[str, float]] = field(default_factory=list)
    ended: float = field(default_factory=time.perf_counter)


def started(request: InferRequest) -> float:
    """When a request came in, by time.perf_counter(): what watches it may be told later."""
    return request.started or time.perf_counter()


def ended(result: "InferResult | BaseException") -> float:
    """When a request ended, by time.perf_counter(): a result tells it, errors are told at once."""
    return time.perf_counter() if isinstance(result, BaseException) else result.ended
