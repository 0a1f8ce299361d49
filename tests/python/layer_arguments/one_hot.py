# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of one-hot layers: see accepted_arguments.py."""

import numpy as np
from accepted_bench import attribute


def one_hot(bench):
    values = bench.network.add_constant((2,), np.array([0, 1], np.float32)).get_output(0)
    depth = bench.network.add_constant((), np.array(3, np.int32)).get_output(0)
    return bench.network.add_one_hot(bench.y, values, depth, 0)


ARGUMENTS = {"integer": {"IOneHotLayer.axis": attribute(one_hot, "axis")}}
