# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Which layers of two plans belong together."""

from typing import Any


def match(first: dict[str, Any], second: dict[str, Any]) -> list[list[int | None]]:
    """Pairs of layers, [of the first report, of the second one], in the order of the first.

    Layers of one name belong together; else those that were made of the most common layers of the
    network, since other builds fuse other layers. What has no counterpart is paired with None.
    """
    open_names = {layer["name"]: layer["id"] for layer in reversed(second["layers"])}
    taken: set[int] = set()
    partner: dict[int, int] = {}
    for layer in first["layers"]:
        other = open_names.get(layer["name"])
        if other is not None and other not in taken:
            partner[layer["id"]] = other
            taken.add(other)
    by_part: dict[str, list[int]] = {}
    for layer in second["layers"]:
        if layer["id"] not in taken:
            for part in layer["layers"]:
                by_part.setdefault(part, []).append(layer["id"])
    for layer in first["layers"]:
        if layer["id"] in partner:
            continue
        votes: dict[int, int] = {}
        for part in layer["layers"]:
            for other in by_part.get(part, []):
                if other not in taken:
                    votes[other] = votes.get(other, 0) + 1
        if votes:
            best = max(votes, key=lambda other: (votes[other], -other))
            partner[layer["id"]] = best
            taken.add(best)
    pairs: list[list[int | None]] = [
        [layer["id"], partner.get(layer["id"])] for layer in first["layers"]
    ]
    pairs += [[None, layer["id"]] for layer in second["layers"] if layer["id"] not in taken]
    return pairs
