# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Select: broadcasting of all three inputs, every type."""

import numpy as np
from case import Case

ANY_ADDRESS = True

SHAPES = [
    ((2, 3, 4), (2, 3, 4), (2, 3, 4)),
    ((2, 1, 4), (1, 3, 1), (2, 3, 4)),
    ((1, 1, 1), (2, 3, 4), (2, 1, 1)),
    ((2, 3, 1), (1, 1, 1), (1, 1, 1)),
    ((0, 3, 4), (1, 3, 4), (1, 3, 1)),
    ((2, 1, 64), (2, 3, 64), (1, 3, 1)),
    ((2, 3, 1), (2, 1, 1), (1, 1, 1600)),
    ((2, 1, 1), (2, 3, 35), (1, 3, 35)),
    ((1, 1, 131), (3, 7, 131), (1, 7, 131)),
    ((3, 7, 131), (1, 7, 131), (3, 1, 1)),
    ((3, 1, 131), (1, 7, 131), (3, 7, 131)),
]
CASES = [
    Case(
        "broadcast", SHAPES,
        lambda network, x, _: network.add_select(*x).get_output(0),
        lambda x: np.where(x[0], x[1], x[2]),
        types=(np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_),
        low=0, high=9, others={0: (np.bool_, 0, 1)},
    )
]  # fmt: skip
