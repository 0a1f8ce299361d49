# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Small variants of the models of benchmarks/models: ONNX from torch, compared with torch."""

import sys
from pathlib import Path

import kiln as trt
import numpy as np
import onnxruntime
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

from export import export_bytes  # noqa: E402
from inputs import image  # noqa: E402
from model import Model  # noqa: E402
from model_checks import (  # noqa: E402
    as_arrays,
    check,
    check_extents,
    compare,
    expected,
    missing_operators,
    open_engine,
    run,
)
from small import SMALL  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")  # torch is loaded once


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(6, 8, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


def upsampling(mode):
    return lambda: torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.Upsample(scale_factor=2, mode=mode)
    )


def sequence(generator):
    return {"x": torch.randn(2, 5, 6, generator=generator)}


# Parts of well-known models that the networks of the benchmarks do not have.
PARTS = {
    "deconvolution": Model(lambda: torch.nn.ConvTranspose2d(3, 4, 2, 2), image(1, 8)),
    "group_norm": Model(
        lambda: torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.GroupNorm(2, 8)),
        image(2, 8),
    ),
    "instance_norm": Model(lambda: torch.nn.InstanceNorm2d(3, affine=True), image(2, 8)),
    "lstm": Model(Recurrent, sequence),
    "upsample_nearest": Model(upsampling("nearest"), image(1, 8)),
    "upsample_bilinear": Model(upsampling("bilinear"), image(1, 8)),
}

# The operators that keep a model from being parsed. A model runs as soon as Kiln has them, and the
# test then fails until the row is removed.
MISSING = {}

# Rounding to 8 bits changes the results; the largest differences here are 0.05.
QUANTIZATION_ERROR = 0.1

MODELS = {**SMALL, **PARTS}


def reference(serialized, model):
    """The outputs by name, from ONNX Runtime without fused operators."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(serialized, options)
    results = session.run(list(model.outputs), as_arrays(model.data()))
    return dict(zip(model.outputs, results, strict=True))


def skip_if_missing(name, serialized):
    missing = missing_operators(serialized)
    assert missing == MISSING.get(name, set())
    if missing:
        pytest.skip(f"{name} needs {', '.join(sorted(missing))}")


@pytest.mark.parametrize("opset", [17, 20])
@pytest.mark.parametrize("name", [name for name in MODELS if not MODELS[name].change])
def test_small_model(name, opset):
    model = MODELS[name]
    serialized = export_bytes(model, opset)
    if opset == 17:  # once is enough to know that the file says what the module does
        compare(reference(serialized, model), expected(model, model.data()), 2e-6)
    skip_if_missing(name, serialized)
    check_extents(model, serialized)


@pytest.mark.parametrize("name", [name for name in SMALL if SMALL[name].change])
def test_quantized_model(name):
    model = SMALL[name]
    serialized = export_bytes(model)
    skip_if_missing(name, serialized)
    results = run(open_engine(serialized), as_arrays(model.data()))
    compare(results, reference(serialized, model), 1e-5)
    compare(results, expected(model, model.data()), QUANTIZATION_ERROR)


@pytest.mark.parametrize(("name", "tolerance"), [("bert", 0.03), ("whisper", 0.03)])
def test_small_model_in_bfloat16(name, tolerance):
    model = MODELS[name]
    # bfloat16 rounds to 8 bits; errors of some layers add up.
    check(model, export_bytes(model), tolerance=tolerance, flags=[trt.BuilderFlag.BF16])


def test_dynamic_model_at_other_shapes():
    model = MODELS["bert_dynamic"]
    engine = open_engine(export_bytes(model), shapes=model.profile())
    for shape in ((1, 2), (3, 7), (4, 16)):
        ids = torch.arange(shape[0] * shape[1]).reshape(shape) % 50
        values = (ids, torch.ones_like(ids), torch.zeros_like(ids))
        data = dict(zip(model.dynamic, values, strict=True))
        results = run(engine, as_arrays(data))
        for name, wanted in expected(model, data).items():
            np.testing.assert_allclose(results[name], wanted, 0, 2e-6 * np.abs(wanted).max())
