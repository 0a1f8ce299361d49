# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Time and number of layers by kind of operation, and by the type that they compute on."""

from collections.abc import Callable
from typing import Any

from kiln.report._drawing import family_of


def summary(report: dict[str, Any]) -> dict[str, Any]:
    """The entry "summary" of a report."""
    layers, tensors = report["layers"], report["tensors"]
    parents = {one["parent"] for one in layers if one["microseconds"] is not None}
    return {
        "kinds": _sums(layers, parents, family_of),
        "types": _sums(layers, parents, lambda layer: type_of(layer, tensors)),
    }


def type_of(layer: dict[str, Any], tensors: list[dict[str, Any]]) -> str:
    """The type of the first operand, which is the data; without operands, of the first result."""
    ids = [number for number in [*layer["inputs"], *layer["outputs"]] if number >= 0]
    return str(tensors[ids[0]]["type"]) if ids else "none"


def _sums(
    layers: list[dict[str, Any]], parents: set[int], word_of: Callable[[dict[str, Any]], str]
) -> list[dict[str, Any]]:
    sums: dict[str, dict[str, Any]] = {}
    for layer in layers:
        word = word_of(layer)
        entry = sums.setdefault(word, {"name": word, "layers": 0, "microseconds": None})
        entry["layers"] += 1
        # A loop or a branch contains the times of its layers.
        if layer["microseconds"] is not None and layer["id"] not in parents:
            entry["microseconds"] = (entry["microseconds"] or 0.0) + layer["microseconds"]
    return sorted(sums.values(), key=lambda one: (-(one["microseconds"] or 0.0), -one["layers"]))
