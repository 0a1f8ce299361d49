# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Layer and RMS normalization as models write them: recognised, and equal to torch."""

import json
import sys
from pathlib import Path

import kiln as trt
import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))

from export import export_bytes  # noqa: E402
from model import Model  # noqa: E402
from model_checks import Errors, build, check, expected, run  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")

WIDTH = 48


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(0.5, 1.5, WIDTH))
        self.bias = torch.nn.Parameter(torch.linspace(-1, 1, WIDTH))


class LayerNorm(torch.nn.LayerNorm):
    """From its parts before operator set 17."""

    def __init__(self):
        super().__init__(WIDTH)


class NoAffine(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.layer_norm(x, (WIDTH,))


class ByHand(Part):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return self.weight * (d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-6)) + self.bias


class T5(Part):
    def forward(self, x):
        variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + 1e-6)).to(self.weight.dtype)


class Llama(Part):
    def forward(self, x):
        wide = x.to(torch.float32) if x.dtype != torch.float64 else x
        variance = wide.pow(2).mean(-1, keepdim=True)
        return self.weight * (wide * torch.rsqrt(variance + 1e-6)).to(x.dtype)


FORMS = {form.__name__: form for form in (LayerNorm, NoAffine, ByHand, T5, Llama)}


def model(name, *shape, dynamic=False):
    return Model(
        FORMS[name],
        lambda generator: {"x": 3.0 * torch.randn(*shape, WIDTH, generator=generator) + 0.5},
        dynamic={"x": {0: "batch", 1: "length"}} if dynamic else {},
    )


def layers(plan):
    engine = trt.Runtime(Errors()).deserialize_cuda_engine(plan)
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    return json.loads(text)["Layers"]


@pytest.mark.parametrize("name", FORMS)
def test_is_one_layer_with_the_results_of_torch(name):
    made = model(name, 2, 7)
    serialized = export_bytes(made, opset=16)
    errors = Errors()
    assert len(layers(build(serialized, errors))) == 1, errors.texts
    check(made, serialized, tolerance=1e-6)


@pytest.mark.parametrize("name", FORMS)
def test_in_half(name):
    made = model(name, 2, 7)
    check(made, export_bytes(made, opset=16), tolerance=2e-3, flags=[trt.BuilderFlag.FP16])


# torch computes the parts of the others in float64 or in two types.
@pytest.mark.parametrize("name", ["ByHand", "Llama"])
def test_exported_in_half(name):
    made = model(name, 2, 7)
    serialized = export_bytes(made, opset=16, dtype=torch.float16)
    errors = Errors()
    plan = build(serialized, errors)
    assert plan is not None, errors.texts
    assert len(layers(plan)) == 1
    data = made.data()
    half = {"x": data["x"].half()}
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    results = run(engine, {"x": half["x"].numpy()})
    wanted = expected(made, {"x": half["x"].float()})["output"]
    np.testing.assert_allclose(
        results["output"].astype(np.float64), wanted, 0, 2e-3 * np.abs(wanted).max()
    )


@pytest.mark.parametrize("name", FORMS)
def test_with_dynamic_shapes(name):
    made = model(name, 2, 7, dynamic=True)
    errors = Errors()
    shapes = [("x", (1, 1, WIDTH), (2, 7, WIDTH), (4, 40, WIDTH))]
    plan = build(export_bytes(made, opset=16), errors, shapes=shapes)
    assert plan is not None, errors.texts
    assert len(layers(plan)) == 1
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    for shape in ((1, 1), (2, 7), (3, 40)):
        data = model(name, *shape).data()
        results = run(engine, {"x": data["x"].numpy()})
        wanted = expected(made, data)["output"]
        np.testing.assert_allclose(results["output"], wanted, 0, 1e-6 * np.abs(wanted).max())
