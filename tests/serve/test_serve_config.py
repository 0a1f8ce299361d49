# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Configurations from plain values, and the short forms that they may have."""

import pytest
from kiln.serve import Batching, Crop, ModelConfig, Pad, ServeConfig
from kiln.serve.config import from_dict, to_dict
from kiln.serve.values import config_of

WHOLE = ServeConfig(
    models=(
        ModelConfig(
            plan="a.plan",
            name="a",
            version="3",
            plugins=("p.py",),
            allow_python_source=True,
            batching=Batching(
                max_size=4, pad={"x": Pad(1, 2.5)}, crop={"y": Crop(1, "x", 1)}, timeout_ms=30.0
            ),
            workers=2,
        ),
        ModelConfig(plan=b"bytes"),
    ),
    memory_limit=1 << 30,
    replicas={"min_replicas": 1, "max_replicas": 4},
    num_gpus=0.5,
    options={"max_replicas_per_node": 1},
)


@pytest.mark.parametrize("defaults", [True, False])
def test_plain_values_come_back(defaults):
    assert from_dict(ServeConfig, to_dict(WHOLE, defaults)) == WHOLE


def test_without_defaults_only_what_was_set():
    config = ServeConfig(models=(ModelConfig("a.plan", batching=Batching(max_queue=5)),))
    assert to_dict(config, False) == {"models": [{"plan": "a.plan", "batching": {"max_queue": 5}}]}


def test_short_forms():
    assert config_of({"plan": "a.plan", "name": "m", "replicas": 2}) == ServeConfig(
        models=(ModelConfig("a.plan", name="m"),), replicas=2
    )
    config = config_of({"models": ["a.plan", {"plan": "b", "version": 2}, ModelConfig("c")]})
    assert [m.plan for m in config.models] == ["a.plan", "b", "c"]
    assert config.models[1].version == "2"
    assert config_of(config) is config


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"plan": "a", "replica": 2}, "ServeConfig, got 'replica'. Did you mean 'replicas'?"),
        ({"models": [{"pln": 1}]}, r"serve.models[0]: expected fields of ModelConfig, got 'pln'."),
        ({"models": [{"name": "a"}]}, "models[0]: ModelConfig needs the field 'plan'"),
        ({"models": []}, "models: expected at least one model"),
        ({"models": "a.plan"}, "models: expected a list of models, got a str"),
        ({"plan": "a", "num_cpus": "x"}, "num_cpus: expected a number, got 'x' (str)"),
        ({"plan": "a", "replicas": True}, "an integer or a dictionary, got True (bool)"),
        ({"plan": "a", "cuda_graphs": 1}, "cuda_graphs: expected true or false, got 1 (int)"),
        ({"plan": "a", "plugins": "p.py"}, "plugins: expected a list, got 'p.py' (str)"),
        ({"plan": "a", "plugins": [3]}, "plugins[0]: expected a text, got 3 (int)"),
        ({"plan": "a", "batching": 3}, "batching: expected a dictionary with the fields of Bat"),
        ({"plan": "a", "batching": {"pad": {"x": {}}}}, "pad.x: Pad needs the field 'axis'"),
        ({"plan": 5}, "plan: expected a text or a path, got 5 (int)"),
        (5, "expected a dictionary with the fields of ServeConfig, got 5 (int)"),
    ],
)
def test_wrong_values_are_named(values, text):
    with pytest.raises(ValueError) as error:
        config_of(values)
    assert text in str(error.value)
    assert str(error.value).startswith("[deploy] serve")
