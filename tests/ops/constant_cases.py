# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Constant: a tensor of weights as one operand."""

import numpy as np
import tensorrt as trt
from case import Case

WEIGHTS = np.arange(6).reshape(2, 3) / 4 - 0.5  # exact in float16


def _build(network, x, dtype):
    constant = network.add_constant((2, 3), np.ascontiguousarray(WEIGHTS.astype(dtype)))
    none = trt.MatrixOperation.NONE
    return network.add_matrix_multiply(x[0], none, constant.get_output(0), none).get_output(0)


CASES = [Case("matrix", [((4, 2),), ((1, 2),)], _build, lambda x: x[0] @ WEIGHTS, atol=1e-6)]
