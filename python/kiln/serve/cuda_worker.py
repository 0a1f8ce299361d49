# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A worker on a GPU: a stream, pinned buffers, and CUDA graphs for frequent shapes."""

import ctypes
import logging
import math
from typing import Any

import numpy as np

import kiln
from kiln.serve.engine import OpenedEngine
from kiln.serve.padding import Joined
from kiln.serve.request import Array, RequestError
from kiln.serve.signature import Shape
from kiln.serve.worker import Prepared, Worker

_LOG = logging.getLogger("kiln.serve")
# Runs of the same shapes before they are captured: a capture takes as long as a few runs.
_FREQUENT = 3
# Bytes of the smallest buffer.
_LEAST = 4096
# Graphs of one worker; each has an execution context of its own.
_GRAPHS = 16


class Pair:
    """Pinned host memory, and device memory of the same size."""

    def __init__(self, device: Any, size: int) -> None:
        self._device, self.size = device, size
        self.host = self.address = 0
        self.host = device.allocate_host(size)
        try:
            self.address = device.allocate(size)
        except BaseException:
            self.close()
            raise
        memory: Any = (ctypes.c_uint8 * size).from_address(self.host)
        self._memory = np.frombuffer(memory, np.uint8)

    def view(self, shape: Shape, dtype: "np.dtype[Any]") -> Array:
        """The beginning of the host memory as an array, which must not outlive this object."""
        return np.ndarray(shape, dtype, self._memory)

    def close(self) -> None:
        """Frees both."""
        if self.host:
            self._device.release_host(self.host)
        if self.address:
            self._device.release(self.address)
        self.host = self.address = 0


class Shapes(Prepared):
    """Also the views of the outputs and, for frequent shapes, a graph with its own context."""

    def __init__(self, views: "dict[str, Array]", outputs: "dict[str, Shape | None]") -> None:
        super().__init__(views, outputs)
        self.results: dict[str, Array] = {}
        self.uses = 0
        self.graph = 0
        self.context: Any = None


