# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A model that is ready for requests."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

import numpy as np

import kiln
from kiln.serve import plans, plugins
from kiln.serve.batching import Batcher
from kiln.serve.config import ModelConfig
from kiln.serve.engine import OpenedEngine, open_plan
from kiln.serve.observer import Guarded, Observer
from kiln.serve.padding import Group, Grouping, Joined
from kiln.serve.plans import PlanFile
from kiln.serve.request import BadRequestError, InferRequest, InferResult, LoadError
from kiln.serve.signature import ShapeRange, Signature
from kiln.serve.warmup import warm_up
from kiln.serve.worker import CpuWorker, Worker

_LOG = logging.getLogger("kiln.serve")


class Model:
    """One version of a model with its workers and its queue.

    Make one with ``Model.load`` on any thread, or ``await Model.open(...)``; use it on one event
    loop.

    memory: bytes of the plan, the contexts and the buffers. again: gets the model that takes the
    requests after this one was unloaded to make room; None: they are refused.
    """

    again: "Callable[[], Awaitable[Model]] | None" = None

    def __init__(
        self, config: ModelConfig, plan: PlanFile, opened: OpenedEngine, workers: "list[Worker]"
    ) -> None:
        self.config, self.plan = config, plan
        self._opened: OpenedEngine | None = opened
        self.name, self.version, self.versions = plan.name, plan.version, list(plan.versions)
        self.signature: Signature = opened.signature
        self.device = opened.device
        self.grouping = Grouping(self.signature, config.batching)
        self._workers = workers
        self._types = {s.name: workers[0].inputs[s.name] for s in self.signature.inputs}
        self._valued = any(self.signature.values)  # values of inputs decide the group, too
        self._outputs = {spec.name for spec in self.signature.outputs}
        self.observer: Guarded | None = None
        # Plugins in Python may do anything that takes time, and hang.
        steady = not opened.has_python
        self.batcher = Batcher(self.name, self.version, workers, self.grouping, steady=steady)
        self.last_used = time.monotonic()

    @classmethod
    def load(cls, config: ModelConfig, plan: "PlanFile | None" = None) -> "Model":
        """Loads plugins and plan, makes the workers, and runs each once. Raises LoadError."""
        plan = plan or plans.find(config)
        plugins.load(config, plan)
        cores = _cores()  # before threads changes what Kiln says
        if config.threads is not None:
            kiln.set_num_threads(config.threads)
        opened = open_plan(config, plan)
        _check_batching(config, opened.signature, plan.name)
        workers = [_worker(opened, config) for _ in range(_count(config, opened.device, cores))]
        if config.ranks > 1:
            from kiln.serve.parallel import grouped

            workers = [grouped(workers[0], config)]  # type: ignore[list-item]
        model = cls(config, plan, opened, workers)
        if config.warm_up:
            warm_up(opened, workers, model.grouping, model.batcher.pace.cost)
        return model

    @classmethod
    async def open(cls, config: ModelConfig, observer: "Observer | None" = None) -> "Model":
        """Loads a model on another thread. Raises LoadError."""
        model = await asyncio.to_thread(cls.load, config)
        model.watch(observer)
        return model

    def watch(self, observer: "Observer | None") -> None:
        """Sets what learns about requests and batches."""
        guarded = (
            observer if observer is None or isinstance(observer, Guarded) else Guarded(observer)
        )
        self.observer = self.batcher.observer = guarded

    @property
    def workers(self) -> "list[Worker]":
        """The contexts with their buffers."""
        return self._workers

    @property
    def memory(self) -> int:
        """Bytes: the plan, with its weights, and for each worker a context and its buffers."""
        if self._opened is None:
            return 0
        context = int(self._opened.engine.device_memory_size_v2)
        buffers = sum(worker.buffer_bytes for worker in self._workers)
        return self._opened.plan_bytes + context * len(self._workers) + buffers

    def ready(self) -> bool:
        """Whether the model takes requests and its device works."""
        is_open = self._opened is not None and not self.batcher.closing
        return is_open and not any(worker.broken for worker in self._workers)

    @property
    def inside(self) -> int:
        """Requests that wait or run."""
        return self.batcher.inside

    @property
    def answers_at_once(self) -> bool:
        """Whether a request need not wait: nobody could take it back before its answer."""
        return self.batcher.is_idle

    async def infer(self, request: InferRequest) -> InferResult:
        """Answers a request, in a batch with others. Raises RequestError and its kinds."""
        if self.batcher.closing and self.again is not None:
            return await (await self.again()).infer(request)
        request.started = time.perf_counter()
        observer = self.observer
        if observer is None:
            return await self.batcher.submit(request, self._checked(request))
        if observer.starts_late:
            try:
                found = self.batcher.run_now(request, self._checked(request))
            except BaseException as error:
                token = observer.request_started(self.name, self.version, request)
                observer.request_ended(token, error)
                raise
            if found is not None:  # a lone client, whose request is told of later
                observer.answered(self.name, self.version, request, *found)
                return found[0]
        token = observer.request_started(self.name, self.version, request)
        try:
            result = await self.batcher.submit(request, self._checked(request))
        except BaseException as error:
            observer.request_ended(token, error)
            raise
        observer.request_ended(token, result)
        return result

    def joined(self, request: InferRequest) -> Joined:
        """A request as a batch. Raises BadRequestError."""
        group = self._checked(request)
        return self.grouping.join(group, [request], [self.grouping.rows(request)])

    def check(self, request: InferRequest) -> None:
        """Raises BadRequestError unless names, types and shapes are those of the engine."""
        self._checked(request)

    def _checked(self, request: InferRequest) -> Group:
        """The group of a request; raises as check does."""
        kind = request.kind
        if kind is not None and kind.grouping is self.grouping:
            known: Group = kind.group
            return known
        inputs, types = request.inputs, self._types
        found: Any = None
        for name, dtype in types.items():
            if name not in inputs:
                raise self._wrong_names(inputs)
            array = inputs[name]
            found = getattr(array, "dtype", None)
            if found is not dtype and found != dtype:  # types are mostly the same object
                raise BadRequestError(
                    f"[serve] model '{self.name}', input '{name}': expected {dtype.name}, got "
                    f"{found or type(array).__name__}."
                )
        if len(inputs) != len(types):
            raise self._wrong_names(inputs)
        if request.outputs and not self._outputs.issuperset(request.outputs):
            raise BadRequestError(
                f"[serve] model '{self.name}', outputs: expected some of "
                f"{', '.join(sorted(self._outputs))}, got {', '.join(request.outputs)}."
            )
        group = self.grouping.group(request)
        if group is None:
            raise BadRequestError(self._shape_problem(request))
        if kind is not None and not self._valued:
            kind.grouping, kind.group = self.grouping, group
        return group

    def _wrong_names(self, inputs: "dict[str, Any]") -> BadRequestError:
        return BadRequestError(
            f"[serve] model '{self.name}', inputs: expected {', '.join(self._types) or 'none'}, "
            f"got {', '.join(inputs) or 'none'}."
        )

    def _shape_problem(self, request: InferRequest) -> str:
        """Which input no profile takes."""
        shapes = {name: np.shape(array) for name, array in request.inputs.items()}
        shown = ", ".join(f"'{name}' {_shown(shape)}" for name, shape in shapes.items())
        for name, shape in shapes.items():
            ranges = list(dict.fromkeys(p[name] for p in self.signature.profiles))
            if not any(self._near(name, known, shape) for known in ranges):
                wanted = " or ".join(map(_range, ranges))
                return (
                    f"[serve] model '{self.name}', input '{name}': expected the shape {wanted}, "
                    f"got {_shown(shape)}."
                )
        if any(self.signature.values) and self.signature.profile_for(shapes) is not None:
            return self._value_problem(request)
        if self.signature.batch and len({shape[0] for shape in shapes.values()}) > 1:
            return (
                f"[serve] model '{self.name}': expected inputs of equally many rows (axis 0), got "
                f"{shown}."
            )
        return (
            f"[serve] model '{self.name}': expected shapes that one profile of the engine takes "
            f"together, got {shown}."
        )

    def _value_problem(self, request: InferRequest) -> str:
        """Which input has values, as those of a shape, that no profile takes."""
        found = self.signature.values_of(request.inputs)
        for name, values in found.items():
            ranges = list(dict.fromkeys(p[name] for p in self.signature.values))
            if not any(known.takes(values) for known in ranges):
                wanted = " or ".join(map(_range, ranges))
                return (
                    f"[serve] model '{self.name}', input '{name}': expected the values {wanted}, "
                    f"got {_shown(values)}. They decide shapes, so a profile limits them."
                )
        shown = ", ".join(f"'{name}' {_shown(values)}" for name, values in found.items())
        return (
            f"[serve] model '{self.name}': expected values that one profile of the engine takes "
            f"together with the shapes, got {shown}."
        )

    def _near(self, name: str, known: ShapeRange, shape: "tuple[int, ...]") -> bool:
        """Whether a range takes a shape, perhaps with padding."""
        if len(shape) != len(known.low):
            return False
        pad = self.config.batching.pad.get(name)
        free = {0} if self.grouping.joins else set()
        free |= {pad.axis} if pad is not None and self.grouping.joins else set()
        least = (1 if axis in free else low for axis, low in enumerate(known.low))
        return all(a <= b <= c for a, b, c in zip(least, shape, known.high, strict=True))

    async def close(self) -> None:
        """Refuses new requests, waits for those inside, and gives the memory back."""
        await self.batcher.close()
        self._workers = []
        self._opened = None  # the engine goes with its last context


