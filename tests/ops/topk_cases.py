# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""TopK: values and indices, each axis, ties, k as a shape tensor, short and long lanes."""

import numpy as np
import tensorrt as trt
from case import Case

TYPES = (np.float32, np.float16, np.int32, np.int64, np.int8, np.uint8)
MAX, MIN = trt.TopKOperation.MAX, trt.TopKOperation.MIN


def ranked(x, axis, smallest):
    """Indices by falling (rising) value, then by rising index; NaN counts as the largest."""
    key = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(np.int64)
    key = np.where(np.isnan(key), np.inf, key) if x.dtype.kind == "f" else key
    return np.argsort(key if smallest else -key, axis=axis, kind="stable")


def _case(name, shapes, axis=-1, k=None, op=MAX, output=0, low=-3, high=3, types=TYPES,
          wide=False, **more):  # fmt: skip
    """With k None, it is the second extent of the input, as a shape tensor."""
    axis %= len(shapes[0][0])

    def build(network, x, _):
        index = trt.int64 if wide else trt.int32
        layer = network.add_topk(x[0], op, k or 0, 1 << axis, index)
        if k is None:
            extents = network.add_shape(x[0]).get_output(0)
            one = network.add_slice(extents, (1,), (1,), (1,)).get_output(0)
            scalar = network.add_shuffle(one)
            scalar.reshape_dims = ()
            layer.set_input(1, scalar.get_output(0))
        return layer.get_output(output)

    def expected(x):
        order = ranked(x[0], axis, op == MIN)
        order = np.take(order, np.arange(x[0].shape[1] if k is None else k), axis)
        if output == 1:
            return order.astype(np.int64 if wide else np.int32)
        return np.take_along_axis(x[0], order, axis)

    return Case(name, shapes, build, expected, types=types, low=low, high=high, **more)


FEW = (np.float32, np.float16, np.int64)
CASES = [
    _case("values", [((5, 40),), ((9, 700),)], k=7),
    _case("indices", [((5, 40),), ((9, 700),)], k=7, output=1),
    _case("smallest", [((5, 40),), ((2, 33),)], k=20, op=MIN),
    _case("smallest_indices", [((3, 50),)], k=33, op=MIN, output=1, wide=True),
    _case("none", [((3, 5),), ((0, 8),)], k=0),
    _case("all", [((3, 17),)], k=17, output=1),
    _case("one", [((4, 1),), ((0, 1),)], k=1, output=1),
    _case("best_of_rows", [((5, 1000),), ((40, 77),)], k=1, output=1, low=-100, high=100),
    _case("best_of_long_rows", [((3, 4500),), ((2, 20000),), ((2, 30001),)], k=1, output=1,
          low=-60000, high=60000, types=FEW),
    _case("best_of_columns", [((2, 21, 300),), ((3, 600, 7),)], axis=1, k=1, output=1, types=FEW),
    _case("least_of_columns", [((2, 40, 5),)], axis=1, k=1, op=MIN),
    _case("first_axis", [((20, 3),), ((50, 40),)], axis=0, k=6, output=1),
    _case("middle_axis", [((2, 90, 3),), ((1, 2000, 21),)], axis=1, k=50, output=1, types=FEW),
    _case("k_tensor", [((40, 3),), ((100, 77),)], axis=0, output=1, types=FEW),
    _case("medium", [((6, 3000),)], k=40, output=1, low=-100, high=100),
    _case("many", [((3, 5000),), ((5, 2500),), ((2, 30000),)], k=2500, output=1, types=FEW),
    _case("many_values", [((2, 9001),)], k=9001, types=(np.float16,)),
    _case("many_smallest", [((4100, 3),)], axis=0, k=2049, op=MIN, output=1, types=FEW),
    _case("many_equal", [((2, 9000),)], k=4097, output=1, low=0, high=1, types=FEW),
    _case("many_of_parts", [((1, 1100000),)], k=2100, output=1, low=-60000, high=60000,
          types=(np.float16,)),
    _case("long_lane", [((1, 70000),), ((3, 140000),)], k=9, output=1, types=FEW),
    _case("long_lane_values", [((2, 70000),)], k=300, low=-60000, high=60000, types=FEW),
    _case("equal", [((2, 9000),)], k=1000, output=1, low=0, high=0, types=FEW),
    _case("not_a_number", [((4, 6),)], k=4, output=1, types=(np.float32, np.float16),
          values={0: [1, np.nan, -0.0, 0.0, np.inf, -np.inf]}),
    _case("best_of_equal", [((3, 2100),), ((40, 60),)], k=1, output=1, low=0, high=1, types=FEW),
    _case("best_of_lowest", [((4, 6),)], k=1, op=MIN, output=1, types=(np.float32, np.float16),
          values={0: [np.nan, np.nan, 5, np.nan, np.inf, 5]}),
    _case("best_of_nothing_else", [((4, 6),)], k=1, op=MIN, output=1, types=(np.float32,),
          values={0: [np.nan] * 6}),
    _case("best_not_a_number", [((4, 6),)], k=1, output=1, types=(np.float32, np.float16),
          values={0: [1, np.nan, -0.0, 0.0, np.inf, -np.inf]}),
    _case("smallest_not_a_number", [((4, 6),)], k=6, op=MIN, types=(np.float32, np.float16),
          output=1, values={0: [1, np.nan, -0.0, 0.0, 5, -np.inf]}),
]  # fmt: skip
