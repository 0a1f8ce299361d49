# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of cumulative layers: see accepted_arguments.py."""

import tensorrt as trt
from accepted_bench import attribute


def cumulative(bench):
    return bench.network.add_cumulative(
        bench.x, bench.y, trt.CumulativeOperation.SUM, exclusive=False, reverse=False
    )


ARGUMENTS = {
    "truth": {
        f"ICumulativeLayer.{name}": attribute(cumulative, name) for name in ("exclusive", "reverse")
    },
}
