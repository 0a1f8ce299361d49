# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""--sparsity: enable changes nothing, force zeroes two of each four weights."""

import json

import numpy as np
import pytest
from trtexec_models import FLOAT, save_model

from onnx import TensorProto, helper

RNG = np.random.default_rng(3)


def pruned(weights, axis):
    """The two largest of each four along an axis; a remainder stays."""
    moved = np.moveaxis(weights.copy(), axis, -1)
    whole = moved.shape[-1] // 4 * 4
    fours = moved[..., :whole].reshape(*moved.shape[:-1], -1, 4)
    order = np.argsort(np.abs(fours), axis=-1)
    kept = fours.copy()
    np.put_along_axis(kept, order[..., :2], 0, axis=-1)
    moved = np.concatenate([kept.reshape(*moved.shape[:-1], whole), moved[..., whole:]], axis=-1)
    return np.moveaxis(moved, -1, axis)


@pytest.fixture
def values_of(quick_run, tmp_path):
    """The output y of a model for an input and options."""

    def run(model, x, *options):
        source, target = tmp_path / "x.raw", tmp_path / "y.json"
        x.tofile(source)
        ran = quick_run(
            f"--onnx={model}", f"--loadInputs=x:{source}", f"--exportOutput={target}", *options
        )
        assert ran.code == 0, ran.out + ran.err
        return np.array(json.loads(target.read_text())[0]["values"])

    return run


def product(tmp_path, kind):
    """x times weights of 11 x 6, as MatMul, Gemm with its operand transposed, or 1 x 1 windows."""
    weights = RNG.standard_normal((11, 6)).astype(np.float32)
    node, stored, shape = {
        "MatMul": (helper.make_node("MatMul", ["x", "w"], ["y"]), weights, [3, 11]),
        "Gemm": (helper.make_node("Gemm", ["x", "w"], ["y"], transB=1), weights.T, [3, 11]),
        "Conv": (helper.make_node("Conv", ["x", "w"], ["y"]), weights.T[:, :, None, None],
                 [3, 11, 1, 1]),
    }[kind]  # fmt: skip
    out = [3, 6, 1, 1] if kind == "Conv" else [3, 6]
    path = save_model(
        tmp_path / "m.onnx", [node], {"x": (FLOAT, shape)}, {"y": (FLOAT, out)},
        {"w": np.ascontiguousarray(stored)},
    )  # fmt: skip
    return path, weights


@pytest.mark.parametrize("kind", ["MatMul", "Gemm", "Conv"])
def test_force(values_of, tmp_path, kind):
    path, weights = product(tmp_path, kind)
    x = RNG.standard_normal((3, 11)).astype(np.float32)
    for option, used in (("disable", weights), ("enable", weights), ("force", pruned(weights, 0))):
        got = values_of(path, x, f"--sparsity={option}")
        np.testing.assert_allclose(got, (x @ used).ravel(), rtol=1e-5, atol=1e-5)


def test_force_in_half_precision(values_of, tmp_path):
    weights = RNG.standard_normal((8, 4)).astype(np.float16)
    half = TensorProto.FLOAT16
    path = save_model(
        tmp_path / "m.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])],
        {"x": (half, [2, 8])}, {"y": (half, [2, 4])}, {"w": weights},
    )  # fmt: skip
    x = RNG.standard_normal((2, 8)).astype(np.float16)
    got = values_of(path, x, "--sparsity=force", "--stronglyTyped")
    want = x.astype(np.float64) @ pruned(weights, 0).astype(np.float64)
    np.testing.assert_allclose(got, want.ravel(), rtol=2e-3, atol=2e-3)
