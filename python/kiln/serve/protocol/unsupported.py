# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses and calls that this server does not have, refused by name."""

from kiln.serve.request import NotFoundError, RequestError

# What clients for Triton may ask for, by the beginning of the address, with what to do instead.
REFUSED = {
    "systemsharedmemory": ("shared memory", "Send tensors in the request."),
    "cudasharedmemory": ("shared memory of CUDA", "Send tensors in the request."),
    "trace": ("trace settings", "Spans are configured with OpenTelemetry where the server starts."),
    "logging": ("log settings", "Logs are configured where the server starts."),
}


class NotAllowedError(RequestError):
    """The address exists, but not with this method."""

    status = 405
    grpc_status = "UNIMPLEMENTED"

    def __init__(self, method: str, allowed: str, path: str) -> None:
        super().__init__(f"[protocol] {path}: expected the method {allowed}, got {method}.")
        self.allowed = allowed


class ForbiddenError(RequestError):
    """The server was not told to let clients do this."""

    status = 403
    grpc_status = "PERMISSION_DENIED"


def check_control(allowed: bool, what: str) -> None:
    """Raises ForbiddenError unless clients may load and unload models."""
    if not allowed:
        raise ForbiddenError(
            f"[protocol] {what}: this server does not let clients load and unload models. Set"
            " model_control in its configuration, or change its models there."
        )


class UnsupportedError(RequestError):
    """An extension of the protocol that the server does not have."""

    status = 501
    grpc_status = "UNIMPLEMENTED"


def unsupported(what: str) -> UnsupportedError:
    """The error for one of the names in REFUSED."""
    name, remedy = REFUSED[what]
    return UnsupportedError(f"[protocol] {name}: this server has none. {remedy}")


def refused_path(path: str) -> "RequestError | None":
    """The error for an address that only Triton has; None for others."""
    parts = path.strip("/").split("/")
    if parts[:2] == ["v2", "models"] and parts[-2:] == ["trace", "setting"]:
        return unsupported("trace")
    if len(parts) > 1 and parts[0] == "v2" and parts[1] in REFUSED:
        return unsupported(parts[1])
    return None


def unknown_path(path: str) -> NotFoundError:
    """The error for an address that nobody has."""
    return NotFoundError(
        f"[protocol] {path}: expected an address of the Open Inference Protocol, such as"
        " /v2/models/NAME/infer. GET / lists those of this server."
    )
