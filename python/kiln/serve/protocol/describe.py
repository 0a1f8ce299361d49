# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What clients may ask about the server and its models, as JSON values.

gRPC's messages have the same fields, so both protocols say the same.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import kiln
from kiln.serve.protocol.types import config_type, datatype
from kiln.serve.signature import TensorSpec

if TYPE_CHECKING:
    from kiln.serve.model import Model
    from kiln.serve.models import Models

PLATFORM = "kiln_plan"
EXTENSIONS = [
    "binary_tensor_data",
    "classification",
    "model_configuration",
    "model_repository",
    "model_repository(unload_dependents)",
    "statistics",
]


def server(name: str) -> dict[str, Any]:
    """Name and version of the server, and the extensions of the protocol that it has."""
    return {"name": name, "version": kiln.kiln_version, "extensions": EXTENSIONS}


def _tensors(tensors: "Iterable[TensorSpec]") -> list[dict[str, Any]]:
    return [
        {"name": t.name, "datatype": datatype(t.dtype), "shape": list(t.shape)} for t in tensors
    ]


def metadata(model: "Model") -> dict[str, Any]:
    """Names, types and shapes of a model; the shapes include the batch."""
    return {
        "name": model.name,
        "versions": list(model.versions),
        "platform": PLATFORM,
        "inputs": _tensors(model.signature.inputs),
        "outputs": _tensors(model.signature.outputs),
    }


def profiles(model: "Model") -> list[dict[str, Any]]:
    """The shapes that each optimization profile takes, for people who read the metadata."""
    return [
        {name: {"min": r.low, "best": r.best, "max": r.high} for name, r in profile.items()}
        for profile in model.signature.profiles
    ]


def config(model: "Model") -> dict[str, Any]:
    """The model configuration: as clients that size their batches by it expect.

    Shapes ("dims") are without the batch where max_batch_size is above 0.
    """
    signature, batching = model.signature, model.config.batching
    first = int(signature.batch)
    limit = signature.max_batch if signature.batch else 0

    def tensors(specs: "Iterable[TensorSpec]") -> list[dict[str, Any]]:
        return [
            {"name": t.name, "data_type": config_type(t.dtype), "dims": list(t.shape[first:])}
            for t in specs
        ]

    found = {
        "name": model.name,
        "platform": PLATFORM,
        "backend": "kiln",
        "version_policy": {"latest": {"num_versions": 1}},
        "max_batch_size": limit,
        "input": tensors(signature.inputs),
        "output": tensors(signature.outputs),
    }
    if signature.batch and batching.max_size != 1:
        found["dynamic_batching"] = {
            "preferred_batch_size": [min(batching.max_size or limit, limit)],
            "max_queue_delay_microseconds": round(batching.max_wait_ms * 1000),
        }
    return found


def index(models: "Models", only_ready: bool = False) -> list[dict[str, Any]]:
    """The models of the deployment with their state."""
    versions = {model.name: model.version for model in models.loaded()}
    found = []
    for name in models.names():
        ready = models.ready(name)
        entry = {"name": name, "version": versions.get(name, "")}
        entry |= {"state": "READY" if ready else "UNAVAILABLE"}
        if not ready:
            entry["reason"] = "unloaded" if name not in versions else "loading"
        if ready or not only_ready:
            found.append(entry)
    return found
