# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""An execution context with the memory of its inputs: what runs a batch."""

import math
import re
from collections import OrderedDict
from typing import Any

import numpy as np

import kiln
from kiln._device_array import _dtype_of
from kiln.serve.engine import OpenedEngine
from kiln.serve.padding import Joined
from kiln.serve.request import Array, LoadError, RequestError
from kiln.serve.signature import Shape

# What a traceback shows before its exception; files and lines are nothing for clients.
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\):\n(?:[ \t].*\n)+")
# Shapes whose views and output shapes are remembered.
_REMEMBERED = 128
# Buffers up to this size are as large as any batch needs from the start.
_AT_ONCE = 64 << 20
# Inputs from this size are read where the client's array lies instead of being copied.
_COPIED = 1 << 16
# Outputs up to this size are written to memory that stays, then copied: telling the context of a
# new array takes longer.
_KEPT = 1 << 13
# Contexts of a worker, each with shapes of its own: other shapes take a context as long as a run of
# a small model. They share their scratch memory. Above this size of it, runs take much longer.
_CONTEXTS = 32
_SCRATCH = 4 << 20
_ALIGNMENT = 256  # of scratch memory


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
        """The texts since the last call, joined, without tracebacks: these are in the log."""
        text = "\n".join(dict.fromkeys(text for _, text in self.errors))
        self.errors.clear()
        return _TRACEBACK.sub(": ", text)


