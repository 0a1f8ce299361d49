# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of softmax layers: see accepted_arguments.py."""

from accepted_bench import attribute


def softmax(bench):
    return bench.network.add_softmax(bench.x)


ARGUMENTS = {"mask": {"ISoftMaxLayer.axes": attribute(softmax, "axes")}}
