# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""gRPC's messages as bytes: requests whose head came before, and answers whose head came before."""

import pickle

import numpy as np
import pytest

pytest.importorskip("orjson", reason="scripts/setup.sh serve installs it")
pytest.importorskip("google.protobuf", reason="scripts/setup.sh serve installs it")

from kiln.serve.protocol import contents, wire
from kiln.serve.protocol.messages import ModelInferRequest, ModelInferResponse
from kiln.serve.request import InferResult
from kiln.serve.signature import ShapeRange, Signature, TensorSpec


@pytest.fixture(autouse=True)
def heads(monkeypatch):
    monkeypatch.setattr(wire, "HEADS", wire.Heads())
    return wire.HEADS


def signature(dtype="float32"):
    specs = (TensorSpec("x", dtype, (-1, 2)), TensorSpec("n", "int64", (-1,)))
    ranges = {"x": ShapeRange((1, 2), (1, 2), (64, 2)), "n": ShapeRange((1,), (1,), (64,))}
    return Signature(specs, (TensorSpec("y", dtype, (-1, 2)),), (ranges,), True)


def message(rows, seed, **more):
    random = np.random.default_rng(seed)
    found = ModelInferRequest(model_name="m", model_version="2", **more)
    found.inputs.add(name="x", datatype="FP32", shape=[rows, 2])
    found.inputs.add(name="n", datatype="INT64", shape=[rows])
    found.parameters["timeout"].int64_param = 2000
    found.raw_input_contents.append(random.random((rows, 2), np.float32).tobytes())
    found.raw_input_contents.append(random.integers(0, 99, rows).tobytes())
    return found


def read(known, data):
    """A request as the service reads it, and whether its head was known."""
    request = wire.received(data)
    if request.head is not None and request.head.signature is known:
        return request.head.request(data), True
    parsed, counts = contents.parse(request.message, known)
    request.keep(known, parsed, counts)
    return parsed, False


@pytest.mark.parametrize("rows", [1, 3, 64])  # lengths of one byte and of two
def test_the_second_request_is_read_as_the_first(rows):
    known = signature()
    for seed in range(3):
        sent = message(rows, seed)
        request, was_known = read(known, sent.SerializeToString())
        assert was_known == (seed > 0)
        expected, _ = contents.parse(sent, known)
        for name, array in expected.inputs.items():
            np.testing.assert_array_equal(request.inputs[name], array)
            assert request.inputs[name].dtype == array.dtype
        assert (request.timeout_ms, request.outputs) == (expected.timeout_ms, [])
    head = wire.received(sent.SerializeToString()).head
    assert (head.model_name, head.model_version) == ("m", "2")


def test_sizes_take_no_head_of_each_other():
    known = signature()
    for rows in (1, 2, 3, 2, 1, 3):
        request, _ = read(known, message(rows, rows).SerializeToString())
        assert request.inputs["x"].shape == (rows, 2)


def test_tensors_of_other_sizes_behind_a_known_head_are_refused_as_before():
    """The same bytes in all, of which the second tensor has eight less and the first eight more."""
    known, sent = signature(), message(2, 0)
    read(known, sent.SerializeToString())
    sent.raw_input_contents[:] = [bytes(24), bytes(8)]
    data = sent.SerializeToString()
    assert wire.received(data).head is None
    with pytest.raises(Exception, match="expected 16 bytes for FP32"):
        read(known, data)


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_no_message_is_refused(kept):
    data = message(1, 0).SerializeToString()
    if kept:
        read(signature(), data)
    for wrong in (data[:-1], data[:20], b"\xff" * len(data)):
        with pytest.raises(Exception, match="parsing"):
            wire.received(wrong)


def test_other_models_ids_and_typed_contents_are_read_each_time(heads):
    known = signature()
    for sent in (message(1, 0, id="7"), message(1, 0)):
        read(known, sent.SerializeToString())
    assert wire.received(message(1, 0, id="7").SerializeToString()).head is None
    data = message(1, 0).SerializeToString()
    assert wire.received(data).head.signature is known
    typed = message(1, 0)
    del typed.raw_input_contents[:]
    typed.inputs[0].contents.fp32_contents.extend([1, 2])
    typed.inputs[1].contents.int64_contents.append(3)
    for _ in range(2):
        request, was_known = read(known, typed.SerializeToString())
        assert not was_known and request.inputs["n"].tolist() == [3]


def test_fields_behind_the_tensors():
    """A client may write fields in any order."""
    known, sent = signature(), message(1, 0)
    tail = ModelInferRequest(id="late").SerializeToString()
    for _ in range(2):
        request, was_known = read(known, sent.SerializeToString() + tail)
        assert not was_known and request.id == "late"


def test_old_heads_go():
    known = signature()
    for number in range(100):
        sent = message(1, number)
        sent.parameters["number"].int64_param = number
        read(known, sent.SerializeToString())
    assert len(wire.HEADS._heads) == wire.MOST
    assert wire.received(sent.SerializeToString()).head is not None


def test_a_request_is_its_message():
    data = message(1, 0).SerializeToString()
    read(signature(), data)
    request = wire.received(data)
    assert request.head is not None
    assert request.model_name == "m" and request == message(1, 0)
    assert request.head is None  # who looks at the message may change it
    request.model_name = "other"
    assert ModelInferRequest.FromString(request.SerializeToString()).model_name == "other"
    again = pickle.loads(pickle.dumps(request))
    assert again.model_name == "other" and again.inputs[0].name == "x"


def test_answers():
    known, answers = signature(), wire.Answers()
    for rows, id in ((1, ""), (64, ""), (1, ""), (1, "a"), (1, "")):
        y = np.random.default_rng(rows).random((rows, 2), np.float32)
        result = InferResult({"y": y}, "m", "2", id)
        found = ModelInferResponse.FromString(answers.render(result, {}, known).SerializeToString())
        assert found == contents.render(result, {}, known)
    changed = answers.render(result, {}, known)
    changed.id = "changed"
    assert ModelInferResponse.FromString(changed.SerializeToString()).id == "changed"
