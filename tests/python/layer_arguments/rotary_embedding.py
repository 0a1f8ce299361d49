# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of rotary embeddings: see accepted_arguments.py. Numbers of elements must be even."""

from accepted_bench import attribute


def rotary(bench):
    return bench.network.add_rotary_embedding(bench.x, bench.x, bench.x, False, 0)


ARGUMENTS = {"truth": {"IRotaryEmbeddingLayer.interleaved": attribute(rotary, "interleaved")}}
