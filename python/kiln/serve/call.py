# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What is known of the call that a request came with, for those who watch.

The protocols set it; metrics, spans and logs read it. It follows the task that answers the call.
"""

from contextvars import ContextVar
from typing import NamedTuple


class Call(NamedTuple):
    """One call of a client.

    protocol: 'http', 'grpc' or, for calls inside of the process, 'python'. request_id: of the
    header x-request-id or the metadata request_id. traceparent, tracestate: of W3C's headers.
    """

    protocol: str = "python"
    request_id: str = ""
    traceparent: str = ""
    tracestate: str = ""


CURRENT: "ContextVar[Call]" = ContextVar("kiln_serve_call", default=Call())  # noqa: B039
