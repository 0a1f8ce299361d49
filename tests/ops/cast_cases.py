# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Cast: every pair of types, with values that distinguish truncation from rounding."""

import numpy as np
from case import TRT_TYPES, Case

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


CASES = [_case(to) for to in TYPES]
