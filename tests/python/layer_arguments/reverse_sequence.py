# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of reverse-sequence layers: see accepted_arguments.py."""

from accepted_bench import attribute


def reverse_sequence(bench):
    return bench.network.add_reverse_sequence(bench.x, bench.y)


ARGUMENTS = {
    "integer": {
        f"IReverseSequenceLayer.{name}": attribute(reverse_sequence, name)
        for name in ("batch_axis", "sequence_axis")
    },
}
