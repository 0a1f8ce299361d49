# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that people and other clients send over HTTP, right and wrong."""

import asyncio
import contextlib
import gzip
import json
import struct
import urllib.error
import urllib.request
import zlib

import httpx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")

from kiln.serve.protocol import http
from kiln.serve.protocol.asgi import App
from kiln.serve.request import BadRequestError, OverloadedError, TimedOutError
from kiln.serve.signature import ShapeRange, Signature, TensorSpec
from protocol_server import Server

LIMIT = 100_000


@pytest.fixture(scope="module")
def server():
    with Server(max_body=LIMIT) as running:
        yield running


def ask(server, path, body=None, headers=None, method=None):
    """Status, headers and body of an answer."""
    data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
    request = urllib.request.Request(
        f"http://{server.http}{path}", data, headers or {}, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def infer(server, body, name="double", headers=None):
    status, _, text = ask(server, f"/v2/models/{name}/infer", body, headers)
    return status, json.loads(text)


ROWS = [[1.0, 2.0, 3.0, 0.1], [0.5, -1.0, 1e-3, 4.0]]
FLAT = [*ROWS[0], *ROWS[1]]
DOUBLED = [[2.0, 4.0, 6.0, 0.2], [1.0, -2.0, 0.002, 8.0]]


def test_the_simple_form_takes_types_from_the_model(server):
    status, answer = infer(server, {"inputs": {"x": ROWS}})
    assert status == 200
    assert answer == {"model_name": "double", "model_version": "1", "outputs": {"y": DOUBLED}}
    body = {"inputs": {"a": [[1, 2, 3], [4, 5, 6]], "b": [[1, 1, 1], [1, 1, 1]]}, "id": "7"}
    status, answer = infer(server, body | {"outputs": ["minus"]}, "add_sub")
    assert status == 200 and answer["id"] == "7"
    assert answer["outputs"] == {"minus": [[0, 1, 2], [3, 4, 5]]}


@pytest.mark.parametrize("data", [ROWS, FLAT, [ROWS], [[v] for v in FLAT]])
def test_data_may_be_nested_or_flat(server, data):
    tensor = {"name": "x", "shape": [2, 4], "datatype": "FP32", "data": data}
    status, answer = infer(server, {"inputs": [tensor]})
    assert status == 200
    assert answer["outputs"] == [
        {"name": "y", "datatype": "FP32", "shape": [2, 4], "data": DOUBLED[0] + DOUBLED[1]}
    ]


def test_short_numbers(server):
    text = ask(server, "/v2/models/double/infer", {"inputs": {"x": [[0.1, 0.05, 1, 1e10]]}})[2]
    assert b"[[0.2,0.1,2.0,2e10]]" in text.replace(b"20000000000.0", b"2e10")


def test_sixteen_bit_floats_as_numbers(server):
    zeros = {"b": [[False] * 3], "i8": [[0] * 3], "u8": [[0] * 3], "i32": [[0] * 3]}
    zeros |= {"i64": [[0] * 3], "f32": [[0.0] * 3]}
    values = {"f16": [[1.5, -0.25, 65504.0]], "bf16": [[1.5, -0.25, 3.0]]}
    status, answer = infer(server, {"inputs": zeros | values}, "copies")
    assert status == 200
    assert answer["outputs"]["out_f16"] == values["f16"]
    assert answer["outputs"]["out_bf16"] == values["bf16"]
    assert answer["outputs"]["out_b"] == [[False] * 3]


def test_numbers_that_are_not_finite(server):
    body = b'{"inputs": {"x": [[NaN, Infinity, -Infinity, 1.0]]}}'
    status, answer = infer(server, body)
    assert status == 200
    assert answer["outputs"]["y"] == [[None, None, None, 2.0]]  # JSON has no names for them


def test_a_body_that_is_one_tensor(server):
    data = np.array(ROWS, np.float32).tobytes()
    headers = {"Inference-Header-Content-Length": "0"}
    status, found, body = ask(server, "/v2/models/double/infer", data, headers)
    length = int(found["Inference-Header-Content-Length"])
    assert status == 200 and found["Content-Type"] == "application/octet-stream"
    assert json.loads(body[:length])["outputs"][0]["shape"] == [2, 4]
    np.testing.assert_array_equal(
        np.frombuffer(body[length:], np.float32).reshape(2, 4), 2 * np.array(ROWS, np.float32)
    )
    status, answer = infer(server, data, "add_sub", headers)
    assert status == 400 and "expected a model of one input" in answer["error"]
    status, answer = infer(server, data[:-1], "double", headers)
    assert status == 400 and "expected 16 bytes" in answer["error"]


X = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}
WRONG = {
    "no JSON": (b"\x00\x01", "expected JSON, got 2 bytes"),
    "a list": ([1], "expected a JSON object"),
    "no inputs": ({}, "'inputs': expected a list of tensors, got NoneType"),
    "inputs a number": ({"inputs": 3}, "'inputs': expected a list"),
    "input a number": ({"inputs": [3]}, "'inputs': expected a JSON object, got int"),
    "no name": ({"inputs": [{"data": []}]}, "expected a 'name'"),
    "wrong name": ({"inputs": {"z": [1]}}, "input 'z': expected one of x"),
    "twice": ({"inputs": [X, X]}, "input 'x': expected it once, got it twice"),
    "wrong type": ({"inputs": [X | {"datatype": "INT8"}]}, "expected the datatype FP32, got INT8"),
    "no type": ({"inputs": [X | {"datatype": "float"}]}, "The datatypes are BOOL"),
    "type a number": ({"inputs": [X | {"datatype": 4}]}, "expected the datatype FP32, got 4"),
    "count": ({"inputs": [X | {"shape": [2, 4]}]}, "expected 8 elements for the shape 2x4, got 4"),
    "negative": ({"inputs": [X | {"shape": [-1, 4]}]}, "expected a shape of integers from 0"),
    "huge": ({"inputs": [X | {"shape": [1 << 31, 4]}]}, "expected a shape of integers"),
    "axes": ({"inputs": [X | {"shape": [1] * 100}]}, "a shape of at most 8 axes, got 100"),
    "nested": ({"inputs": {"x": json.loads("[" * 100 + "]" * 100)}}, "input 'x': expected"),
    "empty": (
        {"inputs": [X | {"shape": [0, *[(1 << 31) - 1] * 3], "data": []}]},
        "expected extents that an array can have",
    ),
    "shape a text": ({"inputs": [X | {"shape": "4"}]}, "expected a shape of integers"),
    "no data": ({"inputs": [{"name": "x", "shape": [1, 4]}]}, "got neither"),
    "rank": ({"inputs": {"x": [1, 2, 3, 4]}}, r"expected the shape (1, 4) to (16, 4), got (4)"),
    "ragged": ({"inputs": {"x": [[1, 2, 3, 4], [1]]}}, "nested lists of equal lengths"),
    "a text": ({"inputs": {"x": [["1", "2", "3", "4"]]}}, "expected numbers for FP32, got a text"),
    "null": ({"inputs": {"x": [[1, None, 3, 4]]}}, "got null, an object or mixed values"),
    "overflow": ({"inputs": {"x": [[1e39, 0, 0, 0]]}}, "that FP32 can hold, got 1e+39"),
    "output": ({"inputs": [X], "outputs": [{"name": "z"}]}, "output 'z': expected one of y"),
    "outputs": ({"inputs": [X], "outputs": "y"}, "'outputs': expected a list, got str"),
    "timeout": ({"inputs": [X], "parameters": {"timeout": "1"}}, "microseconds from 0, got '1'"),
    "parameters": ({"inputs": [X], "parameters": [1]}, "'parameters': expected a JSON object"),
    "deep": (b'{"inputs":' + b"[" * 20_000 + b"]" * 20_000 + b"}", "expected"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_bodies_get_400_with_the_cause(server, case):
    body, message = WRONG[case]
    status, answer = infer(server, body)
    assert status == 400
    assert message in answer["error"]


def test_integers_keep_their_values(server):
    zeros = {"b": [[False] * 3], "i8": [[0] * 3], "u8": [[0] * 3], "i32": [[0] * 3]}
    zeros |= {"i64": [[0] * 3], "f16": [[0] * 3], "bf16": [[0] * 3], "f32": [[0] * 3]}

    def refused(match, **values):
        status, answer = infer(server, {"inputs": zeros | values}, "copies")
        assert status == 400 and match in answer["error"]

    refused("INT8 can hold, got 128", i8=[[128, 0, 0]])
    refused("UINT8 can hold, got -1", u8=[[-1, 0, 0]])
    refused("INT32 can hold, got 0.5", i32=[[0.5, 0, 0]])
    refused("expected true or false for BOOL", b=[[0.5, 1, 0]])
    refused("FP16 can hold, got 70000", f16=[[70000, 0, 0]])
    body = {"inputs": zeros | {"b": [[1, 0, 1]], "i64": [[2.0, -3.0, 2**62]]}}
    status, answer = infer(server, body, "copies")
    assert status == 200
    assert answer["outputs"]["out_b"] == [[True, False, True]]
    assert answer["outputs"]["out_i64"] == [[2, -3, 2**62]]


def binary(sizes, length=None, data=b"\0" * 16, shape=(1, 4)):
    """Body and headers of a request with one binary tensor."""
    head = {"inputs": [X | {"shape": shape, "parameters": {"binary_data_size": sizes}}]}
    text = json.dumps(head).encode()
    size = len(text) if length is None else length
    return text + data, {"Inference-Header-Content-Length": str(size)}


def test_wrong_binary_tensors(server):
    def refused(match, body, headers):
        status, answer = infer(server, body, headers=headers)
        assert status == 400 and match in answer["error"]

    assert infer(server, *binary(16)[:1], headers=binary(16)[1])[0] == 200
    refused("expected at most the 16 bytes that follow, got 17", *binary(17))
    refused("expected at most the 16 bytes that follow, got -1", *binary(-1))
    refused("expected 12 bytes of tensors behind the JSON, got 16", *binary(12, shape=(1, 3)))
    refused("expected 16 bytes for FP32 of the shape 1x4, got 12", *binary(12))
    refused("Content-Length: expected at most the", *binary(16, length=10**6))
    refused("Content-Length: expected a number", *binary(16, length="x"))


def test_a_body_that_is_too_large(server):
    status, answer = infer(server, b" " * (LIMIT + 1))
    assert status == 413 and f"at most {LIMIT} bytes" in answer["error"]
    bomb = zlib.compress(b" " * (100 * LIMIT))
    status, answer = infer(server, bomb, headers={"Content-Encoding": "deflate"})
    assert len(bomb) < LIMIT and status == 413


def test_compressed_bodies(server):
    body = json.dumps({"inputs": {"x": ROWS}}).encode()
    headers = {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"}
    status, found, text = ask(server, "/v2/models/double/infer", gzip.compress(body), headers)
    assert status == 200 and found["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(text))["outputs"] == {"y": DOUBLED}
    several = {"Accept-Encoding": "gzip, deflate, br"}
    assert ask(server, "/v2/models/double/infer", body, several)[1]["Content-Encoding"] is None

    def refused(match, data, coding):
        status, answer = infer(server, data, headers={"Content-Encoding": coding})
        assert status == 400 and match in answer["error"]

    refused("expected gzip data, got other bytes", body, "gzip")
    refused("expected complete gzip data", gzip.compress(body)[:-9], "gzip")
    refused("expected gzip or deflate, got br", body, "br")


def test_a_slow_body_in_pieces(server):
    host, port = server.http.split(":")

    async def main():
        reader, writer = await asyncio.open_connection(host, int(port))
        body = json.dumps({"inputs": {"x": ROWS}}).encode()
        writer.write(
            b"POST /v2/models/double/infer HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for start in range(0, len(body), 10):
            piece = body[start : start + 10]
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        return answer

    assert json.dumps(DOUBLED).replace(" ", "").encode() in asyncio.run(main())


def test_addresses(server):
    def error(path, status, match, **options):
        found, headers, text = ask(server, path, **options)
        assert found == status and match in json.loads(text)["error"]
        return headers

    error("/v2/nothing", 404, "GET / lists those of this server")
    error("/v2/models/double/generate", 404, "/v2/models/double/generate: expected an address")
    error("/v2/models/nobody", 404, "expected one of double")
    headers = error("/v2/models/double/infer", 405, "expected the method POST, got GET")
    assert headers["Allow"] == "POST"
    error("/v2/repository/models/nobody/load", 403, "Set model_control", method="POST")
    error("/v2/repository/index", 400, "expected a JSON object or nothing", body=b"[")
    assert ask(server, "/v2/repository/index")[0] == 200  # people may get it


def test_the_welcome_shows_commands_that_work(server):
    status, _, text = ask(server, "/")
    answer = json.loads(text)
    assert status == 200 and answer["ready"] and b"\n" in text
    for model in answer["models"]:
        command, _, rest = model["try"].partition(" -d ")
        address = command.removeprefix("curl ")
        assert address == f"http://{server.http}/v2/models/{model['name']}/infer"
        found, _, _ = ask(server, address.partition(server.http)[2], rest.strip("'").encode())
        assert found == 200
    model = json.loads(ask(server, "/v2/models/double")[2])
    assert model["profiles"] == [{"x": {"min": [1, 4], "best": [8, 4], "max": [16, 4]}}]


class Failing:
    """Models, one of which fails each request."""

    def __init__(self, error):
        self.error, self.name = error, "m"
        spec = TensorSpec("x", "float32", (-1, 4))
        shapes = ShapeRange((1, 4), (1, 4), (4, 4))
        self.signature = Signature((spec,), (spec,), ({"x": shapes},), True)

    async def get(self, name, version=""):
        return self

    answers_at_once = False

    async def infer(self, request):
        raise self.error


@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [
        (OverloadedError("[serve] full"), 503, "1"),
        (TimedOutError("[serve] late"), 504, None),
        (BadRequestError("[serve] bad"), 400, None),
        (ValueError("unforeseen"), 500, None),
    ],
)
def test_errors_of_the_model(error, status, retry):
    async def main():
        transport = httpx.ASGITransport(App(Failing(error)))
        async with httpx.AsyncClient(transport=transport, base_url="http://h") as client:
            return await client.post("/v2/models/m/infer", json={"inputs": {"x": [[1, 2, 3, 4]]}})

    answer = asyncio.run(main())
    assert answer.status_code == status
    assert answer.headers.get("retry-after") == retry
    assert str(error) in answer.json()["error"]


def test_a_path_below_the_root_of_the_application():
    async def main():
        app = App(Failing(TimedOutError("[serve] late")))
        transport = httpx.ASGITransport(app, root_path="/models")
        async with httpx.AsyncClient(transport=transport, base_url="http://h") as client:
            return (await client.get("/models/v2/health/live")).status_code

    assert asyncio.run(main()) == 200


SIGNATURE = Signature(
    (TensorSpec("x", "float32", (-1, 4)), TensorSpec("n", "int64", (2,))),
    (TensorSpec("y", "float32", (-1, 4)),),
    ({"x": ShapeRange((1, 4), (1, 4), (9, 4)), "n": ShapeRange((2,), (2,), (2,))},),
    False,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "shape", "datatype", "data", "parameters", "x", "n"]), inner
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    message=st.dictionaries(st.sampled_from(["inputs", "outputs", "parameters", "id"]), VALUES),
    tail=st.binary(max_size=20),
    length=st.none() | st.integers(-1, 40),
)
def test_any_body_is_parsed_or_refused(message, tail, length):
    body = json.dumps(message).encode()
    size = None if length is None else length if length < 9 else len(body)
    with contextlib.suppress(BadRequestError):
        request, _ = http.parse(body + tail, SIGNATURE, size)
        for name, array in request.inputs.items():
            assert array.dtype == {"x": np.float32, "n": np.int64}[name]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.none() | st.integers(0, 60))
def test_any_bytes_are_parsed_or_refused(body, length):
    with contextlib.suppress(BadRequestError):
        http.parse(body, SIGNATURE, length)


def test_arrays_lie_over_the_body():
    data = struct.pack("<2q", 5, 6)
    tensor = {"name": "n", "shape": [2], "datatype": "INT64"}
    tensor["parameters"] = {"binary_data_size": 16}
    head = json.dumps({"inputs": [tensor]}).encode()
    body = bytearray(head + data)
    request, _ = http.parse(body, SIGNATURE, len(head))
    body[-16] = 7
    assert request.inputs["n"].tolist() == [7, 6]
