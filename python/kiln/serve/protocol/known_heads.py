# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests whose JSON came before: a client sends the same one again and again.

What the JSON before binary tensors says is checked when it comes first. Later requests only need
arrays over their own bytes. In a process that waits for requests the caches are cold, and reading
the JSON takes as long as the run of a small model.
"""

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from kiln.serve.request import InferRequest, Kind
from kiln.serve.shortcut import Places
from kiln.serve.signature import Signature

_MOST = 64
LONGEST = 4096


class _Tensor(NamedTuple):
    name: str
    dtype: "np.dtype[Any]"
    shape: "tuple[int, ...]"
    elements: int
    begin: int


class Head(Kind):
    """What one JSON says to a model of one signature.

    form: how the client wants the outputs. bytes: of all tensors.
    """

    def __init__(self, signature: Signature, request: InferRequest, form: Any) -> None:
        self.signature, self.form = signature, form
        self._outputs, self._id = request.outputs, request.id
        self._timeout_ms, self._parameters = request.timeout_ms, request.parameters
        self._tensors = []
        self.bytes = 0
        for name, array in request.inputs.items():
            tensor = _Tensor(name, array.dtype, array.shape, array.size, self.bytes)
            self._tensors.append(tensor)
            self.bytes += array.nbytes

    def places(self, begin: int) -> Places:
        """Where the bytes of each tensor lie in a body whose tensors begin at a byte."""
        return [
            (t.name, begin + t.begin, begin + t.begin + t.dtype.itemsize * t.elements)
            for t in self._tensors
        ]

    def request(self, body: Any, begin: int) -> InferRequest:
        """The request of a body whose tensors begin at a byte."""
        inputs = {
            name: np.frombuffer(body, dtype, count, begin + at).reshape(shape)
            for name, dtype, shape, count, at in self._tensors
        }
        return InferRequest(
            inputs, self._outputs, self._id, self._timeout_ms, self._parameters, kind=self
        )


class KnownHeads:
    """The heads that came last."""

    def __init__(self) -> None:
        self._heads: OrderedDict[bytes, Head] = OrderedDict()

    def find(self, body: "bytes | memoryview", length: int, signature: Signature) -> "Head | None":
        """The head of a body, if it is known and all of its tensors are there."""
        if length > LONGEST:
            return None
        head = self._heads.get(bytes(body[:length]))
        if head is None or head.signature is not signature or len(body) != length + head.bytes:
            return None
        return head

    def keep(
        self, text: "bytes | memoryview", signature: Signature, request: InferRequest, form: Any
    ) -> None:
        """Keeps the head of a checked request; its inputs must be the bytes behind the JSON."""
        arrays = request.inputs.values()
        # Bools are no view of the bytes, and nor is an empty tensor.
        if len(text) > LONGEST or any(a.dtype.kind == "b" or a.size == 0 for a in arrays):
            return
        self._heads[bytes(text)] = Head(signature, request, form)
        if len(self._heads) > _MOST:
            self._heads.popitem(last=False)
