# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of gather layers: see accepted_arguments.py."""

from accepted_bench import attribute


def gather(bench):
    return bench.network.add_gather(bench.x, bench.y, 0)


ARGUMENTS = {
    "integer": {
        "INetworkDefinition.add_gather.axis": lambda bench, value: (
            bench.network.add_gather(bench.x, bench.y, value).axis
        ),
        "IGatherLayer.axis": attribute(gather, "axis"),
    },
}
