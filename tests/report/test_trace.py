# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Traces: slices of all layers, nested as loops are, with times that add up."""

import json
from itertools import pairwise

import pytest
from kiln import report


def slices(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def test_every_layer_is_a_slice(description):
    found = slices(report.to_trace(description))
    assert [each["name"] for each in found] == [layer["name"] for layer in description["layers"]]
    assert [each["dur"] for each in found] == pytest.approx(
        [layer["microseconds"] for layer in description["layers"]]
    )
    assert found[0]["ts"] == 0
    for before, after in pairwise(found):
        assert after["ts"] == pytest.approx(before["ts"] + before["dur"])
    assert found[0]["args"]["kernel"] == description["layers"][0]["kernel"]


def test_memory_is_a_counter(description):
    events = report.to_trace(description)["traceEvents"]
    values = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    assert values == description["memory"]["in_use"][: len(description["layers"])]


def test_a_loop_contains_its_layers(description):
    """A slice ends behind those of its body, even if the clock told otherwise."""
    changed = json.loads(json.dumps(description))
    first, second, third = changed["layers"][:3]
    second["parent"] = third["parent"] = first["id"]
    first["microseconds"], second["microseconds"], third["microseconds"] = 10.0, 3.0, 4.0
    found = {each["name"]: each for each in slices(report.to_trace(changed))}
    outer, inner, last = (found[layer["name"]] for layer in (first, second, third))
    assert (outer["ts"], outer["dur"]) == (0, 10)
    assert (inner["ts"], inner["dur"]) == (0, 3)
    assert (last["ts"], last["dur"]) == (3, 4)
