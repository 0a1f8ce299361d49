# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Gated MLPs as models write them, exported by torch: equal to torch, and few layers."""

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

functional = torch.nn.functional

ACTIVATIONS = {
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "relu": functional.relu,
    "sigmoid": torch.sigmoid,
}


class Gated(torch.nn.Module):
    """`form`: two products, or one whose result is split in `halves` or in `swapped` halves."""

    def __init__(self, activation, form, inner, width, bias):
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.form = form
        if form == "apart":
            self.gate = torch.nn.Linear(inner, width, bias=bias)
            self.up = torch.nn.Linear(inner, width, bias=bias)
        else:
            self.both = torch.nn.Linear(inner, 2 * width, bias=bias)
        self.down = torch.nn.Linear(width, inner, bias=bias)

    def forward(self, x):
        if self.form == "apart":
            return self.down(self.up(x) * self.activation(self.gate(x)))
        gate, up = self.both(x).chunk(2, dim=-1)
        if self.form == "swapped":
            gate, up = up, gate
        return self.down(self.activation(gate) * up)


def model(activation, form, rows, inner=24, width=40, bias=False, dynamic=False):
    def inputs(generator):
        return {"x": torch.randn(2, rows, inner, generator=generator)}

    axes = {"x": {1: "rows"}} if dynamic else {}
    return Model(lambda: Gated(activation, form, inner, width, bias), inputs, dynamic=axes)


FORMS = ("apart", "halves", "swapped")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_each_form_with_each_activation(activation, form):
    for rows, bias in ((1, True), (33, False)):
        made = model(activation, form, rows, bias=bias)
        check(made, export_bytes(made))


@pytest.mark.parametrize("flag", [trt.BuilderFlag.FP16, trt.BuilderFlag.BF16])
@pytest.mark.parametrize("form", FORMS)
def test_narrow_types(form, flag):
    made = model("silu", form, 33, bias=True)
    check(made, export_bytes(made), tolerance=2e-2, flags=[flag])


@pytest.mark.parametrize("form", FORMS)
def test_dynamic_rows(form):
    made = model("silu", form, 5, bias=True, dynamic=True)
    errors = Errors()
    plan = build(export_bytes(made), errors, shapes=[("x", (2, 1, 24), (2, 5, 24), (2, 40, 24))])
    assert plan is not None, errors.texts
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    for rows in (1, 5, 40):
        data = model("silu", form, rows).data()
        results = run(engine, {n: value.numpy() for n, value in data.items()})
        wanted = expected(made, data)["output"]
        np.testing.assert_allclose(results["output"], wanted, 0, 2e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("form", FORMS)
def test_no_layer_copies_halves(form):
    made = model("silu", form, 64, inner=64, width=128)
    errors = Errors()
    plan = build(export_bytes(made), errors)
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    assert engine.num_layers == 3
