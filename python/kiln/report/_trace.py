# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A run as a trace in Chrome's format, which Perfetto and other viewers of traces read."""

from typing import Any

from kiln.report._words import extents


def to_trace(report: dict[str, Any]) -> dict[str, Any]:
    """One run of the engine: a slice for each layer, and the memory in use.

    report: what describe() returned, with times. Layers lie one behind another, as they run, with
    their median times. The slice of a loop or a branch contains those of its layers.
    """
    children: dict[int | None, list[dict[str, Any]]] = {}
    for layer in report["layers"]:
        children.setdefault(layer["parent"], []).append(layer)
    in_use = report["memory"]["in_use"]
    title = report["source"] or report["title"]
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": title}},
        {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "layers"}},
    ]

    def place(parent: int | None, start: float) -> float:
        """Writes the layers of a loop, or of the network; returns when the last one ends."""
        for layer in children.get(parent, []):
            inside = len(events)
            events.append({})
            end = max(start + (layer["microseconds"] or 0.0), place(layer["id"], start))
            events[inside] = {
                "ph": "X",
                "pid": 1,
                "tid": 1,
                "name": layer["name"],
                "cat": layer["op"],
                "ts": start,
                "dur": end - start,
                "args": _arguments(report, layer),
            }
            if layer["id"] < len(in_use):
                used = {"bytes": in_use[layer["id"]]}
                events.append({"ph": "C", "pid": 1, "name": "memory", "ts": start, "args": used})
            start = end
        return start

    place(None, 0.0)
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def _arguments(report: dict[str, Any], layer: dict[str, Any]) -> dict[str, Any]:
    """What a viewer shows of a selected layer."""
    words: dict[str, Any] = {"kernel": layer["kernel"], "made of": ", ".join(layer["layers"])}
    for side in ("inputs", "outputs"):
        tensors = [report["tensors"][number] for number in layer[side] if number >= 0]
        words[side] = ", ".join(
            f"{one['name']} {one['type']} {extents(one['shape'])}" for one in tensors
        )
    return words
