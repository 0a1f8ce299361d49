# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Small variants of the models of benchmarks/models: ONNX from torch, compared with torch."""

import re
import sys
from pathlib import Path

import kiln as trt
import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))

from catalogue import SMALL, Model, image  # noqa: E402
from export import export_bytes  # noqa: E402

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
MISSING = {"lstm": {"LSTM"}}

MODELS = {**SMALL, **PARTS}


class Errors(trt.ILogger):
    def __init__(self):
        super().__init__()
        self.texts = []

    def log(self, severity, message):
        if severity <= trt.ILogger.Severity.ERROR:
            self.texts.append(message)


def build(serialized, errors, flags=(), shapes=()):
    """The plan; None if the model is refused. `shapes`: name, smallest, usual and largest shape."""
    builder = trt.Builder(errors)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, errors)
    if not parser.parse(serialized):
        return None
    config = builder.create_builder_config()
    for flag in flags:
        config.set_flag(flag)
    if shapes:
        profile = builder.create_optimization_profile()
        for name, *bounds in shapes:
            profile.set_shape(name, *bounds)
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)


def run(engine, data):
    """Results by name, for arrays by name."""
    context = engine.create_execution_context()
    arrays = {name: np.ascontiguousarray(array) for name, array in data.items()}
    for name, array in arrays.items():
        assert context.set_input_shape(name, array.shape)
    for i in range(engine.num_io_tensors):
        name = engine.get_tensor_name(i)
        if name not in arrays:
            dtype = trt.nptype(engine.get_tensor_dtype(name))
            arrays[name] = np.empty(tuple(context.get_tensor_shape(name)), dtype)
    for name, array in arrays.items():
        assert context.set_tensor_address(name, array.ctypes.data)
    assert context.execute_async_v3(0)
    return arrays


def expected(model, data):
    """The outputs by name, from torch in float64."""
    module = model.module().double()
    with torch.no_grad():
        result = module(*(v.double() if v.is_floating_point() else v for v in data.values()))
    result = result if isinstance(result, tuple) else (result,)
    return {n: v.numpy() for n, v in zip(model.outputs, result, strict=True)}


def check(model, serialized, data=None, tolerance=2e-6, **settings):
    """Builds and runs; each output differs by `tolerance` of its largest value at most."""
    errors = Errors()
    plan = build(serialized, errors, **settings)
    assert plan is not None, errors.texts
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    data = data or model.data()
    results = run(engine, {name: value.numpy() for name, value in data.items()})
    for name, wanted in expected(model, data).items():
        assert results[name].shape == wanted.shape
        np.testing.assert_allclose(results[name], wanted, 0, tolerance * np.abs(wanted).max())


def missing_operators(serialized):
    """The operators that the parser says it does not support."""
    errors = Errors()
    network = trt.Builder(errors).create_network(0)
    parsed = trt.OnnxParser(network, errors).parse(serialized)
    found = {m.group(1) for m in re.finditer(r"operator (\w+) of ONNX", "\n".join(errors.texts))}
    assert found or parsed, errors.texts
    return found


@pytest.mark.parametrize("opset", [17, 20])
@pytest.mark.parametrize("name", MODELS)
def test_small_model(name, opset):
    model = MODELS[name]
    serialized = export_bytes(model, opset)
    missing = missing_operators(serialized)
    assert missing == MISSING.get(name, set())
    if missing:
        pytest.skip(f"{name} needs {', '.join(sorted(missing))}")
    shapes = [
        (input_name, (1, 2), (2, 10), (4, 16))
        for input_name in model.dynamic
        if input_name in model.data()
    ]
    check(model, serialized, shapes=shapes)


@pytest.mark.parametrize(("name", "tolerance"), [("bert", 0.03), ("whisper", 0.03)])
def test_small_model_in_bfloat16(name, tolerance):
    model = MODELS[name]
    # bfloat16 rounds to 8 bits; errors of some layers add up.
    check(model, export_bytes(model), tolerance=tolerance, flags=[trt.BuilderFlag.BF16])


def test_dynamic_model_at_other_shapes():
    model = MODELS["bert_dynamic"]
    errors = Errors()
    names = ("input_ids", "attention_mask", "token_type_ids")
    shapes = [(name, (1, 2), (2, 10), (4, 16)) for name in names]
    plan = build(export_bytes(model), errors, shapes=shapes)
    assert plan is not None, errors.texts
    engine = trt.Runtime(errors).deserialize_cuda_engine(plan)
    for shape in ((1, 2), (3, 7), (4, 16)):
        ids = torch.arange(shape[0] * shape[1]).reshape(shape) % 50
        data = dict(zip(names, (ids, torch.ones_like(ids), torch.zeros_like(ids)), strict=True))
        results = run(engine, {name: value.numpy() for name, value in data.items()})
        for name, wanted in expected(model, data).items():
            np.testing.assert_allclose(results[name], wanted, 0, 2e-6 * np.abs(wanted).max())
