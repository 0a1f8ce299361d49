# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One model on several GPUs of a machine: tensor parallel, for networks with collective layers.

A model with ``ranks`` above 1 has one process for each. The replica itself is rank 0; the others
are actors on the same machine. They open the plan of their rank, join one NCCL communicator, whose
id rank 0 makes and hands round, and then run every batch together: rank 0 sends the joined inputs
to all, each runs its part, and the outputs of rank 0 are the answer.

A collective waits for all ranks. If one dies, the others would wait for ever, so the replica ends
its process: Ray Serve makes a new one with new ranks, and the proxies send its requests there.
"""

import dataclasses
import importlib
import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np

from kiln._messages import message
from kiln.serve.config import Batching, ModelConfig, from_dict, to_dict
from kiln.serve.nccl import Nccl
from kiln.serve.padding import Joined
from kiln.serve.request import Array, InferRequest, LoadError, RequestError
from kiln.serve.worker import Worker

_LOG = logging.getLogger("kiln.serve")

# How long ranks may differ in the end of a run before the group counts as broken.
PATIENCE_S = 10.0
_ENDED = 70  # EX_SOFTWARE


class Communicator(Protocol):
    """What connects the ranks; ``kiln.serve.nccl.Nccl``."""

    needs_gpu: bool

    def unique_id(self) -> bytes:
        """An id for a new communicator."""

    def connect(self, ranks: int, unique_id: bytes, rank: int) -> Any:
        """Joins it; returns a capsule for set_communicator, or None."""


def of_rank(config: ModelConfig, rank: int) -> ModelConfig:
    """The configuration of one rank: ``{rank}`` in the plan's path is its number."""
    plan = config.plan
    if not isinstance(plan, bytes):
        plan = str(plan).replace("{rank}", str(rank))
    return dataclasses.replace(config, plan=plan, ranks=1, workers=1, cuda_graphs=False)


class Rank:
    """One rank but the first; an actor of Ray.

    config: plain values of a ModelConfig. communicator: import path of a Communicator.
    """

    def __init__(self, config: "dict[str, Any]", rank: int, ranks: int, communicator: str) -> None:
        self._config: ModelConfig = of_rank(from_dict(ModelConfig, config), rank)
        self._rank, self._ranks = rank, ranks
        self._communicator = communicator
        self._worker: Worker | None = None

    def connect(self, unique_id: bytes) -> int:
        """Opens the plan and joins the communicator; returns the process."""
        from kiln.serve.model import Model

        capsule = _named(self._communicator)().connect(self._ranks, unique_id, self._rank)
        model = Model.load(dataclasses.replace(self._config, warm_up=False))
        self._model = model  # which owns the worker
        self._worker = model.workers[0]
        _join(self._worker, capsule)
        return os.getpid()

    def run(self, profile: int, inputs: "dict[str, Array]") -> None:
        """Runs a batch with the other ranks. Raises RequestError."""
        assert self._worker is not None
        rows = [max(1, next(iter(inputs.values())).shape[0] if inputs else 1)]
        shapes = {name: array.shape for name, array in inputs.items()}
        request = InferRequest(inputs)
        self._worker.run(Joined([request], rows, profile, shapes, Batching()))


class GroupWorker:
    """The worker of rank 0, which runs each batch with all ranks.

    end: what to do when the group is broken; it gets the reason. It must not return in a replica,
    because a run that waits for a dead rank cannot be stopped otherwise.
    """

    def __init__(
        self, worker: Worker, ranks: "list[Any]", end: "Callable[[str], None] | None" = None
    ) -> None:
        self._worker, self._ranks = worker, ranks
        self._end = end or end_process
        self._waiting = ThreadPoolExecutor(1, "kiln-ranks")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._worker, name)

    def run(self, joined: Joined) -> "dict[str, Array]":
        """Runs a batch on all ranks; returns the outputs of rank 0. Raises RequestError."""
        import ray

        shared = ray.put(self._inputs(joined))
        runs = [rank.run.remote(joined.profile, shared) for rank in self._ranks]
        others = self._waiting.submit(self._wait, runs)
        problem: RequestError | None = None
        outputs: dict[str, Array] = {}
        try:
            outputs = self._worker.run(joined)
        except RequestError as error:
            problem = error
        try:
            problems = others.result(PATIENCE_S)
        except TimeoutError:
            self._end(f"other ranks did not finish within {PATIENCE_S:.0f} s of rank 0")
            raise RequestError(_broken("other ranks did not finish")) from problem
        if problem is not None:
            raise problem
        if problems:
            raise problems[0]
        return outputs

    def close(self) -> None:
        """Ends the ranks, then the worker."""
        import ray

        for rank in self._ranks:
            ray.kill(rank)
        self._waiting.shutdown(wait=False)
        self._worker.close()

    def _inputs(self, joined: Joined) -> "dict[str, Array]":
        """The joined inputs as arrays, once for all ranks."""
        arrays = {}
        for name, shape in joined.shapes.items():
            whole = joined.whole(name)
            if whole is None:
                whole = np.empty(shape, self._worker.inputs[name])
                joined.fill(name, whole)
            arrays[name] = whole
        return arrays

    def _wait(self, runs: "list[Any]") -> "list[RequestError]":
        """Waits for the other ranks. The death of one ends this process: rank 0 waits for it."""
        import ray
        from ray.exceptions import RayActorError, RayTaskError

        problems = []
        late = None
        left = list(runs)
        while left:
            done, left = ray.wait(left)
            try:
                ray.get(done)
            except RayActorError as error:
                self._end(f"a rank died: {str(error).splitlines()[0]}")
                problems.append(RequestError(_broken("a rank died")))
                break
            except RayTaskError as error:
                # The others may wait for the one that failed.
                if late is None:
                    late = threading.Timer(PATIENCE_S, self._end, ["a rank failed, others wait"])
                    late.daemon = True
                    late.start()
                problems.append(RequestError(str(error.cause)))
        if late is not None:
            late.cancel()
        return problems


