# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of tritonclient.http and tritonclient.http.aio against Kiln, unchanged."""

import asyncio

import kiln
import ml_dtypes
import numpy as np
import pytest
from protocol_server import Server

client_library = pytest.importorskip("tritonclient.http", reason="needs tritonclient[http]")
aio = pytest.importorskip("tritonclient.http.aio")
from tritonclient.utils import InferenceServerException  # noqa: E402


@pytest.fixture(scope="module")
def server():
    with Server(control=True) as running:
        yield running


@pytest.fixture
def client(server):
    with client_library.InferenceServerClient(server.http, concurrency=4) as made:
        yield made


ROWS = np.arange(12, dtype=np.float32).reshape(3, 4) / 10


def tensor(name, array, datatype, binary=True, library=client_library):
    made = library.InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array, binary_data=binary)
    return made


def wanted(name, **options):
    return client_library.InferRequestedOutput(name, **options)


def test_health(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("double")
    assert client.is_model_ready("double", "1")
    assert not client.is_model_ready("double", "7")
    assert not client.is_model_ready("nobody")


def test_metadata(client):
    server = client.get_server_metadata()
    assert (server["name"], server["version"]) == ("kiln", kiln.kiln_version)
    assert "binary_tensor_data" in server["extensions"]
    model = client.get_model_metadata("double", "1")
    assert model["name"] == "double" and model["versions"] == ["1"]
    assert model["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
    assert model["outputs"] == [{"name": "y", "datatype": "FP32", "shape": [-1, 4]}]
    kinds = {t["name"]: t["datatype"] for t in client.get_model_metadata("copies")["inputs"]}
    assert kinds == {
        "b": "BOOL",
        "i8": "INT8",
        "u8": "UINT8",
        "i32": "INT32",
        "i64": "INT64",
        "f16": "FP16",
        "bf16": "BF16",
        "f32": "FP32",
    }


def test_config_tells_the_batch_apart(client):
    config = client.get_model_config("double")
    assert config["max_batch_size"] == 16
    assert config["input"] == [{"name": "x", "data_type": "TYPE_FP32", "dims": [4]}]
    static = client.get_model_config("add_sub")
    assert static["max_batch_size"] == 0 and static["input"][0]["dims"] == [2, 3]
    assert "dynamic_batching" in config and "dynamic_batching" not in static


@pytest.mark.parametrize("binary_in", [True, False])
@pytest.mark.parametrize("binary_out", [True, False])
def test_infer(client, binary_in, binary_out):
    result = client.infer(
        "double",
        [tensor("x", ROWS, "FP32", binary_in)],
        outputs=[wanted("y", binary_data=binary_out)],
        request_id="request 7",
        model_version="1",
    )
    np.testing.assert_array_equal(result.as_numpy("y"), ROWS + ROWS)
    response = result.get_response()
    assert (response["model_name"], response["model_version"]) == ("double", "1")
    assert response["id"] == "request 7"
    assert ("data" in result.get_output("y")) != binary_out


def test_all_outputs_without_asking(client):
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.full((2, 3), 10, np.int32)
    result = client.infer("add_sub", [tensor("a", a, "INT32"), tensor("b", b, "INT32", False)])
    np.testing.assert_array_equal(result.as_numpy("plus"), a + b)
    np.testing.assert_array_equal(result.as_numpy("minus"), a - b)
    only = client.infer(
        "add_sub",
        [tensor("b", b, "INT32"), tensor("a", a, "INT32")],
        outputs=[wanted("minus")],
    )
    np.testing.assert_array_equal(only.as_numpy("minus"), a - b)
    assert only.as_numpy("plus") is None


def many_types():
    return {
        "b": (np.array([[True, False, True]]), "BOOL"),
        "i8": (np.array([[-128, 0, 127]], np.int8), "INT8"),
        "u8": (np.array([[0, 1, 255]], np.uint8), "UINT8"),
        "i32": (np.array([[-(2**31), 0, 2**31 - 1]], np.int32), "INT32"),
        "i64": (np.array([[-(2**63), 0, 2**63 - 1]], np.int64), "INT64"),
        "f16": (np.array([[0.1, -65504, 1]], np.float16), "FP16"),
        "bf16": (np.array([[0.1, -3e38, 1]], ml_dtypes.bfloat16), "BF16"),
        "f32": (np.array([[0.1, -3e38, np.nan]], np.float32), "FP32"),
    }


@pytest.mark.parametrize("binary", [True, False])
def test_every_type_comes_back(client, binary):
    arrays = many_types()
    inputs = [
        tensor(name, array, kind, binary or kind in ("FP16", "BF16"))
        for name, (array, kind) in arrays.items()
    ]
    outputs = [
        wanted(f"out_{name}", binary_data=binary or kind in ("FP16", "BF16"))
        for name, (_, kind) in arrays.items()
    ]
    result = client.infer("copies", inputs, outputs=outputs)
    for name, (array, _) in arrays.items():
        found = result.as_numpy(f"out_{name}")
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("sent", [None, "gzip", "deflate"])
@pytest.mark.parametrize("received", [None, "gzip", "deflate"])
def test_compression(client, sent, received):
    result = client.infer(
        "double",
        [tensor("x", ROWS, "FP32")],
        request_compression_algorithm=sent,
        response_compression_algorithm=received,
    )
    np.testing.assert_array_equal(result.as_numpy("y"), ROWS + ROWS)
    assert result._result["outputs"][0]["parameters"]["binary_data_size"] == ROWS.nbytes


def test_async_infer(client):
    calls = [
        client.async_infer("double", [tensor("x", ROWS + i, "FP32")], request_id=str(i))
        for i in range(10)
    ]
    for i, call in enumerate(calls):
        result = call.get_result()
        assert result.get_response()["id"] == str(i)
        np.testing.assert_array_equal(result.as_numpy("y"), 2 * (ROWS + i))


def test_parameters_without_a_meaning_are_ignored(client):
    result = client.infer(
        "double",
        [tensor("x", ROWS, "FP32")],
        sequence_id=5,
        sequence_start=True,
        priority=3,
        timeout=10_000_000,
        parameters={"user": "someone"},
        query_params={"test": 1},
        headers={"X-Request-Id": "abc"},
    )
    np.testing.assert_array_equal(result.as_numpy("y"), ROWS + ROWS)


def test_classes_instead_of_values(client):
    rows = np.array([[0.1, 0.5, 0.2, 0.4], [4, 3, 2, 1]], np.float32)
    for binary in (True, False):
        result = client.infer(
            "double",
            [tensor("x", rows, "FP32")],
            outputs=[wanted("y", class_count=2, binary_data=binary)],
        )
        texts = result.as_numpy("y").tolist()
        found = [[v.decode() if binary else v for v in row] for row in texts]
        assert found == [["1.000000:1", "0.800000:3"], ["8.000000:0", "6.000000:1"]]


def test_bodies_made_and_read_apart(client, server):
    import urllib.request

    body, length = client_library.InferenceServerClient.generate_request_body(
        [tensor("x", ROWS, "FP32")], outputs=[wanted("y")]
    )
    request = urllib.request.Request(
        f"http://{server.http}/v2/models/double/infer",
        body,
        {"Inference-Header-Content-Length": str(length)},
    )
    with urllib.request.urlopen(request) as response:
        header = response.headers["Inference-Header-Content-Length"]
        result = client_library.InferenceServerClient.parse_response_body(
            response.read(), header_length=int(header)
        )
    np.testing.assert_array_equal(result.as_numpy("y"), ROWS + ROWS)


def test_statistics_count_what_ran(client):
    before = client.get_inference_statistics("double", "1")["model_stats"][0]
    client.infer("double", [tensor("x", ROWS, "FP32")])
    with pytest.raises(InferenceServerException):
        client.infer("double", [tensor("x", np.zeros((17, 4), np.float32), "FP32")])
    after = client.get_inference_statistics("double")["model_stats"][0]
    assert after["inference_count"] - before["inference_count"] == 3
    assert after["execution_count"] - before["execution_count"] == 1
    for outcome in ("success", "fail"):
        counts = [s["inference_stats"][outcome]["count"] for s in (before, after)]
        assert counts[1] - counts[0] == 1
    assert after["inference_stats"]["compute_infer"]["ns"] > 0
    assert 3 in [batch["batch_size"] for batch in after["batch_stats"]]
    assert len(client.get_inference_statistics()["model_stats"]) == 3


def test_repository(client):
    names = {m["name"]: m["state"] for m in client.get_model_repository_index()}
    assert names == {"double": "READY", "add_sub": "READY", "copies": "READY"}
    client.unload_model("add_sub")
    assert not client.is_model_ready("add_sub")
    assert client.is_server_ready()  # as the user wants it
    states = {m["name"]: m["state"] for m in client.get_model_repository_index()}
    assert states["add_sub"] == "UNAVAILABLE"
    client.load_model("add_sub")
    assert client.is_model_ready("add_sub")
    with pytest.raises(InferenceServerException, match=r"load: expected no parameters.* config"):
        client.load_model("add_sub", config='{"max_batch_size": 8}')


def test_models_stay_unless_the_server_lets_clients_change_them():
    with Server() as server, client_library.InferenceServerClient(server.http) as client:
        for call in (client.unload_model, client.load_model):
            with pytest.raises(InferenceServerException, match="Set model_control") as caught:
                call("double")
            assert caught.value.status() == "403"
        assert client.is_model_ready("double")


REFUSED = {
    "shared memory": [
        lambda c: c.get_system_shared_memory_status(),
        lambda c: c.register_system_shared_memory("r", "/r", 64),
        lambda c: c.unregister_system_shared_memory(),
        lambda c: c.unregister_system_shared_memory("r"),
    ],
    "shared memory of CUDA": [
        lambda c: c.get_cuda_shared_memory_status(),
        lambda c: c.register_cuda_shared_memory("r", b"aGFuZGxl", 0, 64),
        lambda c: c.unregister_cuda_shared_memory(),
    ],
    "trace settings": [
        lambda c: c.get_trace_settings(),
        lambda c: c.get_trace_settings("double"),
        lambda c: c.update_trace_settings(settings={"trace_level": ["OFF"]}),
    ],
    "log settings": [
        lambda c: c.get_log_settings(),
        lambda c: c.update_log_settings({"log_info": True}),
    ],
}


@pytest.mark.parametrize("what", REFUSED)
def test_extensions_that_are_refused_by_name(client, what):
    for call in REFUSED[what]:
        with pytest.raises(InferenceServerException, match=rf"\[protocol\] {what}: ") as caught:
            call(client)
        assert caught.value.status() == "501"


def test_tensors_in_shared_memory_are_refused(client):
    given = client_library.InferInput("x", [1, 4], "FP32")
    given.set_shared_memory("region", 16)
    with pytest.raises(InferenceServerException, match=r"input 'x'.*shared memory"):
        client.infer("double", [given])
    output = client_library.InferRequestedOutput("y")
    output.set_shared_memory("region", 16)
    with pytest.raises(InferenceServerException, match=r"output 'y'.*shared memory"):
        client.infer("double", [tensor("x", ROWS, "FP32")], outputs=[output])


def test_errors_name_the_cause(client):
    def refused(match, status, *arguments, **options):
        with pytest.raises(InferenceServerException, match=match) as caught:
            client.infer(*arguments, **options)
        assert caught.value.status() == status

    x = tensor("x", ROWS, "FP32")
    refused("expected one of double", "404", "nobody", [x])
    refused("expected version 1", "404", "double", [x], model_version="3")
    refused("input 'z': expected one of x", "400", "double", [tensor("z", ROWS, "FP32")])
    refused("output 'z': expected one of y", "400", "double", [x], outputs=[wanted("z")])
    doubles = tensor("x", ROWS.astype(np.float64), "FP64")
    refused("expected the datatype FP32, got FP64", "400", "double", [doubles])
    texts = tensor("x", np.array([[b"a"] * 4], object), "BYTES")
    refused("expected the datatype FP32, got BYTES", "400", "double", [texts])
    many = tensor("x", np.zeros((17, 4), np.float32), "FP32")
    refused(r"expected the shape \(1, 4\) to \(16, 4\), got \(17, 4\)", "400", "double", [many])
    refused(
        "expected a, b, got a", "400", "add_sub", [tensor("a", np.zeros((2, 3), np.int32), "INT32")]
    )
    with pytest.raises(InferenceServerException, match="expected one of double"):
        client.get_model_metadata("nobody")
    with pytest.raises(InferenceServerException, match="expected one of double"):
        client.get_inference_statistics("nobody")


def test_aio_client(server):
    async def main():
        async with aio.InferenceServerClient(server.http) as client:
            assert await client.is_server_live() and await client.is_server_ready()
            assert await client.is_model_ready("double")
            assert (await client.get_model_metadata("double"))["name"] == "double"
            assert (await client.get_model_config("double"))["max_batch_size"] == 16
            assert len(await client.get_model_repository_index()) == 3
            calls = (
                client.infer(
                    "double",
                    [tensor("x", ROWS + i, "FP32")],
                    request_compression_algorithm="gzip" if i % 2 else None,
                    response_compression_algorithm="deflate" if i % 3 else None,
                )
                for i in range(12)
            )
            for i, result in enumerate(await asyncio.gather(*calls)):
                np.testing.assert_array_equal(result.as_numpy("y"), 2 * (ROWS + i))
            with pytest.raises(InferenceServerException, match="expected one of double"):
                await client.infer("nobody", [tensor("x", ROWS, "FP32")])

    asyncio.run(main())