class CudaWorker(Worker):
    """A context on a GPU.

    A run copies the joined inputs from pinned memory, executes, and copies the outputs back, all on
    one stream. Shapes that come often are captured: then the three are one launch. All contexts of
    the worker share one block of memory, because they never run at the same time.
    """

    def __init__(self, opened: OpenedEngine, graphs: bool = True) -> None:
        self.device = kiln._core._device_of(opened.engine)
        self.stream = self.device.create_stream()
        self._pairs: dict[str, Pair] = {}
        self._arena_bytes = int(opened.engine.device_memory_size_v2)
        self._arena = self.device.allocate(self._arena_bytes)
        # A plugin in Python may do work on the host, which a graph would not repeat.
        self._graphs_left = 0 if opened.host_inputs or opened.has_python or not graphs else _GRAPHS
        super().__init__(opened)

    def _create_context(self) -> Any:
        strategy = kiln.ExecutionContextAllocationStrategy.USER_MANAGED
        context = self.opened.engine.create_execution_context(strategy)
        if context is not None:
            context.set_device_memory(self._arena, self._arena_bytes)
        return context

    @property
    def buffer_bytes(self) -> int:
        """What the buffers take on the device."""
        return sum(pair.size for pair in list(self._pairs.values()))

    def run(self, joined: Joined) -> "dict[str, Array]":
        """Runs the engine; see Worker."""
        shapes = self._captured(joined)
        if shapes is None:
            prepared = self._prepare(joined)
            assert isinstance(prepared, Shapes)
            shapes = prepared
        for name, view in shapes.views.items():
            joined.fill(name, view)
        shapes.uses += 1
        try:
            if shapes.graph and not joined.profiled:
                self.device.launch_graph(shapes.graph, self.stream)
            elif self._is_frequent(shapes) and not joined.profiled:
                self._capture(shapes, joined)
            else:
                self._enqueue(self.context, shapes, joined)
            self.device.synchronize(self.stream)
        except RuntimeError as error:
            raise self._device_failure(error) from error
        return {name: self._result(shapes, name) for name in shapes.outputs}

    def _captured(self, joined: Joined) -> "Shapes | None":
        """The shapes of a batch if they have a graph: then the worker's own context rests."""
        key = (joined.profile, *joined.shapes.values())
        found = self._prepared.get(key)
        if isinstance(found, Shapes) and found.graph and not joined.profiled:
            self._prepared.move_to_end(key)
            return found
        return None

    def _make(self, views: "dict[str, Array]", shapes: "dict[str, Shape | None]") -> Shapes:
        made = Shapes(views, shapes)
        for name, shape in shapes.items():
            dtype = self.outputs[name]
            if shape is None:
                size = max(1, int(self.context.get_max_output_size(name)))
                made.results[name] = self._pair(name, size).view((size,), np.dtype(np.uint8))
            else:
                size = max(1, math.prod(shape)) * dtype.itemsize
                made.results[name] = self._pair(name, size).view(shape, dtype)
        self._bind(self.context)
        return made

    def _view(self, name: str, shape: Shape) -> Array:
        dtype = self.inputs[name]
        return self._pair(name, max(1, math.prod(shape)) * dtype.itemsize).view(shape, dtype)

    def _pair(self, name: str, size: int) -> Pair:
        """The memory of an input or output; larger memory replaces what is too small."""
        pair = self._pairs.get(name)
        if pair is None or pair.size < size:
            self._forget_all()
            if pair is not None:
                del self._pairs[name]
                pair.close()
            largest = self._largest(name) if name in self.inputs else 1
            rounded = max(_LEAST, 1 << (size - 1).bit_length())  # few batches need more again
            self._pairs[name] = pair = Pair(self.device, max(rounded, largest))
        return pair

    def _bind(self, context: Any) -> None:
        for name, pair in self._pairs.items():
            on_host = name in self.opened.host_memory
            self._set_address(context, name, pair.host if on_host else pair.address)

    def _enqueue(self, context: Any, shapes: Shapes, joined: Joined) -> None:
        """Copies in, executes, copies out."""
        device, stream, on_host = self.device, self.stream, self.opened.host_memory
        for name, view in shapes.views.items():
            if name not in on_host:
                pair = self._pairs[name]
                device.copy_later(pair.address, pair.host, view.nbytes, True, stream)
        self._execute(context, joined)
        for name, result in shapes.results.items():
            if name not in on_host and shapes.outputs[name] is not None:
                pair = self._pairs[name]
                device.copy_later(pair.host, pair.address, result.nbytes, False, stream)

    def _result(self, shapes: Shapes, name: str) -> Array:
        """A copy of an output, because the next batch overwrites the buffer."""
        result = shapes.results[name]
        if shapes.outputs[name] is not None:
            return result.copy()
        found, dtype = self._found(self.context, name), self.outputs[name]
        pair = self._pairs[name]
        size = math.prod(found) * dtype.itemsize
        if name not in self.opened.host_memory:
            self.device.copy(pair.host, pair.address, size, False, self.stream)
        return pair.view(found, dtype).copy()

    def _is_frequent(self, shapes: Shapes) -> bool:
        fixed = all(shape is not None for shape in shapes.outputs.values())
        return fixed and self._graphs_left > 0 and shapes.uses >= _FREQUENT

    def _capture(self, shapes: Shapes, joined: Joined) -> None:
        """Runs a batch in a context for its shapes alone, and captures a second run.

        A graph reads what its context has on the device for these shapes, so the context must not
        get other ones.
        """
        context = self._new_context()
        self._set_shapes(context, joined)
        self._bind(context)
        self._enqueue(context, shapes, joined)  # the run of this batch
        self.device.synchronize(self.stream)
        graph = 0
        try:
            self.device.begin_capture(self.stream)
            try:
                self._enqueue(context, shapes, joined)
            finally:
                graph = self.device.end_capture(self.stream)
        except Exception as error:
            self._graphs_left = 0
            _LOG.warning("model '%s' runs without CUDA graphs: %s", self.opened.name, error)
            self.recorder.clear()
            if graph:
                self.device.destroy_graph(graph)
            return
        shapes.graph, shapes.context = graph, context
        self._graphs_left -= 1

    def _forget(self, prepared: Prepared) -> None:
        if isinstance(prepared, Shapes) and prepared.graph:
            self.device.destroy_graph(prepared.graph)
            prepared.graph, prepared.context = 0, None
            self._graphs_left += 1

    def _forget_all(self) -> None:
        """Before memory goes that views, graphs and the context refer to."""
        self._current = None
        for prepared in self._prepared.values():
            self._forget(prepared)
        self._prepared.clear()

    def _device_failure(self, error: RuntimeError) -> Exception:
        self._current = None
        self.recorder.clear()
        try:
            self.device.synchronize(self.stream)
        except RuntimeError:
            self.broken = True  # such as after an illegal access: no later run can succeed
        return RequestError(f"[serve] model '{self.opened.name}': the run failed: {error}")

    def close(self) -> None:
        """Gives contexts, graphs, buffers and the stream back."""
        self._forget_all()
        super().close()
        for pair in self._pairs.values():
            pair.close()
        self._pairs.clear()
        if self._arena:
            self.device.release(self._arena)
            self.device.destroy_stream(self.stream)
            self._arena = 0
