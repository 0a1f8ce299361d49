# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of NMS layers: see accepted_arguments.py."""

from accepted_bench import attribute


def nms(bench):
    return bench.network.add_nms(bench.x, bench.x, bench.y)


ARGUMENTS = {"integer": {"INMSLayer.topk_box_limit": attribute(nms, "topk_box_limit")}}
