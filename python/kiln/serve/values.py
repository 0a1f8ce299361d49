# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The short forms that configurations may have, and what fields must agree on.

``{"plan": "digits.plan", "replicas": 2}`` is a deployment of one model, a text in the list of
models is a model with that plan.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from kiln._messages import coded
from kiln.serve.config import ModelConfig, ServeConfig, from_dict

_MODEL = {item.name for item in dataclasses.fields(ModelConfig)}


def config_of(values: "ServeConfig | Mapping[str, Any]", where: str = "serve") -> ServeConfig:
    """The configuration of a deployment, in any of its forms.

    Raises ValueError for unknown fields, wrong types and fields that contradict each other.
    """
    if isinstance(values, ServeConfig):
        return values
    if not isinstance(values, Mapping):
        return from_dict(ServeConfig, values, where)  # which says what is wrong
    fields = dict(values)
    if "models" not in fields and "plan" in fields:
        fields["models"] = [{name: fields.pop(name) for name in _MODEL & fields.keys()}]
    if "models" in fields:
        fields["models"] = models_of(fields["models"], f"{where}.models")
    config = from_dict(ServeConfig, fields, where)
    if not config.models:
        raise coded(ValueError, f"[deploy] {where}.models: expected at least one model, got none")
    return config


def models_of(values: Any, where: str) -> "tuple[ModelConfig, ...]":
    """The models of a configuration; a text stands for a model with that plan."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise coded(
            ValueError,
            f"[deploy] {where}: expected a list of models, got a {type(values).__name__}",
        )
    return tuple(_model(value, f"{where}[{i}]") for i, value in enumerate(values))


def _model(value: Any, where: str) -> ModelConfig:
    if isinstance(value, ModelConfig):
        return value
    if isinstance(value, str):
        return ModelConfig(plan=value)
    if isinstance(value, Mapping) and type(value.get("version")) is int:
        value = {**value, "version": str(value["version"])}  # as YAML reads `version: 2`
    return from_dict(ModelConfig, value, where)