def _shown(shape: "tuple[int, ...]") -> str:
    return f"({', '.join(map(str, shape))})"


def _range(known: ShapeRange) -> str:
    if known.low == known.high:
        return _shown(known.low)
    return f"{_shown(known.low)} to {_shown(known.high)}"


@cache
def _cores() -> int:
    """The cores of this process, as they were told to Kiln before the first model was loaded."""
    return kiln.num_threads()


def _count(config: ModelConfig, device: str, cores: int) -> int:
    """How many workers a model has."""
    if config.ranks > 1:
        return 1  # all ranks run the same batches in the same order
    if config.workers is not None:
        return max(1, config.workers)
    if device != "cpu":
        return 2
    return max(1, cores // (config.threads or cores))


def _worker(opened: OpenedEngine, config: ModelConfig) -> Worker:
    if opened.device == "cpu":
        return CpuWorker(opened)
    from kiln.serve.cuda_worker import CudaWorker

    return CudaWorker(opened, config.cuda_graphs and config.ranks == 1)


def _check_batching(config: ModelConfig, signature: Signature, name: str) -> None:
    """Raises LoadError if the configuration names what the engine does not have."""
    inputs = {spec.name: spec for spec in signature.inputs}
    outputs = {spec.name: spec for spec in signature.outputs}
    for tensor, pad in config.batching.pad.items():
        spec = inputs.get(tensor)
        if spec is None or not 0 < pad.axis < len(spec.shape):
            raise LoadError(
                f"[serve] model '{name}', pad: expected an input of {', '.join(inputs)} and an "
                f"axis behind the batch, got '{tensor}' and axis {pad.axis}."
            )
    for tensor, crop in config.batching.crop.items():
        found, source = outputs.get(tensor), inputs.get(crop.input)
        if found is None or source is None or not 0 < crop.axis < len(found.shape):
            raise LoadError(
                f"[serve] model '{name}', crop: expected an output of {', '.join(outputs)}, an "
                f"axis of it and an input, got '{tensor}', axis {crop.axis} and '{crop.input}'."
            )
