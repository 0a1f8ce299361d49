# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages of gRPC: those of the protocol, beside a client's own."""

import asyncio
import pickle
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")
pytest.importorskip("grpc", reason="scripts/setup.sh serve installs it")
pytest.importorskip("tritonclient.grpc", reason="scripts/setup.sh serve installs it")

from kiln.serve.protocol import messages
from kiln.serve.protocol.grpc import (
    InferenceService,
    add_GRPCInferenceServiceServicer_to_server,
)
from tritonclient.grpc import model_config_pb2, service_pb2

ROOT = Path(__file__).parents[2]


def fields(message):
    """Number, type and label of each field by name; messages and enums by their names."""
    found = {}
    for field in message.fields:
        inner = field.message_type or field.enum_type
        kind = inner.full_name if inner else field.type
        one = field.containing_oneof.name if field.containing_oneof else None
        found[field.name] = (field.number, kind, field.is_repeated, one)
    return found


def both(message, reference):
    """Yields our message and the reference of the same name, with all inside of them."""
    yield message, reference
    inner = {nested.name: nested for nested in reference.nested_types}
    for nested in message.nested_types:
        yield from both(nested, inner[nested.name])


def test_every_field_is_the_protocols():
    references = dict(service_pb2.DESCRIPTOR.message_types_by_name)
    references |= dict(model_config_pb2.DESCRIPTOR.message_types_by_name)
    compared = 0
    for name, message in messages.FILE.message_types_by_name.items():
        if name == "Unsupported":
            continue
        for ours, reference in both(message, references[name]):
            expected = fields(reference)
            for field, value in fields(ours).items():
                assert value == expected[field], f"{name}.{field}"
                compared += 1
    assert compared > 100
    types = messages.FILE.enum_types_by_name["DataType"].values
    expected = model_config_pb2.DESCRIPTOR.enum_types_by_name["DataType"].values
    assert [(v.name, v.number) for v in types] == [(v.name, v.number) for v in expected]


def test_every_method_is_the_protocols():
    reference = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"]
    assert messages.SERVICE.full_name == reference.full_name
    ours = {m.name: m for m in messages.SERVICE.methods}
    assert list(ours) == [m.name for m in reference.methods]
    for method in reference.methods:
        if ours[method.name].input_type.name != "Unsupported":
            assert ours[method.name].input_type.name == method.input_type.name
            assert ours[method.name].output_type.name == method.output_type.name


def test_the_compiled_file_is_current():
    pytest.importorskip("grpc_tools", reason="needs grpcio-tools")
    script = ROOT / "scripts" / "make_protocol_messages.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_messages_can_be_pickled():
    request = messages.ModelInferRequest(model_name="m", raw_input_contents=[b"1234"])
    request.inputs.add(name="x", datatype="FP32", shape=[1])
    again = pickle.loads(pickle.dumps(request))
    assert again == request and type(again) is type(request)
    for name, kind in messages.CLASSES.items():
        assert type(pickle.loads(pickle.dumps(kind()))) is kind, name


class Recorder:
    """A gRPC server that keeps what is registered, as a proxy that hands calls on does."""

    def add_generic_rpc_handlers(self, handlers):
        self.generic = handlers[0]

    def add_registered_method_handlers(self, service, handlers):
        self.service, self.handlers = service, handlers


def test_a_proxy_may_replace_the_handlers():
    server = Recorder()
    add_GRPCInferenceServiceServicer_to_server(Mock(), server)
    assert server.service == "inference.GRPCInferenceService"
    names = {f"/{server.service}/{name}" for name in server.handlers}
    assert set(server.generic._method_handlers) == names
    infer = server.handlers["ModelInfer"]
    request = infer.request_deserializer(b"\x0a\x01m")
    assert request.model_name == "m"
    assert not infer.request_streaming and not infer.response_streaming
    stream = server.handlers["ModelStreamInfer"]
    assert stream.request_streaming and stream.response_streaming


class Context:
    """The context that Ray Serve gives to a replica: no deadline, no abort."""

    def __init__(self, **metadata):
        self.metadata, self.code, self.details = metadata, None, None
        self.trailing = [("request_id", "7")]

    def invocation_metadata(self):
        return list(self.metadata.items())

    def trailing_metadata(self):
        return self.trailing

    def set_trailing_metadata(self, trailing):
        self.trailing = list(trailing)

    def set_code(self, code):
        self.code = code

    def set_details(self, details):
        self.details = details


def test_errors_go_into_the_context_of_a_replica():
    from kiln.serve.request import OverloadedError
    from test_protocol_http import Failing

    service = InferenceService(Failing(OverloadedError("[serve] full")))
    request = messages.ModelInferRequest(model_name="m")
    request.inputs.add(name="x", datatype="FP32", shape=[1, 4])
    request.raw_input_contents.append(np.zeros(4, np.float32).tobytes())
    context = Context()
    answer = asyncio.run(service.ModelInfer(request, context))
    assert answer == messages.ModelInferResponse()
    assert (context.code.name, context.details) == ("UNAVAILABLE", "[serve] full")
    assert context.trailing == [("request_id", "7"), ("retry-after", "1")]
    service = InferenceService(Failing(ValueError("unforeseen")))
    asyncio.run(service.ModelInfer(request, context))
    assert context.code.name == "INTERNAL" and "unforeseen" in context.details


def test_a_stream_stops_reading_while_its_window_is_full():
    from kiln.serve.protocol.grpc import STREAM_WINDOW
    from test_protocol_http import Failing

    taken = 0

    class Waiting(Failing):
        async def infer(self, request):
            await asyncio.Event().wait()

    async def requests():
        nonlocal taken
        while True:
            taken += 1
            request = messages.ModelInferRequest(model_name="m")
            request.inputs.add(name="x", datatype="FP32", shape=[0, 4])
            request.raw_input_contents.append(b"")
            yield request

    async def main():
        answers = InferenceService(Waiting(None)).ModelStreamInfer(requests(), Context())
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext(answers), 0.2)
        await answers.aclose()
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(main()) == 0
    assert taken <= STREAM_WINDOW + 2
