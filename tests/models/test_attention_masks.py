# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Masks and repeated heads as models write them, exported by torch: recognised, equal to torch."""

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
from test_attention import fused, merge, split  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")

HEADS, SIZE = 4, 8
LEAST = torch.finfo(torch.float32).min


def plain(q, k, v, mask):
    scores = split(q) @ split(k).transpose(2, 3) * 0.35 + mask
    return merge(torch.softmax(scores, -1) @ split(v))


def is_causal(q, k, v):
    return merge(fused(split(q), split(k), split(v), is_causal=True))


def gpt2(q, k, v):
    """Hugging Face: a slice of a constant triangle chooses scores or the least number."""
    scores = split(q) @ split(k).transpose(2, 3) * 0.35
    queries, keys = scores.shape[-2:]
    triangle = torch.ones(64, 64, dtype=torch.bool).tril().view(1, 1, 64, 64)
    kept = triangle[:, :, keys - queries : keys, :keys]
    scores = torch.where(kept, scores, torch.full([], LEAST))
    return merge(torch.softmax(scores, -1) @ split(v))


def llama(q, k, v):
    """Hugging Face: triu of the least number, times a comparison of ranges."""
    queries, keys = q.shape[1], k.shape[1]
    mask = torch.triu(torch.full((queries, keys), LEAST), diagonal=1)
    mask = mask * (torch.arange(keys) > torch.arange(queries).reshape(-1, 1))
    return plain(q, k, v, mask[None, None].expand(q.shape[0], 1, -1, -1))


def from_end(q, k, v):
    """The last query sees all keys."""
    queries, keys = q.shape[1], k.shape[1]
    kept = torch.arange(keys)[None] <= torch.arange(keys - queries, keys)[:, None]
    return merge(fused(split(q), split(k), split(v), attn_mask=kept[None, None]))


def with_padding(q, k, v, padding):
    queries, keys = q.shape[1], k.shape[1]
    kept = torch.arange(keys)[None] <= torch.arange(queries)[:, None]
    mask = kept[None, None] & (padding > 0)
    return merge(fused(split(q), split(k), split(v), attn_mask=mask))


def two_masks(q, k, v, padding):
    queries, keys = q.shape[1], k.shape[1]
    mask = torch.triu(torch.full((queries, keys), -torch.inf), diagonal=1)[None, None]
    return plain(q, k, v, mask + (padding - 1.0) * 1e4)


def repeated(x, count):
    """Hugging Face: repeat_kv."""
    b, h, s, d = x.shape
    return x[:, :, None].expand(b, h, count, s, d).reshape(b, h * count, s, d)


def few(x):
    return x.view(x.shape[0], x.shape[1], -1, SIZE).transpose(1, 2)


def grouped(q, k, v):
    k, v = repeated(few(k), 2), repeated(few(v), 2)
    return merge(torch.softmax(split(q) @ k.transpose(2, 3) * 0.35, -1) @ v)


def interleaved(q, k, v):
    k, v = (few(x).repeat_interleave(2, 1) for x in (k, v))
    return merge(torch.softmax(split(q) @ k.transpose(2, 3) * 0.35, -1) @ v)


def one_head(q, k, v):
    k, v = (few(x).expand(-1, HEADS, -1, -1) for x in (k, v))
    return merge(torch.softmax(split(q) @ k.transpose(2, 3) * 0.35, -1) @ v)


FORMS = {
    form.__name__: (form, padded)
    for form, padded in (
        (is_causal, False),
        (gpt2, False),
        (llama, False),
        (from_end, False),
        (with_padding, True),
        (two_masks, True),
        (grouped, False),
        (interleaved, False),
        (one_head, False),
    )
}
KEY_HEADS = {"grouped": 2, "interleaved": 2, "one_head": 1}
# Forms whose masks, or copies of heads, vanish also if shapes are dynamic.
EITHER = tuple(n for n in FORMS if n not in ("gpt2", "grouped", "interleaved"))


class Form(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.form = FORMS[name][0]

    def forward(self, q, k, v, *mask):
        return self.form(q, k, v, *mask)


def model(name, batch, queries, keys, dynamic=False):
    padded = FORMS[name][1]

    def inputs(generator):
        wide, narrow = HEADS * SIZE, KEY_HEADS.get(name, HEADS) * SIZE
        shapes = {"q": (queries, wide), "k": (keys, narrow), "v": (keys, narrow)}
        data = {n: torch.randn(batch, *s, generator=generator) for n, s in shapes.items()}
        if padded:
            data["padding"] = torch.rand(batch, 1, 1, keys, generator=generator).round()
            data["padding"][..., 0] = 1
        return data

    axes = {}
    if dynamic:
        axes = {n: {0: "batch", 1: "queries" if n == "q" else "keys"} for n in "qkv"}
        axes |= {"padding": {0: "batch", 3: "keys"}} if padded else {}
    return Model(lambda: Form(name), inputs, dynamic=axes)


@pytest.mark.parametrize("name", FORMS)
def test_results(name):
    for queries, keys in ((9, 9), (5, 12), (1, 7)):
        made = model(name, 2, queries, keys)
        check(made, export_bytes(made))


@pytest.mark.parametrize("name", FORMS)
def test_half(name):
    made = model(name, 2, 9, 12)
    check(made, export_bytes(made), tolerance=4e-3, flags=[trt.BuilderFlag.FP16])


def layers(plan):
    engine = trt.Runtime(Errors()).deserialize_cuda_engine(plan)
    return engine.num_layers


# One attention; the padding is compared or scaled by one layer more.
@pytest.mark.parametrize("name", FORMS)
def test_masks_vanish(name):
    made = model(name, 2, 9, 12)
    plan = build(export_bytes(made), Errors())
    assert layers(plan) <= 1 + FORMS[name][1]


@pytest.mark.parametrize("name", FORMS)
def test_dynamic_shapes(name):
    made = model(name, 2, 9, 12, dynamic=True)
    narrow = KEY_HEADS.get(name, HEADS) * SIZE
    shapes = [("q", (1, 1, 32), (2, 9, 32), (4, 40, 32))]
    shapes += [(n, (1, 40, narrow), (2, 40, narrow), (4, 50, narrow)) for n in "kv"]
    if FORMS[name][1]:
        shapes.append(("padding", (1, 1, 1, 40), (2, 1, 1, 40), (4, 1, 1, 50)))
    errors = Errors()
    plan = build(export_bytes(made), errors, shapes=shapes)
    assert plan is not None, errors.texts
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    for batch, queries, keys in ((2, 9, 40), (1, 40, 40), (4, 1, 50)):
        data = model(name, batch, queries, keys).data()
        results = run(engine, {n: value.numpy() for n, value in data.items()})
        wanted = expected(made, data)["output"]
        np.testing.assert_allclose(results["output"], wanted, 0, 2e-6 * np.abs(wanted).max())
    if name in EITHER:
        assert engine.num_layers <= 1 + FORMS[name][1]