class StepTimes(kiln.IProfiler):
    """Keeps the time of each layer of a run."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[str, float]] = []

    def report_layer_time(self, name: str, ms: float) -> None:
        """Callback: a layer took so long."""
        self.steps.append((name, ms))


class Prepared:
    """What is remembered of a profile with input shapes.

    views: the joined inputs, in the buffers of the worker. outputs: the shape of each output; None
    if only a run tells it. kept: the outputs whose memory stays. addresses: of views and kept.
    """

    def __init__(
        self,
        views: "dict[str, Array]",
        outputs: "dict[str, Shape | None]",
        kept: "dict[str, Array] | None" = None,
    ) -> None:
        self.views, self.outputs, self.kept = views, outputs, kept or {}
        self.addresses = {n: address_of(array) for n, array in {**views, **self.kept}.items()}


def address_of(array: Array) -> int:
    """Where the elements of an array begin."""
    return int(array.__array_interface__["data"][0])


class Worker:
    """An execution context with its buffers; see CpuWorker and CudaWorker.

    One thread at a time may use it. broken: whether its device no longer works.
    """

    broken = False
    stream = 0

    def __init__(self, opened: OpenedEngine) -> None:
        self.opened = opened
        self.inputs = {s.name: _dtype_of(s.dtype) for s in opened.signature.inputs}
        self.outputs = {s.name: _dtype_of(s.dtype) for s in opened.signature.outputs}
        self.recorder = Recorder()
        self.context = self._new_context()
        self._prepared: OrderedDict[tuple[object, ...], Prepared] = OrderedDict()
        self._current: tuple[object, ...] | None = None
        self._times = StepTimes()

    @property
    def buffer_bytes(self) -> int:
        """What the buffers of inputs and outputs take."""
        raise NotImplementedError

    def run(self, joined: Joined) -> "dict[str, Array]":
        """Runs the engine. The results are new arrays. Raises RequestError with its message."""
        raise NotImplementedError

    def close(self) -> None:
        """Gives the context and the buffers back."""
        self._prepared.clear()
        self.context = None

    def _new_context(self) -> Any:
        context = self._create_context()
        if context is None:
            raise LoadError(
                f"[serve] model '{self.opened.name}': no execution context: "
                f"{self.opened.logger.take_errors() or 'the log says why'}"
            )
        context.error_recorder = self.recorder
        return context

    def _create_context(self) -> Any:
        return self.opened.engine.create_execution_context()

    def _execute(self, context: Any, joined: Joined) -> None:
        """Runs the engine, with the times of its layers if a request asks for them."""
        if joined.profiled:
            context.profiler = self._times
        try:
            if not context.execute_async_v3(self.stream):
                raise self._failure()
        finally:
            if joined.profiled:
                context.profiler = None
                joined.steps, self._times.steps = self._times.steps, []

    def _prepare(self, joined: Joined) -> Prepared:
        """Gives the context the shapes of a batch, unless it has them."""
        key = (joined.profile, *joined.shapes.values())
        prepared = self._prepared.get(key)
        if key != self._current:
            self._current = None  # until all of it succeeded
            self._set_shapes(self.context, joined)
            if prepared is None:
                prepared = self._remember(key, joined)
            self._current = key
            self._prepared.move_to_end(key)
        assert prepared is not None
        return prepared

    def _set_shapes(self, context: Any, joined: Joined) -> None:
        if context.active_optimization_profile != joined.profile and (
            not context.set_optimization_profile_async(joined.profile, self.stream)
        ):
            raise self._failure("the profile cannot be selected")
        for name, shape in joined.shapes.items():
            if not context.set_input_shape(name, shape):
                raise self._failure(f"input '{name}' refuses the shape {shape}")

    def _remember(self, key: "tuple[object, ...]", joined: Joined) -> Prepared:
        views = {name: self._view(name, shape) for name, shape in joined.shapes.items()}
        for name in self.opened.host_inputs:  # output shapes depend on their values
            joined.fill(name, views[name])
            self._set_address(self.context, name, views[name].ctypes.data)
        shapes: dict[str, Shape | None] = {}
        for name in self.outputs:
            shape = tuple(self.context.get_tensor_shape(name))
            shapes[name] = None if -1 in shape or self.opened.host_inputs else shape
        prepared = self._prepared[key] = self._make(views, shapes)
        if len(self._prepared) > _REMEMBERED:
            self._forget(self._prepared.popitem(last=False)[1])
        return prepared

    def _make(self, views: "dict[str, Array]", shapes: "dict[str, Shape | None]") -> Prepared:
        return Prepared(views, shapes)

    def _forget(self, prepared: Prepared) -> None:
        """Something is no longer remembered."""

    def _view(self, name: str, shape: Shape) -> Array:
        """An array for a joined input, in a buffer of the worker."""
        raise NotImplementedError

    def _largest(self, name: str) -> int:
        """Bytes of an input for the highest shapes of all profiles; 1 if that is too much."""
        profiles = self.opened.signature.profiles
        most = max(math.prod(profile[name].high) for profile in profiles)
        size = most * self.inputs[name].itemsize
        return size if size <= _AT_ONCE else 1

    def _set_address(self, context: Any, name: str, address: int) -> None:
        if not context.set_tensor_address(name, address):
            raise self._failure(f"tensor '{name}' refuses its memory")

    def _found(self, context: Any, name: str) -> Shape:
        """The shape that the last run found for an output."""
        shape = tuple(kiln.found_shape(context, name))
        if -1 in shape:
            raise self._failure(f"the shape of output '{name}' was not found")
        return shape

    def _failure(self, what: str = "") -> RequestError:
        """The error of a run, with what the engine reported. what: why it could not start."""
        self._current = None
        name, said = self.opened.name, self.recorder.take() or "the log says why"
        if what:
            return RequestError(f"[serve] model '{name}' cannot start the run: {what}: {said}")
        return RequestError(f"[serve] model '{name}': the run failed: {said}")


class Shaped(Prepared):
    """What is remembered of shapes on the CPU.

    context: one that has the shapes; None: another shape took it. steady: whether all tensors lie
    in memory that stays, of which the context knows.
    """

    context: Any = None
    steady = False


class CpuWorker(Worker):
    """Contexts on the CPU. Results are written to new arrays, which the requests share.

    Small models have several contexts: batches change their size all the time, and a context that
    has the shapes needs not be told of them.
    """

    def __init__(self, opened: OpenedEngine) -> None:
        self._buffers: dict[str, Array] = {}
        size = int(opened.engine.device_memory_size_v2)
        self._scratch = np.empty(size + _ALIGNMENT, np.uint8)
        # Plugins have a state of their own in each context.
        several = size <= _SCRATCH and not opened.host_inputs and not opened.has_plugins
        self._most = _CONTEXTS if several else 1
        self._bound: dict[int, dict[str, int]] = {}  # addresses, by the id of the context
        self._contexts: list[Any] = []
        super().__init__(opened)
        self._idle = [self.context]  # without shapes

    @property
    def buffer_bytes(self) -> int:
        """What the buffers of the inputs and the outputs that stay take."""
        prepared = list(self._prepared.values())  # another thread may run meanwhile
        kept = sum(array.nbytes for shapes in prepared for array in shapes.kept.values())
        return kept + sum(buffer.nbytes for buffer in list(self._buffers.values()))

    def run(self, joined: Joined) -> "dict[str, Array]":
        """Runs the engine; see Worker."""
        key = (joined.profile, *joined.shapes.values())
        prepared = self._prepared.get(key)
        if not isinstance(prepared, Shaped) or not prepared.steady or joined.profiled:
            return self._run_bound(self._prepare(joined), joined)
        # Few functions: while a process waits for requests, its code leaves the caches.
        self._prepared.move_to_end(key)
        for name, view in prepared.views.items():
            joined.fill(name, view)
        if not prepared.context.execute_async_v3(0):
            raise self._failure()
        outputs = {}
        for name, array in prepared.kept.items():
            outputs[name] = array.copy()
        return outputs

    def shaped(self, joined: Joined) -> "Shaped | None":
        """What is remembered of the shapes of a batch."""
        found = self._prepared.get((joined.profile, *joined.shapes.values()))
        return found if isinstance(found, Shaped) else None

    def failure(self) -> RequestError:
        """The error of a run that somebody else started."""
        return self._failure()

    def _run_bound(self, prepared: Shaped, joined: Joined) -> "dict[str, Array]":
        """Runs the engine with arrays of this batch."""
        context, kept, addresses = prepared.context, prepared.kept, prepared.addresses
        steady = len(kept) == len(prepared.outputs)
        for name, view in prepared.views.items():
            large = view.nbytes >= _COPIED
            whole = joined.whole(name) if large else None
            if whole is None:
                joined.fill(name, view)
            self._bind(context, name, addresses[name] if whole is None else address_of(whole))
            steady = steady and not large
        outputs = {}
        for name, shape in prepared.outputs.items():
            if name in kept:
                self._bind(context, name, addresses[name])
                outputs[name] = kept[name]
            else:
                outputs[name] = self._output(context, name, shape)
        self._execute(context, joined)
        prepared.steady = steady
        for name, shape in prepared.outputs.items():
            if shape is None:  # without the rest of its memory
                found = self._found(context, name)
                outputs[name] = np.ndarray(found, self.outputs[name], outputs[name]).copy()
            elif name in kept:
                outputs[name] = outputs[name].copy()
        return outputs

    def _create_context(self) -> Any:
        strategy = kiln.ExecutionContextAllocationStrategy.USER_MANAGED
        context = self.opened.engine.create_execution_context(strategy)
        if context is not None:
            address, size = self._scratch.ctypes.data, self._scratch.nbytes - _ALIGNMENT
            if size:
                context.set_device_memory(-(-address // _ALIGNMENT) * _ALIGNMENT, size)
            self._contexts.append(context)
            self._bound[id(context)] = {}
        return context

    def _prepare(self, joined: Joined) -> Shaped:
        """A context with the shapes of a batch, and what is remembered of them."""
        key = (joined.profile, *joined.shapes.values())
        prepared = self._prepared.get(key)
        if isinstance(prepared, Shaped) and prepared.context is not None:
            self._prepared.move_to_end(key)
            return prepared
        self.context = self._free_context()
        self._set_shapes(self.context, joined)
        prepared = prepared or self._remember(key, joined)
        assert isinstance(prepared, Shaped)
        self._idle.remove(self.context)
        prepared.context = self.context
        self._prepared.move_to_end(key)
        return prepared

    def _free_context(self) -> Any:
        """A context without shapes, a new one, or the one whose shapes came longest ago."""
        if not self._idle:
            if len(self._contexts) < self._most:
                self._idle.append(self._new_context())
            else:
                for prepared in self._prepared.values():
                    self._release(prepared)
                    if self._idle:
                        break
        return self._idle[-1]

    def _release(self, prepared: Prepared) -> None:
        """The context of some shapes may have others."""
        if isinstance(prepared, Shaped) and prepared.context is not None:
            self._idle.append(prepared.context)
            prepared.context, prepared.steady = None, False

    _forget = _release

    def _release_all(self) -> None:
        for prepared in self._prepared.values():
            self._release(prepared)

    def _failure(self, what: str = "") -> RequestError:
        self._release_all()  # what a context has after a failure is not known
        return super()._failure(what)

    def _make(self, views: "dict[str, Array]", shapes: "dict[str, Shape | None]") -> Prepared:
        kept = {}
        for name, shape in shapes.items():
            dtype = self.outputs[name]
            if shape is not None and math.prod(shape) * dtype.itemsize <= _KEPT:
                kept[name] = np.empty(shape, dtype)
        return Shaped(views, shapes, kept)

    def _view(self, name: str, shape: Shape) -> Array:
        """A view of the input's buffer, which grows when a batch needs more than any before."""
        dtype = self.inputs[name]
        size = max(1, math.prod(shape)) * dtype.itemsize
        buffer = self._buffers.get(name)
        if buffer is None or buffer.nbytes < size:
            size = max(size, self._largest(name))
            self._buffers[name] = buffer = np.zeros(size, np.uint8)
            self._release_all()
            self._prepared.clear()  # their views are of the smaller buffer
        return np.ndarray(shape, dtype, buffer)

    def _bind(self, context: Any, name: str, address: int) -> None:
        bound = self._bound[id(context)]
        if bound.get(name) != address:
            self._set_address(context, name, address)
            bound[name] = address

    def _output(self, context: Any, name: str, shape: "Shape | None") -> Array:
        """A new array for an output: of its shape, or of the largest size that it may have."""
        if shape is None:
            output: Array = np.empty(max(1, context.get_max_output_size(name)), np.uint8)
        else:
            output = np.empty(shape, self.outputs[name])
        self._bind(context, name, address_of(output))
        return output

    def close(self) -> None:
        """Gives the contexts and the buffers back."""
        super().close()
        self._idle.clear()
        self._contexts.clear()
        self._bound.clear()
        self._buffers.clear()
