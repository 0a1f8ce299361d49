# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Identity: any type."""

import numpy as np
from case import Case

CASES = [
    Case(
        "all_types",
        [((2, 3),), ((0, 3),), ((5, 3),)],
        lambda network, x, _: network.add_identity(x[0]).get_output(0),
        lambda x: x[0],
        types=(np.float32, np.float16, np.int32, np.int64, np.int8, np.bool_),
    )
]