def end_process(reason: str) -> None:
    """Ends the replica, so that Ray Serve makes a new one."""
    _LOG.critical("%s", _broken(reason))
    for handler in logging.getLogger().handlers + _LOG.handlers:
        handler.flush()
    os._exit(_ENDED)


def grouped(
    worker: Worker,
    config: ModelConfig,
    communicator: str = "kiln.serve.nccl:Nccl",
    end: "Callable[[str], None] | None" = None,
) -> GroupWorker:
    """Starts the other ranks of a model and connects all. worker: that of rank 0.

    Raises LoadError if there is no GPU, no Ray, or a rank cannot open its plan.
    """
    kind = _named(communicator)
    if kind.needs_gpu and worker.opened.device != "cuda":
        raise LoadError(
            f"[deploy] model '{worker.opened.name}', ranks: expected a plan for the target cuda, "
            f"because NCCL connects GPUs, got one for {worker.opened.device}. Set ranks to 1."
        )
    try:
        import ray
    except ImportError as error:
        raise LoadError(
            f"[deploy] model '{worker.opened.name}', ranks: several ranks need Ray: {error}. "
            "Install it: pip install 'kilnrt[serve]'"
        ) from error
    connection: Communicator = kind()
    ranks = _actors(config, communicator, kind.needs_gpu)
    try:
        unique_id = connection.unique_id()
        ready = [rank.connect.remote(unique_id) for rank in ranks]
        # All ranks must join at the same time; this call waits for the others.
        _join(worker, connection.connect(config.ranks, unique_id, 0))
        ray.get(ready)
    except Exception as error:
        for rank in ranks:
            ray.kill(rank)
        cause = getattr(error, "cause", None) or error
        raise LoadError(
            f"[deploy] model '{worker.opened.name}': its ranks cannot be connected: {cause}"
        ) from error
    return GroupWorker(worker, ranks, end)


def _actors(config: ModelConfig, communicator: str, needs_gpu: bool) -> "list[Any]":
    """The other ranks, in the bundles of the replica's placement group, else on its machine."""
    import ray
    from ray.util import scheduling_strategies as strategies

    here = ray.get_runtime_context().get_node_id()
    group = ray.util.get_current_placement_group()
    actors = []
    for rank in range(1, config.ranks):
        if group is not None:
            where: Any = strategies.PlacementGroupSchedulingStrategy(
                group, placement_group_bundle_index=rank
            )
        else:
            where = strategies.NodeAffinitySchedulingStrategy(here, soft=False)
        actor = ray.remote(Rank).options(
            num_cpus=0, num_gpus=1 if needs_gpu else 0, scheduling_strategy=where
        )
        actors.append(actor.remote(to_dict(config, False), rank, config.ranks, communicator))
    return actors


def _join(worker: Worker, capsule: Any) -> None:
    if capsule is not None and not worker.context.set_communicator(capsule):
        raise LoadError(
            f"[deploy] model '{worker.opened.name}': the context refused the communicator: "
            f"{worker.recorder.take() or 'the log says why'}"
        )


def _named(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _broken(reason: str) -> str:
    return message(f"[deploy] the group of ranks is broken, and starts again: {reason}")


__all__ = ["Communicator", "GroupWorker", "Nccl", "Rank", "grouped", "of_rank"]
