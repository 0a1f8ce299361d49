# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""bfloat16, which NumPy lacks: float32 cases that compute in bfloat16 between two casts.

The reference rounds inputs to 8 bits like the first cast; results are rounded once more.
"""

import numpy as np
import tensorrt as trt
from case import Case


def rounded(x):
    """The nearest bfloat16 values, as float64; ties go to the even one."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    kept = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
    return kept.astype(np.uint32).view(np.float32).astype(np.float64)


def bfloat16_case(name, shapes, layer, formula, low=-2.0, most=2.0):
    """A case of layer(network, tensors) in bfloat16, named bfloat16_<name>. Results are up to
    `most`, which sets the tolerance."""

    def build(network, x, _):
        narrow = [network.add_cast(t, trt.bfloat16).get_output(0) for t in x]
        result = layer(network, narrow).get_output(0)
        return network.add_cast(result, trt.float32).get_output(0)

    def expected(x):
        return formula([rounded(t) for t in x])

    # Half a unit in the last of 8 bits, and a margin for computing in float32.
    return Case(
        f"bfloat16_{name}",
        shapes,
        build,
        expected,
        types=(np.float32,),
        low=low,
        atol=most * 2.0**-8 * 1.1,
        any_address=True,
    )
