# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of loops: see accepted_arguments.py."""

from accepted_bench import attribute


def iterator(bench):
    return bench.network.add_loop().add_iterator(bench.x)


ARGUMENTS = {
    "integer": {
        "ILoop.add_iterator.axis": lambda bench, value: (
            bench.network.add_loop().add_iterator(bench.x, value).axis
        ),
        "IIteratorLayer.axis": attribute(iterator, "axis"),
    },
}
