# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the machine that deploys has, so that replicas on other machines can say what differs.

All replicas of a deployment must give the same answers: the same Kiln, and the same plans behind
the same paths. The versions of folders are fixed at deployment, so that a replica that starts
later does not serve a version that was added since.
"""

import dataclasses
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kiln
from kiln._messages import coded
from kiln.serve import plans
from kiln.serve.config import ModelConfig, ServeConfig
from kiln.serve.request import LoadError


def pin(config: ServeConfig) -> "tuple[ServeConfig, dict[str, Any]]":
    """The configuration with the versions that the folders have now, and what this machine has.

    A plan that does not exist on this machine, or that only other machines can open, is left to
    the replicas.
    """
    models, seen = [], []
    for model in config.models:
        known = _seen(model)
        if known is not None:
            seen.append(known)
            if Path(os.fspath(model.plan)).is_dir():  # type: ignore[arg-type]
                model = dataclasses.replace(model, version=known["version"])
        models.append(model)
    origin = {"kiln": kiln.kiln_version, "host": socket.gethostname(), "plans": seen}
    return dataclasses.replace(config, models=tuple(models)), origin


def check_origin(origin: "Mapping[str, Any]", config: "ServeConfig | None" = None) -> None:
    """Raises RuntimeError if this machine differs from the one that deployed.

    config: the models whose plans are compared; None: Kiln alone.
    """
    here = socket.gethostname()
    if origin["kiln"] != kiln.kiln_version:
        raise coded(
            RuntimeError,
            f"[deploy] this node ({here}) has Kiln {kiln.kiln_version}, and the deployment was "
            f"made with Kiln {origin['kiln']} on {origin['host']}. Install the same version on "
            "every node.",
        )
    known = {(plan["plan"], plan["version"]): plan["digest"] for plan in origin["plans"]}
    for model in config.models if config is not None else ():
        if isinstance(model.plan, bytes):
            continue
        digest = known.get((str(model.plan), model.version or "1"))
        if digest is None:
            continue
        found = plans.find(model)
        if found.digest != digest:
            raise coded(
                RuntimeError,
                f"[deploy] this node ({here}) has another plan behind '{model.plan}', version "
                f"{found.version}: its digest is {found.digest[:16]}, that on {origin['host']} is "
                f"{digest[:16]}. Copy the same file to every node, or pass the bytes of the plan.",
            )


def _seen(model: ModelConfig) -> "dict[str, Any] | None":
    if isinstance(model.plan, bytes) or not Path(model.plan).exists():
        return None
    try:
        found = plans.find(model)
    except LoadError:
        return None
    return {"plan": str(model.plan), "version": found.version, "digest": found.digest}
