# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What users configure: one dataclass for a model, one for its batches, one for the deployment.

The same fields stand in Python, in the ``args`` of Ray Serve's YAML files and behind the options
of ``kiln serve``.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kiln.serve.plain import from_dict as from_dict
from kiln.serve.plain import to_dict as to_dict


@dataclass(frozen=True)
class Pad:
    """Pads one axis of an input to the longest of a batch. axis: from 0; value: what fills it."""

    axis: int
    value: float = 0.0


@dataclass(frozen=True)
class Crop:
    """Cuts one axis of an output back to the extent that an axis of an input had in the request."""

    axis: int
    input: str
    input_axis: int


@dataclass(frozen=True)
class Batching:
    """How requests of one model are joined.

    max_size: rows in a batch; None: as many as the profiles take; 1 switches batching off.
    max_wait_ms: how long the first request of a batch waits at most while a worker is free and
    others are expected; a lone client never waits. max_queue: requests that wait; more are
    refused with status 503.
    timeout_ms: the longest wait of a request; None: no limit. pad: the inputs that may be padded,
    so that requests of different extents share a batch; the others must agree in all axes but the
    first. crop: the outputs that are cut back.
    """

    max_size: "int | None" = None
    max_wait_ms: float = 2.0
    max_queue: int = 1024
    timeout_ms: "float | None" = None
    pad: "dict[str, Pad]" = field(default_factory=dict)
    crop: "dict[str, Crop]" = field(default_factory=dict)


@dataclass(frozen=True)
class ModelConfig:
    """One model.

    plan: a plan file; the bytes of one; or a folder with a subfolder for each version (``1``,
    ``2``, ...), each with one plan file. name: in addresses; default: the stem of the file, the
    name of the folder. version: the one to serve; None: the highest number.
    plugins: Python files, modules (``package.module``) and libraries (``.so``) that register what
    the plan needs; they are code of this host and are trusted. allow_python_source: also run the
    Python sources embedded in the plan. allow_host_code: also load libraries embedded in the
    plan. Both default to False: a plan from a stranger runs no code.
    workers: execution contexts, each with a stream of its own; None: 2 on the GPU, on the CPU one
    for each ``threads`` of its cores. threads: those of a run on the CPU; None: all of the
    replica's. A process has one number for all models: those of a deployment that set it must
    agree, and the others run with as many. cuda_graphs: on the GPU, capture runs of frequent
    shapes. target: 'cpu' or 'cuda', to refuse plans for the other; None: what the plan says.
    warm_up: run each worker with zeros before the first request. ranks: GPUs of a model with
    collective layers, each with a process; they are GPUs of one machine, and ``{rank}`` in the path
    of the plan stands for the number of each.
    """

    plan: "str | Path | bytes"
    name: str = ""
    version: "str | None" = None
    plugins: "tuple[str, ...]" = ()
    allow_python_source: bool = False
    allow_host_code: bool = False
    batching: Batching = field(default_factory=Batching)
    workers: "int | None" = None
    threads: "int | None" = None
    cuda_graphs: bool = True
    target: "str | None" = None
    ranks: int = 1
    warm_up: bool = True


@dataclass(frozen=True)
class ServeConfig:
    """A deployment of one or several models.

    memory_limit: bytes that the loaded models of one replica may take; None: no limit, all models
    are loaded at the start. With a limit, models load at their first request, and those not used
    for longest go first. replicas: a number, or a dictionary with Ray Serve's fields of
    ``autoscaling_config``. num_cpus, num_gpus: of each replica. max_ongoing_requests: of each
    replica; default: those that the queues hold. health_check_period_s: between two checks of a
    replica. stall_timeout_s: a replica that has requests and ends none for so long is replaced;
    None: never. graceful_shutdown_timeout_s: the time that requests have to end before a replica
    goes. log_requests: also log requests that succeed; others are always logged. trace_steps: the
    share of the traced requests, 0 to 1, that show the steps of the engine. model_control: whether
    clients may load and unload models, each in the replica that answers. name: of the deployment
    in Ray Serve. options: more options of Ray Serve's deployments, such as
    ``max_replicas_per_node``.
    """

    models: "tuple[ModelConfig, ...]"
    memory_limit: "int | None" = None
    replicas: "int | dict[str, Any]" = 1
    num_cpus: float = 1.0
    num_gpus: float = 0.0
    max_ongoing_requests: "int | None" = None
    health_check_period_s: float = 10.0
    stall_timeout_s: "float | None" = 120.0
    graceful_shutdown_timeout_s: float = 20.0
    log_requests: bool = False
    trace_steps: float = 0.0
    model_control: bool = False
    name: str = "kiln"
    options: "dict[str, Any]" = field(default_factory=dict)
