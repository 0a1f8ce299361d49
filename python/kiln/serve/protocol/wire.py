# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""gRPC's inference messages as bytes, of which only the numbers are new.

Clients write the tensors last, as entries of raw_input_contents, and a client that asks often sends
the same bytes before them each time. What those say is kept, and arrays lie over the bytes behind
them; the message itself is not read. Answers are kept in the same way.
"""

from collections import OrderedDict
from typing import Any

import numpy as np

from kiln.serve import shortcut
from kiln.serve.protocol import contents
from kiln.serve.protocol.messages import ModelInferRequest, ModelInferResponse
from kiln.serve.request import InferRequest, InferResult, Kind
from kiln.serve.signature import Signature

MOST = 64  # heads and answers that are kept
_LONGEST = 4096  # bytes of a head
_RAW_INPUTS = ModelInferRequest.DESCRIPTOR.fields_by_name["raw_input_contents"].number
_RAW_OUTPUTS = ModelInferResponse.DESCRIPTOR.fields_by_name["raw_output_contents"].number


def _entry(field: int, size: int) -> bytes:
    """What stands before `size` bytes of a field."""
    text = bytearray([field << 3 | 2])
    while size > 127:
        text.append(size & 127 | 128)
        size >>= 7
    text.append(size)
    return bytes(text)


class _Lazy:
    """A message as bytes, which are read when somebody looks at its fields or changes them.

    data: the bytes that came; they stay if the message is changed.
    """

    kind: Any = None

    __slots__ = ("_message", "data")

    def __init__(self, data: bytes) -> None:
        _set_data(self, data)
        _set_message(self, None)

    @property
    def message(self) -> Any:
        """The message; it is this object's own."""
        if self._message is None:
            _set_message(self, self.kind.FromString(self.data))
        return self._message

    def __getattr__(self, name: str) -> Any:
        return getattr(self.message, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.message, name, value)

    def __eq__(self, other: object) -> bool:
        return bool(self.message == getattr(other, "message", other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.message)

    def SerializeToString(self) -> bytes:
        """The bytes of the message."""
        data: bytes = self.data
        if self._message is not None:
            data = self._message.SerializeToString()
        return data

    def __reduce__(self) -> Any:
        return type(self), (self.SerializeToString(),)


_set_data = _Lazy.data.__set__  # type: ignore[attr-defined]
_set_message = _Lazy._message.__set__  # type: ignore[attr-defined]


class Request(_Lazy):
    """A ModelInferRequest. head: what is known of it; None if it may have been changed."""

    __slots__ = ("head",)
    kind = ModelInferRequest

    def __init__(self, data: bytes) -> None:
        _set_data(self, data)
        _set_message(self, None)
        _set_head(self, HEADS.find(data))

    @property
    def message(self) -> Any:
        """The message; who asks for it may change it."""
        _set_head(self, None)
        return super().message

    def keep(self, signature: Signature, request: InferRequest, counts: "dict[str, int]") -> None:
        """Keeps what the message says, for others like it."""
        HEADS.keep(self.data, self.message, signature, request, counts)


_set_head = Request.head.__set__  # type: ignore[attr-defined]


class Response(_Lazy):
    """A ModelInferResponse."""

    __slots__ = ()
    kind = ModelInferResponse


def received(data: bytes) -> Request:
    """The request of a call. Raises DecodeError if the bytes are none."""
    request = Request(data)
    if request.head is None:
        request.message  # noqa: B018
    return request


def serialized(message: Any) -> bytes:
    """The bytes of an answer."""
    data: bytes = message.SerializeToString()
    return data


class Head(Kind):
    """What the bytes before the tensors say to the models.

    model_name, model_version: as the client wrote them. signature: of the model that read it.
    counts: as contents.parse gives them.
    """

    def __init__(
        self,
        message: Any,
        signature: Signature,
        request: InferRequest,
        counts: "dict[str, int]",
        begin: int,
    ) -> None:
        self.model_name, self.model_version = message.model_name, message.model_version
        self.signature, self.counts = signature, counts
        self._more = request.outputs, request.id, request.timeout_ms, request.parameters
        self._tensors: list[tuple[str, Any, tuple[int, ...], int, int]] = []
        self._entries = []  # what stands before each tensor but the first
        at = begin
        for name, array in request.inputs.items():
            entry = _entry(_RAW_INPUTS, array.nbytes)
            if self._tensors:
                self._entries.append((at, at + len(entry), entry))
            at += len(entry)
            self._tensors.append((name, array.dtype, array.shape, array.size, at))
            at += array.nbytes
        self.size = at

    def fits(self, data: bytes) -> bool:
        """Whether tensors of the same sizes stand behind the head."""
        return all(data[a:b] == entry for a, b, entry in self._entries)

    @property
    def places(self) -> shortcut.Places:
        """Where the bytes of each tensor lie."""
        return [
            (name, at, at + dtype.itemsize * count) for name, dtype, _, count, at in self._tensors
        ]

    def request(self, data: bytes) -> InferRequest:
        """The request of a message that begins with this head."""
        inputs = {}
        for name, dtype, shape, count, at in self._tensors:
            inputs[name] = np.frombuffer(data, dtype, count, at).reshape(shape)
        return InferRequest(inputs, *self._more, kind=self)


class Heads:
    """The heads of the messages that came last."""

    def __init__(self) -> None:
        self._heads: OrderedDict[bytes, Head] = OrderedDict()
        self._lengths: dict[int, list[int]] = {}  # of the heads, by the size of their messages

    def find(self, data: bytes) -> "Head | None":
        """The head of a message, if it is known and its tensors have the sizes of before."""
        for length in self._lengths.get(len(data), ()):
            head = self._heads.get(data[:length])
            if head is not None and head.size == len(data) and head.fits(data):
                return head
        return None

    def keep(
        self,
        data: bytes,
        message: Any,
        signature: Signature,
        request: InferRequest,
        counts: "dict[str, int]",
    ) -> None:
        """Keeps the head of a message that contents.parse took."""
        arrays = list(request.inputs.values())
        # Most ids come once. Bools are no view of the bytes, and an empty tensor is none.
        if message.id or not message.raw_input_contents:
            return
        if any(a.dtype.kind == "b" or a.size == 0 for a in arrays):
            return
        tail = b"".join(p for a in arrays for p in (_entry(_RAW_INPUTS, a.nbytes), a.tobytes()))
        begin = len(data) - len(tail)
        first = _entry(_RAW_INPUTS, arrays[0].nbytes)
        if begin > _LONGEST or not data.endswith(tail) or not _is_whole(data[:begin], message):
            return
        length = begin + len(first)
        self._heads[data[:length]] = Head(message, signature, request, counts, begin)
        lengths = self._lengths.setdefault(len(data), [])
        if length not in lengths:
            lengths.append(length)
        if len(self._heads) > MOST:
            self._forget()

    def _forget(self) -> None:
        """Lets the oldest head go."""
        self._heads.popitem(last=False)
        self._lengths.clear()
        for text, head in self._heads.items():
            self._lengths.setdefault(head.size, []).append(len(text))


def _is_whole(head: bytes, message: Any) -> bool:
    """Whether bytes are a message: the given one without its tensors."""
    try:
        found = ModelInferRequest.FromString(head)
    except Exception:  # the tail began within another field
        return False
    if found.raw_input_contents:
        return False
    found.raw_input_contents.extend(message.raw_input_contents)
    return bool(found == message)


class Answers:
    """Renders results as the bytes of a ModelInferResponse."""

    def __init__(self) -> None:
        # With the signature, whose id must stay its own.
        self._heads: OrderedDict[tuple[object, ...], tuple[bytes, list[bytes], Signature]]
        self._heads = OrderedDict()

    def render(
        self, result: InferResult, counts: "dict[str, int]", signature: Signature
    ) -> "Response | Any":
        """As contents.render."""
        if counts:
            return contents.render(result, counts, signature)
        head, entries, _ = self.frame(result, signature)
        parts = [head]
        for entry, array in zip(entries, result.outputs.values(), strict=True):
            parts.append(entry)
            parts.append(array.tobytes())
        return Response(b"".join(parts))

    def frame(
        self, result: InferResult, signature: Signature
    ) -> "tuple[bytes, list[bytes], Signature]":
        """What stands before the outputs of an answer and before each of them."""
        outputs = result.outputs
        shapes = [array.shape for array in outputs.values()]
        key = (id(signature), result.version, result.id, *outputs, *shapes)
        found = self._heads.get(key)
        if found is None:
            found = self._heads[key] = self._head(result, signature)
            if len(self._heads) > MOST:
                self._heads.popitem(last=False)
        return found

    @staticmethod
    def _head(result: InferResult, signature: Signature) -> "tuple[bytes, list[bytes], Signature]":
        message = contents.render(result, {}, signature)
        entries = [_entry(_RAW_OUTPUTS, array.nbytes) for array in result.outputs.values()]
        del message.raw_output_contents[:]
        return message.SerializeToString(), entries, signature


HEADS = Heads()  # of this process
