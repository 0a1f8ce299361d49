# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of weights and sums over layers, against NumPy."""

import kiln
import numpy as np
import pytest
from kiln import report


def product_plan(weights, flags=0, bias=None, dtype=kiln.float32):
    """x @ weights + bias, strongly typed."""
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network = builder.create_network(1 << int(kiln.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", dtype, (8, weights.shape[0]))
    none = kiln.MatrixOperation.NONE

    def constant(array, name):
        layer = network.add_constant(array.shape, np.ascontiguousarray(array))
        layer.name = name
        if dtype == kiln.bfloat16:
            return network.add_cast(layer.get_output(0), dtype).get_output(0)
        return layer.get_output(0)

    y = network.add_matrix_multiply(x, none, constant(weights, "w"), none).get_output(0)
    y = network.add_softmax(y).get_output(0)
    if bias is not None:
        sum_ = kiln.ElementWiseOperation.SUM
        y = network.add_elementwise(y, constant(bias, "b"), sum_).get_output(0)
    network.mark_output(y)
    config = builder.create_builder_config()
    config.flags = flags
    return builder.build_serialized_network(network, config)


def statistics(plan):
    """By the first letter of the weights' name."""
    tensors = report.describe(plan)["tensors"]
    return {t["origin"][0]: t.get("statistics") for t in tensors if t["role"] == "constant"}


def expect(found, array):
    finite = array[np.isfinite(array)].astype(np.float64)
    assert found["count"] == array.size
    assert found["zeros"] == (array == 0).sum()
    assert found["not_finite"] == array.size - finite.size
    assert (found["min"], found["max"]) == (finite.min(), finite.max())
    assert found["mean"] == pytest.approx(finite.mean(), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("dtype", [kiln.float32, kiln.float16, kiln.bfloat16])
@pytest.mark.parametrize("columns", [10, 64])
def test_weights(dtype, columns):
    """Whether or not they are packed, and padded for that."""
    rng = np.random.default_rng(0)
    weights = rng.choice([-2.5, 0.0, 0.25, 3.0], (48, columns), p=[0.2, 0.5, 0.2, 0.1])
    bias = np.linspace(1, 2, columns)[None]
    bias[0, :3] = [np.inf, -np.inf, np.nan]
    bias = np.round(bias * 64) / 64  # exact in bfloat16
    kind = np.float16 if dtype == kiln.float16 else np.float32
    weights, bias = weights.astype(kind), bias.astype(kind)
    found = statistics(product_plan(weights, bias=bias, dtype=dtype))
    expect(found["w"], weights)
    expect(found["b"], bias)


def test_values_of_one_sign():
    """Padding of zeros is neither the smallest nor the largest."""
    weights = np.full((48, 10), 1.5, np.float32)
    found = statistics(product_plan(weights))["w"]
    assert found == {
        "count": 480,
        "min": 1.5,
        "max": 1.5,
        "mean": 1.5,
        "zeros": 0,
        "not_finite": 0,
    }


def test_plans_without_weights_have_none():
    flags = 1 << int(kiln.BuilderFlag.STRIP_PLAN)
    assert statistics(product_plan(np.ones((48, 10), np.float32), flags)) == {"w": None}


def test_sums(description):
    layers, sums = description["layers"], description["summary"]
    for list_ in sums.values():
        assert sum(one["layers"] for one in list_) == len(layers)
        together = sum(one["microseconds"] for one in list_)
        assert together == pytest.approx(sum(layer["microseconds"] for layer in layers))
        times = [one["microseconds"] for one in list_]
        assert times == sorted(times, reverse=True)
    assert "product" in [one["name"] for one in sums["kinds"]]
    assert sums["types"][0]["name"] == "float32"
