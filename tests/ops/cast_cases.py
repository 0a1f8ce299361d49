# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Cast: every pair of types, with values that distinguish truncation from rounding."""

import numpy as np
import tensorrt as trt
from case import TRT_TYPES, Case
from narrow_types import LIMITS, NUMPY

ANY_ADDRESS = True

TYPES = [t for t in TRT_TYPES if t is not np.uint8]  # it would wrap the negative values


def _case(to):
    def build(network, x, _):
        return network.add_cast(x[0], TRT_TYPES[to]).get_output(0)

    def expected(x):
        if to is np.bool_:
            return x[0] != 0
        if np.issubdtype(to, np.integer):
            return np.trunc(x[0]).astype(to)
        # The reference for floats is rounded, too: float16 holds fewer digits than float64.
        return x[0].astype(to).astype(np.float64)

    return Case(
        f"to_{np.dtype(to).name}",
        [((3, 5),), ((1, 5),), ((64, 5),)],
        build,
        expected,
        types=tuple(TYPES),
        low=-100,
        high=100,
    )


def _through(name, of, low, high):
    """To a type that NumPy does not have, and back."""

    def build(network, x, _):
        narrow = network.add_cast(x[0], of).get_output(0)
        return network.add_cast(narrow, trt.float32).get_output(0)

    def expected(x):
        if of == trt.DataType.E8M0:
            return np.exp2(np.ceil(np.log2(x[0].astype(np.float64))))
        clipped = np.clip(x[0], *LIMITS[of]).astype(np.float32)
        whole = np.trunc(clipped) if of == trt.int4 else clipped
        return whole.astype(NUMPY[of]).astype(np.float64)

    types = (np.float32, np.float16, np.int32)
    return Case(f"through_{name}", [((3, 5),), ((1, 5),)], build, expected,
                types=types, low=low, high=high)  # fmt: skip


CASES = [_case(to) for to in TYPES]
CASES += [
    _through("fp8", trt.fp8, -500, 500),
    _through("fp4", trt.fp4, -8, 8),
    _through("int4", trt.int4, -12, 12),
    _through("e8m0", trt.DataType.E8M0, 1, 100),
]
