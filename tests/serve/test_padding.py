# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests joined to one input: small and large parts, any strides, types without buffers."""

import ml_dtypes
import numpy as np
import pytest
from kiln.serve.config import Batching
from kiln.serve.padding import Grouping, Joined
from kiln.serve.request import InferRequest
from kiln.serve.signature import ShapeRange, Signature, TensorSpec

RNG = np.random.default_rng(5)


def filled(parts, extra=0):
    """What `Joined.fill` writes for these parts, with rows behind them."""
    rows = [len(part) for part in parts]
    shape = (sum(rows) + extra, *parts[0].shape[1:])
    requests = [InferRequest({"x": part}) for part in parts]
    into = np.empty(shape, parts[0].dtype)
    Joined(requests, rows, 0, {"x": shape}, Batching(), extra).fill("x", into)
    return into


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("width", [3, 5000])  # below and above the size that is joined as bytes
@pytest.mark.parametrize("counts", [(1, 1), (2, 1, 5), (0, 3)])
def test_parts_follow_each_other(dtype, width, counts):
    parts = [(RNG.random((count, width)) * 100).astype(dtype) for count in counts]
    np.testing.assert_array_equal(filled(parts), np.concatenate(parts))


@pytest.mark.parametrize("width", [4, 5000])
def test_parts_with_strides(width):
    x = RNG.random((6, 2 * width), np.float32)
    parts = [x[:2, ::2], x[::-1, :width], np.asfortranarray(x[3:, width:])]
    np.testing.assert_array_equal(filled(parts), np.concatenate(parts))


def test_rows_behind_repeat_the_last_one():
    parts = [RNG.random((1, 4), np.float32) for _ in range(2)]
    np.testing.assert_array_equal(filled(parts, 2), np.concatenate([*parts, parts[1], parts[1]]))


def test_a_buffer_with_strides_is_filled():
    parts = [RNG.random((1, 4), np.float32) for _ in range(2)]
    requests = [InferRequest({"x": part}) for part in parts]
    whole = np.zeros((2, 8), np.float32)
    Joined(requests, [1, 1], 0, {"x": (2, 4)}, Batching()).fill("x", whole[:, ::2])
    np.testing.assert_array_equal(whole[:, ::2], np.concatenate(parts))
    assert not whole[:, 1::2].any()


def specs(*names):
    return tuple(TensorSpec(name, "float32", (-1, -1)) for name in names)


@pytest.mark.parametrize("names", [("x",), ("x", "z")])
def test_shapes_of_equal_extents_share_a_group(names):
    profile = {name: ShapeRange((1, 1), (4, 8), (8, 16)) for name in names}
    grouping = Grouping(Signature(specs(*names), specs("y"), (profile,), True), Batching())

    def group(rows, width):
        return grouping.group(InferRequest({n: np.zeros((rows, width), "f4") for n in names}))

    assert group(1, 4) is group(3, 4) is group(1, 4) is not None
    assert group(1, 5) is not group(1, 4)
    assert group(9, 4) is None and group(1, 17) is None and group(0, 4) is None
