# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of scatter layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute


def scatter(bench):
    return bench.network.add_scatter(bench.x, bench.y, bench.x, trt.ScatterMode.ELEMENT)


ARGUMENTS = {"integer": {"IScatterLayer.axis": attribute(scatter, "axis")}}
