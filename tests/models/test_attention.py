# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention as models write it, exported by torch: recognised, and equal to torch."""

import json
import math
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

HEADS, SIZE, KEYS = 4, 8, 21


def split(x):
    return x.view(x.shape[0], x.shape[1], HEADS, SIZE).transpose(1, 2)


def merge(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], HEADS * SIZE)


def fused(q, k, v, **options):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, **options)


def torch_form(q, k, v):
    return merge(fused(split(q), split(k), split(v)))


def torch_with_mask(q, k, v, mask):
    return merge(fused(split(q), split(k), split(v), attn_mask=(mask - 1.0) * 1e4))


def torch_with_bool_mask(q, k, v, mask):
    return merge(fused(split(q), split(k), split(v), attn_mask=mask > 0.5))


def torch_causal(q, k, v):
    return merge(fused(split(q), split(k), split(v), is_causal=True))


def bert(q, k, v, mask):
    scores = split(q) @ split(k).transpose(-1, -2) / math.sqrt(SIZE)
    return merge(torch.softmax(scores + (mask - 1.0) * 1e4, dim=-1) @ split(v))


def t5(q, k, v, mask):
    scores = split(q) @ split(k).transpose(3, 2)
    scores = scores + mask
    weights = torch.softmax(scores.float(), dim=-1).type_as(scores)
    return merge(weights @ split(v))


def filled(q, k, v, mask):
    scores = (split(q) * SIZE**-0.5) @ split(k).transpose(-1, -2)
    return merge(torch.softmax(scores.masked_fill(mask < 0.5, -torch.inf), dim=-1) @ split(v))


def batched(q, k, v):
    """Heads and batch as one axis."""

    def flat(x):
        return split(x).reshape(-1, x.shape[1], SIZE)

    weights = torch.softmax(torch.bmm(flat(q), flat(k).transpose(1, 2)) * 0.35, dim=-1)
    return merge(torch.bmm(weights, flat(v)).view(q.shape[0], HEADS, -1, SIZE))


def grouped(q, k, v):
    """Two heads of keys and values for four of queries."""

    def repeated(x):
        x = split(x)[:, :2, None].expand(-1, -1, 2, -1, -1)
        return x.reshape(x.shape[0], HEADS, -1, SIZE)

    return merge(fused(split(q), repeated(k), repeated(v)))


FORMS = {
    form.__name__: (form, masked)
    for form, masked in (
        (torch_form, False),
        (torch_with_mask, True),
        (torch_with_bool_mask, True),
        (torch_causal, False),
        (bert, True),
        (t5, True),
        (filled, True),
        (batched, False),
        (grouped, False),
    )
}


class Form(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.form = FORMS[name][0]
        self.projections = torch.nn.ModuleList(
            torch.nn.Linear(HEADS * SIZE, HEADS * SIZE) for _ in range(3)
        )

    def forward(self, x, context, *mask):
        q, k, v = (p(y) for p, y in zip(self.projections, (x, context, context), strict=True))
        return self.form(q, k, v, *mask)


def model(name, batch, queries, keys, dynamic=False):
    masked = FORMS[name][1]

    def inputs(generator):
        data = {
            "x": torch.randn(batch, queries, HEADS * SIZE, generator=generator),
            "context": torch.randn(batch, keys, HEADS * SIZE, generator=generator),
        }
        if masked:
            mask = torch.rand(batch, 1, 1, keys, generator=generator).round()
            mask[..., 0] = 1
            data["mask"] = mask
        return data

    axes = {}
    if dynamic:
        axes = {"x": {0: "batch", 1: "queries"}, "context": {0: "batch", 1: "keys"}}
        if masked:
            axes["mask"] = {0: "batch", 3: "keys"}
    return Model(lambda: Form(name), inputs, dynamic=axes)


def attention_layers(plan, errors):
    """How many layers of the engine do the products and the softmax at once."""
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    names = [
        layer if isinstance(layer, str) else layer["Name"] for layer in json.loads(text)["Layers"]
    ]
    return sum("MatMul_1" in name and "Softmax" in name for name in names)


@pytest.mark.parametrize("name", FORMS)
def test_results_of_each_form(name):
    for batch, queries, keys in ((2, 10, KEYS), (1, 1, KEYS)):
        made = model(name, batch, queries, keys)
        check(made, export_bytes(made))


@pytest.mark.parametrize("name", FORMS)
def test_each_form_in_half(name):
    made = model(name, 2, 10, KEYS)
    check(made, export_bytes(made), tolerance=4e-3, flags=[trt.BuilderFlag.FP16])


@pytest.mark.parametrize("name", FORMS)
def test_each_form_with_dynamic_shapes(name):
    made = model(name, 2, 10, KEYS, dynamic=True)
    shapes = [
        ("x", (1, 1, 32), (2, 10, 32), (4, 40, 32)),
        ("context", (1, 1, 32), (2, KEYS, 32), (4, 40, 32)),
    ]
    if FORMS[name][1]:
        shapes.append(("mask", (1, 1, 1, 1), (2, 1, 1, KEYS), (4, 1, 1, 40)))
    errors = Errors()
    plan = build(export_bytes(made), errors, shapes=shapes)
    assert plan is not None, errors.texts
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    for batch, queries, keys in ((2, 10, KEYS), (1, 1, 40), (4, 33, 1)):
        data = model(name, batch, queries, keys).data()
        results = run(engine, {n: value.numpy() for n, value in data.items()})
        wanted = expected(made, data)["output"]
        np.testing.assert_allclose(results["output"], wanted, 0, 2e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("name", FORMS)
def test_one_query_is_one_kernel(name):
    made = model(name, 1, 1, KEYS)
    errors = Errors()
    plan = build(export_bytes(made), errors)
    assert attention_layers(plan, errors) == 1
