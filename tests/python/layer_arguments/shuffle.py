# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of shuffle layers: see accepted_arguments.py."""

from accepted_bench import attribute, order, shape_of


def shuffle(bench):
    return bench.network.add_shuffle(bench.x)


ARGUMENTS = {
    "shape": {"IShuffleLayer.reshape_dims": shape_of(shuffle, "reshape_dims")},
    "permutation": {
        "IShuffleLayer.first_transpose": order(shuffle, "first_transpose"),
        "IShuffleLayer.second_transpose": order(shuffle, "second_transpose"),
    },
    "truth": {"IShuffleLayer.zero_is_placeholder": attribute(shuffle, "zero_is_placeholder")},
}
