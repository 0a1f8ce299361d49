# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of requests that have a meaning for Kiln, whatever the protocol."""

from collections.abc import Mapping
from typing import Any

from kiln.serve.request import BadRequestError

SHARED_MEMORY = "shared_memory_region"


def refuse_shared_memory(kind: str, name: str, parameters: "Mapping[str, Any] | None") -> None:
    """Raises BadRequestError if a tensor lies in shared memory. kind: 'input' or 'output'."""
    if parameters and SHARED_MEMORY in parameters:
        raise BadRequestError(
            f"[protocol] {kind} '{name}': expected its data in the message, got a region of shared"
            " memory. Kiln reads none: call set_data_from_numpy instead of set_shared_memory."
        )


def timeout_ms(parameters: "Mapping[str, Any]") -> "float | None":
    """The longest wait in the queue, which clients give in microseconds; None: not given."""
    value = parameters.get("timeout")
    if value is None or value == 0:
        return None
    if type(value) not in (int, float) or value < 0:
        raise BadRequestError(
            f"[protocol] parameter 'timeout': expected microseconds from 0, got {value!r}."
            " Leave it out for no limit."
        )
    return float(value) / 1000.0


def class_count(name: str, parameters: "Mapping[str, Any] | None") -> int:
    """How many classes of an output the client wants instead of its values; 0: the values."""
    value = (parameters or {}).get("classification", 0)
    if type(value) is not int or value < 0:
        raise BadRequestError(
            f"[protocol] output '{name}', parameter 'classification': expected a number of"
            f" classes from 1, got {value!r}."
        )
    return value
