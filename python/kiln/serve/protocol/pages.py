# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What people see who open the server with a browser or curl."""

import math
from typing import TYPE_CHECKING, Any

from kiln.serve.protocol import describe
from kiln.serve.protocol.types import numpy_type
from kiln.serve.request import BadRequestError
from kiln.serve.signature import TensorSpec

if TYPE_CHECKING:
    from kiln.serve.model import Model
    from kiln.serve.models import Models

METRICS_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
_MAX_SHOWN = 64  # elements of an example


def base(scope: Any) -> str:
    """The address that a client used, as far as it told."""
    headers = dict(scope["headers"])
    host = headers.get(b"host", b"localhost").decode("latin-1")
    return f"{scope.get('scheme', 'http')}://{host}{scope.get('root_path', '')}"


async def welcome(models: "Models", name: str, address: str) -> dict[str, Any]:
    """The models of the server with their addresses, and a line for each that one can try."""
    found = []
    for model in models.loaded():
        place = f"{address}/v2/models/{model.name}"
        entry = {"name": model.name, "version": model.version, "address": place}
        found.append(entry | {"try": example(model, place)})
    loaded = {entry["name"] for entry in found}
    found += [
        {"name": other, "address": f"{address}/v2/models/{other}"}
        for other in models.names()
        if other not in loaded
    ]
    return describe.server(name) | {"ready": models.ready(), "models": found}


def example(model: "Model", place: str) -> str:
    """A command that sends the smallest request; without data if that is large."""
    profile = model.signature.profiles[0]
    shapes = {spec.name: profile[spec.name].low for spec in model.signature.inputs}
    if sum(map(math.prod, shapes.values())) > _MAX_SHOWN:
        return f"curl {place}"
    inputs = (
        f'"{spec.name}": {_zeros(spec, shapes[spec.name])}' for spec in model.signature.inputs
    )
    return f"curl {place}/infer -d '{{\"inputs\": {{{', '.join(inputs)}}}}}'"


def _zeros(spec: TensorSpec, shape: tuple[int, ...]) -> str:
    text = {"b": "false", "i": "0", "u": "0"}.get(numpy_type(spec.dtype).kind, "0.0")
    for extent in reversed(shape):
        text = f"[{', '.join([text] * extent)}]"
    return text


def refuse_load_options(parameters: "dict[str, Any]") -> None:
    """Raises BadRequestError if a load request brings a configuration or files."""
    if parameters:
        raise BadRequestError(
            f"[protocol] load: expected no parameters, got {', '.join(parameters)}. The server"
            " loads what it was deployed with: change its configuration for another plan."
        )
