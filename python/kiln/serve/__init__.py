# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kiln engines behind Ray Serve, spoken to by clients of the Open Inference Protocol.

    import ray.serve
    import kiln.serve

    ray.serve.run(kiln.serve.build({"plan": "digits.plan", "replicas": 2}))

ServeConfig, ModelConfig, Batching, Pad, Crop configure a deployment; build makes an application of
it, app is the same for YAML files, KilnDeployment the deployment class. Model and Models run
engines in one process, without Ray. Predictor runs an engine over data sets of Ray Data.
Needs ``pip install "kilnrt[serve]"``; only build and KilnDeployment import Ray.
"""

import importlib
from typing import TYPE_CHECKING, Any

from kiln._messages import coded

if TYPE_CHECKING:
    from kiln.serve.application import build as app
    from kiln.serve.application import build as build
    from kiln.serve.config import Batching as Batching
    from kiln.serve.config import Crop as Crop
    from kiln.serve.config import ModelConfig as ModelConfig
    from kiln.serve.config import Pad as Pad
    from kiln.serve.config import ServeConfig as ServeConfig
    from kiln.serve.deployment import KilnDeployment as KilnDeployment
    from kiln.serve.model import Model as Model
    from kiln.serve.models import Models as Models
    from kiln.serve.predictor import Predictor as Predictor
    from kiln.serve.request import BadRequestError as BadRequestError
    from kiln.serve.request import InferRequest as InferRequest
    from kiln.serve.request import InferResult as InferResult
    from kiln.serve.request import NotFoundError as NotFoundError
    from kiln.serve.request import OverloadedError as OverloadedError
    from kiln.serve.request import RequestError as RequestError
    from kiln.serve.request import TimedOutError as TimedOutError

_PLACES = {
    "application": ("build",),
    "config": ("Batching", "Crop", "ModelConfig", "Pad", "ServeConfig"),
    "deployment": ("KilnDeployment",),
    "model": ("Model",),
    "models": ("Models",),
    "predictor": ("Predictor",),
    "request": (
        "BadRequestError",
        "InferRequest",
        "InferResult",
        "NotFoundError",
        "OverloadedError",
        "RequestError",
        "TimedOutError",
    ),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [*sorted(_MODULE_OF), "app"]


def __getattr__(name: str) -> Any:
    # At first use, so that clients of the types need neither Ray nor an engine.
    if name == "app":
        return __getattr__("build")
    if name not in _MODULE_OF:
        raise coded(
            AttributeError,
            f"[deploy] kiln.serve: expected one of {', '.join(__all__)}, got '{name}'.",
        )
    return getattr(importlib.import_module(f"kiln.serve.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
