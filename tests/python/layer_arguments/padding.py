# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of padding layers: see accepted_arguments.py."""

from accepted_bench import shape_of


def padding(bench):
    return bench.network.add_padding_nd(bench.x, (1, 1), (1, 1))


ARGUMENTS = {
    "shape": {
        "IPaddingLayer.pre_padding_nd": shape_of(padding, "pre_padding_nd"),
        "IPaddingLayer.post_padding_nd": shape_of(padding, "post_padding_nd"),
    },
}
