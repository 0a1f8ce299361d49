# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests whose JSON came before give what their first one gave, with their own numbers."""

import json

import numpy as np
import pytest

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")

from kiln.serve.protocol import http
from kiln.serve.protocol.known_heads import KnownHeads
from kiln.serve.request import BadRequestError
from kiln.serve.signature import ShapeRange, Signature, TensorSpec


def signature(dtype="float32"):
    specs = (TensorSpec("x", dtype, (-1, 2)), TensorSpec("n", "int64", (-1,)))
    ranges = {"x": ShapeRange((1, 2), (1, 2), (8, 2)), "n": ShapeRange((1,), (1,), (8,))}
    return Signature(specs, (TensorSpec("y", dtype, (-1, 2)),), (ranges,), True)


def head(rows, **more):
    x = {"name": "x", "shape": [rows, 2], "datatype": "FP32"}
    n = {"name": "n", "shape": [rows], "datatype": "INT64"}
    x["parameters"], n["parameters"] = (
        {"binary_data_size": 8 * rows},
        {"binary_data_size": 8 * rows},
    )
    outputs = [{"name": "y", "parameters": {"binary_data": True}}]
    return json.dumps({"inputs": [x, n], "outputs": outputs, **more}).encode()


def values(rows, seed):
    random = np.random.default_rng(seed)
    return random.random((rows, 2), np.float32), random.integers(0, 99, rows)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_the_second_request_is_read_as_the_first(kind):
    heads, known = KnownHeads(), signature()
    text = head(3, id="seven", parameters={"timeout": 2000})
    for seed in range(3):
        x, n = values(3, seed)
        body = kind(text + x.tobytes() + n.tobytes())
        request, form = http.parse(body, known, len(text), heads)
        assert heads.find(body, len(text), known) is not None
        np.testing.assert_array_equal(request.inputs["x"], x)
        np.testing.assert_array_equal(request.inputs["n"], n)
        assert (request.id, request.timeout_ms, request.outputs) == ("seven", 2.0, ["y"])
        assert form.binary_by_name == {"y": True}


def test_a_body_that_lacks_bytes_is_refused_as_before():
    heads, known = KnownHeads(), signature()
    text, (x, n) = head(2), values(2, 0)
    http.parse(text + x.tobytes() + n.tobytes(), known, len(text), heads)
    with pytest.raises(BadRequestError, match="expected at most the 15 bytes that follow, got 16"):
        http.parse(text + x.tobytes() + n.tobytes()[:-1], known, len(text), heads)


def test_another_model_reads_the_json_itself():
    heads, text, (x, n) = KnownHeads(), head(2), values(2, 0)
    body = text + x.tobytes() + n.tobytes()
    http.parse(body, signature(), len(text), heads)
    with pytest.raises(BadRequestError, match="expected the datatype FP16, got FP32"):
        http.parse(body, signature("float16"), len(text), heads)


def test_numbers_in_the_json_are_read_each_time():
    heads, known = KnownHeads(), signature()
    x = {"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1.5, 2.5]}
    n = {"name": "n", "shape": [1], "parameters": {"binary_data_size": 8}}
    text = json.dumps({"inputs": [x, n]}).encode()
    for number in (5, 6):
        body = text + np.int64(number).tobytes()
        request, _ = http.parse(body, known, len(text), heads)
        assert heads.find(body, len(text), known) is None
        assert request.inputs["n"].tolist() == [number]
        assert request.inputs["x"].tolist() == [[1.5, 2.5]]


def test_bools_are_told_apart_from_bytes():
    heads = KnownHeads()
    known = Signature((TensorSpec("b", "bool", (4,)),), (), ({},), False)
    tensor = {"name": "b", "shape": [4], "datatype": "BOOL", "parameters": {"binary_data_size": 4}}
    text = json.dumps({"inputs": [tensor]}).encode()
    for _ in range(2):
        request, _ = http.parse(text + b"\x02\x00\x01\x00", known, len(text), heads)
        assert request.inputs["b"].dtype == np.bool_
        assert request.inputs["b"].tolist() == [True, False, True, False]


def test_old_heads_go():
    heads, known, bodies = KnownHeads(), signature(), []
    for number in range(100):
        text, (x, n) = head(1, id=str(number)), values(1, number)
        bodies.append((text + x.tobytes() + n.tobytes(), len(text)))
        http.parse(bodies[-1][0], known, len(text), heads)
    found = [heads.find(body, length, known) is not None for body, length in bodies]
    assert found == [False] * 36 + [True] * 64


def test_long_heads_are_not_kept():
    heads, known = KnownHeads(), signature()
    text, (x, n) = head(1, id="x" * 5000), values(1, 0)
    body = text + x.tobytes() + n.tobytes()
    http.parse(body, known, len(text), heads)
    assert heads.find(body, len(text), known) is None
