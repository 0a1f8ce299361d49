# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Collective operations of one device: the result is the input. Several need several GPUs."""

import numpy as np
import tensorrt as trt
from case import Case

C, R = trt.CollectiveOperation, trt.ReduceOperation
ROOT = (C.BROADCAST, C.REDUCE, C.GATHER, C.SCATTER)
REDUCING = (C.ALL_REDUCE, C.REDUCE, C.REDUCE_SCATTER)


def _layer(network, x, operation):
    reduction = R.SUM if operation in REDUCING else None
    root = 0 if operation in ROOT else None
    return network.add_dist_collective(x[0], operation, reduction, root, None).get_output(0)


CASES = [
    Case(
        operation.name.lower(), [((4, 3),), ((2, 3),)],
        lambda network, x, _, operation=operation: _layer(network, x, operation),
        lambda x: x[0], types=(np.float32, np.float16, np.int32),
    )
    for operation in (
        C.ALL_REDUCE, C.ALL_GATHER, C.BROADCAST, C.REDUCE, C.REDUCE_SCATTER, C.ALL_TO_ALL,
        C.GATHER, C.SCATTER,
    )
]  # fmt: skip
