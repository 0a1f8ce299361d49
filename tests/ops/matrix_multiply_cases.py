# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""MatrixMultiply: plain, transposed and vector operands, broadcast batches."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case

OPERATIONS = {
    "n": trt.MatrixOperation.NONE,
    "t": trt.MatrixOperation.TRANSPOSE,
    "v": trt.MatrixOperation.VECTOR,
}


def _matrix(x, how, left):
    if how == "t":
        return np.swapaxes(x, -1, -2)
    if how == "v":
        return x[..., None, :] if left else x[..., :, None]
    return x


def _case(how, shapes, name=""):
    def build(network, x, _):
        layer = network.add_matrix_multiply(x[0], OPERATIONS[how[0]], x[1], OPERATIONS[how[1]])
        return layer.get_output(0)

    def expected(x):
        result = _matrix(x[0], how[0], True) @ _matrix(x[1], how[1], False)
        if how[1] == "v":
            result = result[..., 0]
        if how[0] == "v":
            result = result[..., 0] if how[1] == "v" else result[..., 0, :]
        return result

    # float32 sums of up to 130 products of magnitude 4.
    return Case(f"{how}{name}", shapes, build, expected, atol=1e-4)


CASES = [
    _case("nn", [((3, 5), (5, 7)), ((1, 5), (5, 7)), ((65, 130), (130, 70))]),
    _case("nt", [((3, 5), (7, 5)), ((49, 5), (7, 5))]),
    _case("tn", [((5, 3), (5, 7)), ((5, 50), (5, 7))]),
    _case("tt", [((5, 3), (7, 5))]),
    _case("nv", [((2, 3, 5), (2, 5)), ((1, 3, 5), (1, 5))]),
    _case("vn", [((2, 5), (2, 5, 7))]),
    _case("vv", [((5,), (5,)), ((129,), (129,))]),
    _case("nn", [((2, 1, 3, 5), (1, 4, 5, 7)), ((3, 1, 3, 5), (3, 4, 5, 7))], "_batches"),
    _case("nn", [((0, 5), (5, 7))], "_empty"),
]
CASES += [
    bfloat16_case("nn", [((3, 20), (20, 70)), ((50, 20), (20, 70))],
                  lambda n, x: n.add_matrix_multiply(x[0], OPERATIONS["n"], x[1], OPERATIONS["n"]),
                  lambda x: x[0] @ x[1], most=40.0),
]  # fmt: skip
