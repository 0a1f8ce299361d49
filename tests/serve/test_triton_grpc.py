# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of tritonclient.grpc and tritonclient.grpc.aio against Kiln, unchanged."""

import asyncio
import queue
from functools import partial

import kiln
import ml_dtypes
import numpy as np
import pytest
from protocol_server import Server

client_library = pytest.importorskip("tritonclient.grpc", reason="needs tritonclient[grpc]")
aio = pytest.importorskip("tritonclient.grpc.aio")
from tritonclient.grpc import service_pb2, service_pb2_grpc  # noqa: E402
from tritonclient.utils import InferenceServerException  # noqa: E402

grpc = pytest.importorskip("grpc")


@pytest.fixture(scope="module")
def server():
    with Server(control=True) as running:
        yield running


@pytest.fixture
def client(server):
    with client_library.InferenceServerClient(server.grpc) as made:
        yield made


@pytest.fixture
def stub(server):
    with grpc.insecure_channel(server.grpc) as channel:
        yield service_pb2_grpc.GRPCInferenceServiceStub(channel)


ROWS = np.arange(12, dtype=np.float32).reshape(3, 4) / 10


def tensor(name, array, datatype):
    made = client_library.InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array)
    return made


def test_health_and_metadata(client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("double") and client.is_model_ready("double", "1")
    assert not client.is_model_ready("nobody")
    metadata = client.get_server_metadata()
    assert (metadata.name, metadata.version) == ("kiln", kiln.kiln_version)
    model = client.get_model_metadata("double", as_json=True)
    assert model["inputs"] == [{"name": "x", "datatype": "FP32", "shape": ["-1", "4"]}]
    config = client.get_model_config("double").config
    assert (config.max_batch_size, list(config.input[0].dims)) == (16, [4])
    assert config.dynamic_batching.max_queue_delay_microseconds == 1000
    types = [t.data_type for t in client.get_model_config("copies").config.input]
    names = [client_library.model_config_pb2.DataType.Name(kind) for kind in types]
    assert names == [
        f"TYPE_{n}" for n in ["BOOL", "INT8", "UINT8", "INT32", "INT64", "FP16", "BF16", "FP32"]
    ]


@pytest.mark.parametrize("compression", [None, "gzip", "deflate"])
def test_infer(client, compression):
    result = client.infer(
        "double",
        [tensor("x", ROWS, "FP32")],
        outputs=[client_library.InferRequestedOutput("y")],
        request_id="7",
        compression_algorithm=compression,
        parameters={"user": "someone", "weight": 0.5, "count": 3, "fast": True},
        sequence_id="a",
        priority=2,
        timeout=10_000_000,
        headers={"request_id": "abc"},
    )
    np.testing.assert_array_equal(result.as_numpy("y"), ROWS + ROWS)
    response = result.get_response()
    assert (response.model_name, response.model_version, response.id) == ("double", "1", "7")


def test_every_type_comes_back(client):
    arrays = {
        "b": (np.array([[True, False, True]]), "BOOL"),
        "i8": (np.array([[-128, 0, 127]], np.int8), "INT8"),
        "u8": (np.array([[0, 1, 255]], np.uint8), "UINT8"),
        "i32": (np.array([[-(2**31), 0, 2**31 - 1]], np.int32), "INT32"),
        "i64": (np.array([[-(2**63), 0, 2**63 - 1]], np.int64), "INT64"),
        "f16": (np.array([[0.1, -65504, np.inf]], np.float16), "FP16"),
        "bf16": (np.array([[0.1, -3e38, 1]], ml_dtypes.bfloat16), "BF16"),
        "f32": (np.array([[0.1, -3e38, np.nan]], np.float32), "FP32"),
    }
    inputs = [tensor(name, array, kind) for name, (array, kind) in arrays.items()]
    result = client.infer("copies", inputs)
    for name, (array, _) in arrays.items():
        found = result.as_numpy(f"out_{name}")
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


def typed_request(**contents):
    """A request of the model `add_sub` with typed contents."""
    request = service_pb2.ModelInferRequest(model_name="add_sub")
    for name, (field, values) in contents.items():
        given = request.inputs.add(name=name, datatype="INT32", shape=[2, 3])
        getattr(given.contents, field).extend(values)
    return request


def test_typed_contents(stub):
    request = typed_request(
        a=("int_contents", range(6)), b=("int_contents", [10, 20, 30, 40, 50, 60])
    )
    response = stub.ModelInfer(request)
    sums = np.frombuffer(response.raw_output_contents[0], np.int32)
    assert response.outputs[0].name == "plus"
    np.testing.assert_array_equal(sums, [10, 21, 32, 43, 54, 65])


def test_errors_of_typed_contents(stub):
    def refused(match, request):
        with pytest.raises(grpc.RpcError, match=match) as caught:
            stub.ModelInfer(request)
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT

    good = ("int_contents", range(6))
    refused("expected 6 elements.*got 5", typed_request(a=good, b=("int_contents", range(5))))
    refused("in int_contents, got fp32_contents", typed_request(a=good, b=("fp32_contents", [1.0])))
    refused("expected a, b, got a", typed_request(a=good))
    both = typed_request(a=good, b=good)
    both.raw_input_contents.append(b"")
    refused("one entry for each of the 2 inputs, got 1", both)
    empty = service_pb2.ModelInferRequest(model_name="add_sub")
    empty.inputs.add(name="a", datatype="INT32", shape=[0] + [(1 << 31) - 1] * 3)
    refused("expected extents that an array can have", empty)
    twice = typed_request(a=good)
    twice.inputs.append(twice.inputs[0])
    refused("input 'a': expected it once", twice)
    half = service_pb2.ModelInferRequest(model_name="copies")
    half.inputs.add(name="f16", datatype="FP16", shape=[1, 3]).contents.fp32_contents.append(1)
    refused("FP16 as bytes in raw_input_contents", half)


def test_classes_instead_of_values(client):
    rows = np.array([[0.1, 0.5, 0.2, 0.4], [4, 3, 2, 1]], np.float32)
    wanted = client_library.InferRequestedOutput("y", class_count=2)
    result = client.infer("double", [tensor("x", rows, "FP32")], outputs=[wanted])
    found = [[text.decode() for text in row] for row in result.as_numpy("y")]
    assert found == [["1.000000:1", "0.800000:3"], ["8.000000:0", "6.000000:1"]]


def test_async_infer(client):
    done = queue.Queue()
    for i in range(10):
        client.async_infer(
            "double",
            [tensor("x", ROWS + i, "FP32")],
            callback=lambda result, error: done.put((result, error)),
            request_id=str(i),
        )
    for _ in range(10):
        result, error = done.get(timeout=20)
        assert error is None
        i = int(result.get_response().id)
        np.testing.assert_array_equal(result.as_numpy("y"), 2 * (ROWS + i))


def test_stream(client):
    done = queue.Queue()
    client.start_stream(callback=lambda result, error: done.put((result, error)))
    for i in range(100):
        name = "nobody" if i == 50 else "double"
        client.async_stream_infer(
            name,
            [tensor("x", ROWS + i, "FP32")],
            request_id=str(i),
            enable_empty_final_response=i == 60,
        )
    for i in range(100):
        result, error = done.get(timeout=20)
        if i == 50:
            assert "expected one of double" in error.message()
            continue
        response = result.get_response()
        assert response.id == str(i)  # in the order of the requests
        assert response.parameters["triton_final_response"].bool_param == (i == 60)
        np.testing.assert_array_equal(result.as_numpy("y"), 2 * (ROWS + i))
    client.stop_stream()


def test_stream_that_the_client_cancels(client, server):
    done = queue.Queue()
    client.start_stream(callback=lambda result, error: done.put((result, error)))
    for _ in range(20):
        client.async_stream_infer("double", [tensor("x", ROWS, "FP32")])
    client.stop_stream(cancel_requests=True)
    result = client.infer("double", [tensor("x", ROWS, "FP32")])  # the server is well
    np.testing.assert_array_equal(result.as_numpy("y"), ROWS + ROWS)


def test_statistics_and_repository(client):
    client.infer("double", [tensor("x", ROWS, "FP32")])
    found = client.get_inference_statistics("double", as_json=True)["model_stats"][0]
    assert found["name"] == "double" and int(found["inference_count"]) >= 3
    assert int(found["inference_stats"]["success"]["count"]) >= 1
    client.unload_model("add_sub")
    assert not client.is_model_ready("add_sub")
    index = client.get_model_repository_index(as_json=True)["models"]
    assert {m["name"]: m["state"] for m in index}["add_sub"] == "UNAVAILABLE"
    client.load_model("add_sub")
    assert client.is_model_ready("add_sub")
    with pytest.raises(InferenceServerException, match="expected no parameters, got config"):
        client.load_model("add_sub", config="{}")


def test_models_stay_unless_the_server_lets_clients_change_them():
    with Server() as server, client_library.InferenceServerClient(server.grpc) as client:
        for call in (client.unload_model, client.load_model):
            with pytest.raises(InferenceServerException, match="Set model_control") as caught:
                call("double")
            assert caught.value.status() == "StatusCode.PERMISSION_DENIED"
        assert client.is_model_ready("double")


REFUSED = [
    lambda c: c.get_system_shared_memory_status(),
    lambda c: c.register_system_shared_memory("r", "/r", 64),
    lambda c: c.unregister_system_shared_memory(),
    lambda c: c.get_cuda_shared_memory_status(),
    lambda c: c.register_cuda_shared_memory("r", b"aGFuZGxl", 0, 64),
    lambda c: c.unregister_cuda_shared_memory(),
    lambda c: c.get_trace_settings(),
    lambda c: c.update_trace_settings(settings={"trace_level": ["OFF"]}),
    lambda c: c.get_log_settings(),
    lambda c: c.update_log_settings({"log_info": True}),
]


@pytest.mark.parametrize("call", REFUSED)
def test_extensions_that_are_refused_by_name(client, call):
    with pytest.raises(InferenceServerException, match="this server has none") as caught:
        call(client)
    assert caught.value.status() == "StatusCode.UNIMPLEMENTED"


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
        assert caught.value.status() == f"StatusCode.{status}"

    x = tensor("x", ROWS, "FP32")
    refused("expected one of double", "NOT_FOUND", "nobody", [x])
    refused("expected version 1", "NOT_FOUND", "double", [x], model_version="3")
    wrong = partial(refused, status="INVALID_ARGUMENT", model_name="double")
    wrong("input 'z': expected one of x", inputs=[tensor("z", ROWS, "FP32")])
    wrong(
        "output 'z': expected one of y",
        inputs=[x],
        outputs=[client_library.InferRequestedOutput("z")],
    )
    doubles = tensor("x", ROWS.astype(np.float64), "FP64")
    wrong("expected the datatype FP32, got FP64", inputs=[doubles])
    many = tensor("x", np.zeros((17, 4), np.float32), "FP32")
    wrong(r"expected the shape \(1, 4\) to \(16, 4\), got \(17, 4\)", inputs=[many])


def test_aio_client(server):
    async def requests():
        for i in range(40):
            yield {"model_name": "double", "inputs": [tensor("x", ROWS + i, "FP32")]}

    async def main():
        async with aio.InferenceServerClient(server.grpc) as client:
            assert await client.is_server_live() and await client.is_model_ready("double")
            assert (await client.get_model_metadata("double")).name == "double"
            calls = (client.infer("double", [tensor("x", ROWS + i, "FP32")]) for i in range(12))
            for i, result in enumerate(await asyncio.gather(*calls)):
                np.testing.assert_array_equal(result.as_numpy("y"), 2 * (ROWS + i))
            i = 0
            async for result, error in client.stream_infer(requests()):
                assert error is None
                np.testing.assert_array_equal(result.as_numpy("y"), 2 * (ROWS + i))
                i += 1
            assert i == 40
            with pytest.raises(InferenceServerException, match="expected one of double"):
                await client.infer("nobody", [tensor("x", ROWS, "FP32")])

    asyncio.run(main())
