# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of concatenation layers: see accepted_arguments.py."""

from accepted_bench import attribute


def concatenation(bench):
    return bench.network.add_concatenation([bench.x, bench.x])


ARGUMENTS = {"integer": {"IConcatenationLayer.axis": attribute(concatenation, "axis")}}
