# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Gather: each mode, shared axes, indices from the end and out of range, every type."""

import numpy as np
import tensorrt as trt
from case import Case

TYPES = (np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)


def _take(data, indices, axis):
    """np.take that gives zeros for indices out of range."""
    extent = data.shape[axis]
    valid = (indices >= -extent) & (indices < extent)
    if extent == 0:
        return np.zeros(data.shape[:axis] + indices.shape + data.shape[axis + 1 :], data.dtype)
    result = np.take(data, np.where(valid, indices, 0), axis)
    mask = valid.reshape((1,) * axis + valid.shape + (1,) * (data.ndim - axis - 1))
    return np.where(mask, result, np.zeros((), data.dtype))


def _slices(axis, shared=0):
    def expected(x):
        if shared == 0:
            return _take(x[0], x[1], axis)
        parts = [_take(d, i, axis - 1) for d, i in zip(x[0], x[1], strict=True)]
        return np.stack(parts) if parts else np.zeros((0, *x[1].shape[1:]), x[0].dtype)

    return expected


def _elements(x):
    """Along the last axis."""
    extent = x[0].shape[-1]
    valid = (x[1] >= -extent) & (x[1] < extent)
    return np.where(valid, np.take_along_axis(x[0], np.where(valid, x[1], 0), -1), 0).astype(
        x[0].dtype
    )


def _tuples(shared):
    def pick(data, indices):
        flat = indices.reshape(-1, indices.shape[-1])
        picked = [data[tuple(i)] for i in flat]
        return np.array(picked, data.dtype).reshape(
            indices.shape[:-1] + data.shape[indices.shape[-1] :]
        )

    def expected(x):
        if shared == 0:
            return pick(*x)
        return np.stack([pick(d, i) for d, i in zip(x[0], x[1], strict=True)])

    return expected


def _case(name, shapes, expected, mode="DEFAULT", axis=0, shared=0, index=(np.int32, 0, 2),
          types=TYPES, **more):  # fmt: skip
    def build(network, x, _):
        if mode == "DEFAULT" and shared == 0:
            return network.add_gather(x[0], x[1], axis).get_output(0)
        layer = network.add_gather_v2(x[0], x[1], getattr(trt.GatherMode, mode))
        layer.axis, layer.num_elementwise_dims = axis, shared
        return layer.get_output(0)

    return Case(name, shapes, build, expected, types=types, low=0, high=9, others={1: index},
                **more)  # fmt: skip


WIDE = (np.int64, -5, 5)  # some from the end, some out of range
CASES = [
    _case("rows", [((3, 4), (5,)), ((8, 4), (2,))], _slices(0)),
    _case("scalar", [((3, 4, 2), ()), ((3, 7, 2), ())], _slices(1), axis=1),
    _case("matrix_of_indices", [((2, 3, 4), (2, 3)), ((2, 9, 4), (2, 1))], _slices(1), axis=1),
    _case("int64_any_index", [((2, 3, 4), (40,)), ((2, 0, 4), (3,))], _slices(1), axis=1,
          index=WIDE),
    _case("long_rows", [((4, 70), (30,)), ((4, 132), (40,))], _slices(0), index=WIDE),
    _case("rows_of_pieces", [((4, 250), (37,)), ((3, 60), (9,))], _slices(0), index=WIDE,
          any_address=True),
    _case("shared_pieces", [((2, 5, 3, 50), (2, 7)), ((1, 2, 1, 100), (1, 3))], _slices(2, 1),
          axis=2, shared=1, index=(np.int32, -4, 4)),
    _case("tuples_of_pieces", [((3, 4, 52), (6, 2)), ((3, 9, 124), (1, 2))], _tuples(0), "ND"),
    _case("rows_of_words", [((4, 64), (170,)), ((9, 48), (3,))], _slices(0), index=WIDE),
    _case("shared_words", [((2, 3, 16), (2, 5)), ((3, 6, 32), (3, 40))], _slices(1, 1), axis=1,
          shared=1, index=WIDE),
    _case("last_axis", [((2, 3, 4), (6,))], _slices(2), axis=2),
    _case("shared", [((2, 3, 4), (2, 5)), ((4, 3, 4), (4, 1))], _slices(1, 1), axis=1, shared=1),
    _case("shared_behind", [((2, 3, 4), (2, 5))], _slices(2, 1), axis=2, shared=1),
    _case("elements", [((3, 4, 5), (2, 7, 5)), ((3, 8, 5), (1, 1, 1))],
          lambda x: np.take_along_axis(x[0][: x[1].shape[0], :, : x[1].shape[2]], x[1], 1),
          "ELEMENT", axis=1),
    _case("many_rows_of_elements", [((2, 260, 33), (2, 260, 40)), ((3, 100, 64), (3, 100, 17))],
          _elements, "ELEMENT", axis=2, index=(np.int32, -40, 40)),
    _case("few_rows_of_elements", [((2, 32), (2, 30000))], _elements, "ELEMENT", axis=1,
          index=(np.int64, -40, 40), types=(np.float16,)),
    _case("tuples", [((3, 4, 5), (6, 2)), ((3, 9, 5), (1, 2))], _tuples(0), "ND"),
    _case("whole_tuples", [((3, 4), (2, 3, 2))], _tuples(0), "ND", index=(np.int64, -3, 2)),
    _case("shared_tuples", [((2, 3, 4), (2, 5, 1)), ((3, 3, 4), (3, 2, 1))], _tuples(1), "ND",
          shared=1),
]  # fmt: skip
