# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An execution context with the memory of its inputs: what runs a batch."""

from collections import OrderedDict
from typing import Any

import kiln
import numpy as np
from kiln._device_array import _dtype_of
from kiln.serve.engine import OpenedEngine
from kiln.serve.padding import Joined
from kiln.serve.request import Array, LoadError, RequestError
from kiln.serve.signature import Shape

# Shapes whose views and output shapes are remembered.
_REMEMBERED = 128
# Inputs from this size are read where the client's array lies instead of being copied.
_COPIED = 1 << 16


class Recorder(kiln.IErrorRecorder):
    """Keeps the errors of one context, so that the answer to a request can say them."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[tuple[Any, str]] = []

    def clear(self) -> None:
        """Callback: removes all errors."""
        self.errors.clear()

    def report_error(self, code: Any, text: str) -> bool:
        """Callback: receives an error."""
        if len(self.errors) < 20:
            self.errors.append((code, text))
        return False

    def num_errors(self) -> int:
        """Callback: how many are kept."""
        return len(self.errors)

    get_num_errors = num_errors

    def get_error_code(self, index: int) -> Any:
        """Callback: the code of one."""
        return self.errors[index][0]

    def get_error_desc(self, index: int) -> str:
        """Callback: the text of one."""
        return self.errors[index][1]

    def has_overflowed(self) -> bool:
        """Callback: whether errors were dropped."""
        return len(self.errors) >= 20

    def take(self) -> str:
        """The texts since the last call, joined."""
        text = "\n".join(dict.fromkeys(text for _, text in self.errors))
        self.errors.clear()
        return text


class Prepared:
    """What is remembered of a profile with input shapes.

    views: of the input buffers. outputs: shape of each output; None if only a run tells it.
    """

    __slots__ = ("outputs", "views")

    def __init__(self, views: "dict[str, Array]", outputs: "dict[str, Shape | None]") -> None:
        self.views, self.outputs = views, outputs


class Worker:
    """A context on the CPU. One thread at a time may use it."""

    def __init__(self, opened: OpenedEngine) -> None:
        self.opened = opened
        self.inputs = {s.name: _dtype_of(s.dtype) for s in opened.signature.inputs}
        self.outputs = {s.name: _dtype_of(s.dtype) for s in opened.signature.outputs}
        context = opened.engine.create_execution_context()
        if context is None:
            raise LoadError(
                f"[serve] model '{opened.name}': no execution context: "
                f"{opened.logger.take_errors() or 'the log says why'}"
            )
        self.context = context
        self.recorder = context.error_recorder = Recorder()
        self._buffers: dict[str, Array] = {}
        self._bound: dict[str, int] = {}
        self._prepared: OrderedDict[tuple[object, ...], Prepared] = OrderedDict()
        self._current: tuple[object, ...] | None = None

    @property
    def buffer_bytes(self) -> int:
        """What the buffers of the inputs take."""
        return sum(buffer.nbytes for buffer in self._buffers.values())

    def run(self, joined: Joined) -> "dict[str, Array]":
        """Runs the engine. The results are new arrays. Raises RequestError with its message."""
        prepared = self._prepare(joined)
        for name, view in prepared.views.items():
            whole = joined.whole(name) if view.nbytes >= _COPIED else None
            if whole is None:
                joined.fill(name, view)
                self._bind(name, view)
            else:
                self._bind(name, whole)
        outputs = {name: self._output(name, shape) for name, shape in prepared.outputs.items()}
        if not self.context.execute_async_v3(0):
            raise self._failure("the run failed")
        for name, shape in prepared.outputs.items():
            if shape is None:
                outputs[name] = self._found(name, outputs[name])
        return outputs

    def _prepare(self, joined: Joined) -> Prepared:
        key = (joined.profile, *joined.shapes.values())
        prepared = self._prepared.get(key)
        if key != self._current:
            self._current = None  # until all of it succeeded
            self._set_shapes(joined)
            if prepared is None:
                prepared = self._remember(key, joined)
            self._current = key
            self._prepared.move_to_end(key)
        assert prepared is not None
        return prepared

    def _set_shapes(self, joined: Joined) -> None:
        context = self.context
        if context.active_optimization_profile != joined.profile and (
            not context.set_optimization_profile_async(joined.profile, 0)
        ):
            raise self._failure("the profile cannot be selected")
        for name, shape in joined.shapes.items():
            if not context.set_input_shape(name, shape):
                raise self._failure(f"input '{name}' refuses the shape {shape}")

    def _remember(self, key: "tuple[object, ...]", joined: Joined) -> Prepared:
        views = {name: self._view(name, shape) for name, shape in joined.shapes.items()}
        for name in self.opened.host_inputs:  # output shapes depend on their values
            joined.fill(name, views[name])
            self._bind(name, views[name])
        shapes: dict[str, Shape | None] = {}
        for name in self.outputs:
            shape = tuple(self.context.get_tensor_shape(name))
            shapes[name] = None if -1 in shape or self.opened.host_inputs else shape
        prepared = self._prepared[key] = Prepared(views, shapes)
        if len(self._prepared) > _REMEMBERED:
            self._prepared.popitem(last=False)
        return prepared

    def _view(self, name: str, shape: Shape) -> Array:
        """A view of the input's buffer, which grows when a request needs more than any before."""
        dtype = self.inputs[name]
        size = max(1, int(np.prod(shape, dtype=np.int64))) * dtype.itemsize
        buffer = self._buffers.get(name)
        if buffer is None or buffer.nbytes < size:
            self._buffers[name] = buffer = self._allocate(size)
            self._prepared.clear()  # their views are of the smaller buffer
        return np.ndarray(shape, dtype, buffer)

    def _allocate(self, size: int) -> Array:
        return np.zeros(size, np.uint8)

    def _bind(self, name: str, array: Array) -> None:
        address = array.ctypes.data
        if self._bound.get(name) != address:
            if not self.context.set_tensor_address(name, address):
                raise self._failure(f"input '{name}' refuses its memory")
            self._bound[name] = address

    def _output(self, name: str, shape: "Shape | None") -> Array:
        """A new array for an output: of its shape, or of the largest size that it may have."""
        if shape is None:
            output: Array = np.empty(max(1, self.context.get_max_output_size(name)), np.uint8)
        else:
            output = np.empty(shape, self.outputs[name])
        if not self.context.set_tensor_address(name, output.ctypes.data):
            raise self._failure(f"output '{name}' refuses its memory")
        return output

    def _found(self, name: str, memory: Array) -> Array:
        """The elements of an output whose shape the run found, without the rest of its memory."""
        shape = tuple(kiln.found_shape(self.context, name))
        if -1 in shape:
            raise self._failure(f"the shape of output '{name}' was not found")
        return np.ndarray(shape, self.outputs[name], memory).copy()

    def _failure(self, what: str) -> RequestError:
        self._current = None
        said = self.recorder.take() or "the log says why"
        return RequestError(f"[serve] model '{self.opened.name}': {what}: {said}")

    def close(self) -> None:
        """Gives the context and the buffers back."""
        self._prepared.clear()
        self._buffers.clear()
        self.context = None
