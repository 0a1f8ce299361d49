# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens the plan of a model, and reads what its engine takes and gives."""

import logging
import threading
from dataclasses import dataclass
from typing import Any

import kiln
from kiln._core import ILogger
from kiln._device_array import _NAMES
from kiln._messages import code_of
from kiln.serve.config import ModelConfig
from kiln.serve.plans import PlanFile
from kiln.serve.request import LoadError
from kiln.serve.signature import Shape, ShapeRange, Signature, TensorSpec

_LOG = logging.getLogger("kiln.serve")
_LEVELS = {
    ILogger.INTERNAL_ERROR: logging.CRITICAL,
    ILogger.ERROR: logging.ERROR,
    ILogger.WARNING: logging.WARNING,
    ILogger.INFO: logging.INFO,
    ILogger.VERBOSE: logging.DEBUG,
}


class ServeLogger(ILogger):
    """Passes messages to Python's logging, and keeps the errors of each thread for its caller."""

    def __init__(self) -> None:
        super().__init__()
        self._local = threading.local()

    def log(self, severity: ILogger.Severity, msg: str) -> None:
        """Callback: receives a message."""
        _LOG.log(_LEVELS[severity], "%s", msg, extra={"kiln_code": code_of(msg)})
        if severity in (ILogger.INTERNAL_ERROR, ILogger.ERROR):
            self._errors().append(msg)

    def _errors(self) -> list[str]:
        errors: list[str] = self._local.__dict__.setdefault("errors", [])
        del errors[:-20]
        return errors

    def take_errors(self) -> str:
        """The errors on this thread since the last call, joined."""
        errors = self._errors()
        text = "\n".join(errors)
        errors.clear()
        return text


@dataclass(frozen=True)
class OpenedEngine:
    """An engine, ready for contexts.

    device: 'cpu' or 'cuda'. plan_bytes: size of the plan. host_inputs: inputs whose values decide
    shapes. host_memory: inputs and outputs in host memory on every target. has_plugins: whether
    layers are plugins. has_python: whether plugins run Python code.
    """

    engine: Any
    runtime: Any
    logger: ServeLogger
    signature: Signature
    device: str
    plan_bytes: int
    host_inputs: "frozenset[str]"
    host_memory: "frozenset[str]"
    has_plugins: bool
    has_python: bool
    name: str


def open_plan(config: ModelConfig, plan: PlanFile) -> OpenedEngine:
    """Maps the plan and reads its signature. Raises LoadError with the messages of Kiln."""
    logger = ServeLogger()
    runtime = kiln.Runtime(logger)
    runtime.engine_host_code_allowed = config.allow_host_code
    kiln.allow_python_source(runtime, config.allow_python_source)
    engine = kiln.open_engine(runtime, plan.path)
    if engine is None:
        raise LoadError(
            f"[serve] model '{plan.name}': plan '{plan.path}' cannot be opened: "
            f"{logger.take_errors() or 'the log says why'}"
        )
    signature, host_inputs = read_signature(engine, plan.name)
    return OpenedEngine(
        engine,
        runtime,
        logger,
        signature,
        kiln._core._device_of(engine).target,
        plan.path.stat().st_size,
        host_inputs,
        frozenset(
            name
            for name in map(engine.get_tensor_name, range(engine.num_io_tensors))
            if engine.get_tensor_location(name) == kiln.TensorLocation.HOST
        ),
        bool(plan.description.get("plugins")),
        any(p["needs_python"] for p in plan.description.get("plugins", ())),
        plan.name,
    )


def read_signature(engine: Any, name: str) -> "tuple[Signature, frozenset[str]]":
    """What an engine takes and gives, and those of its inputs whose values decide shapes."""
    names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
    is_input = {n: engine.get_tensor_mode(n) == kiln.TensorIOMode.INPUT for n in names}
    specs = {n: _spec(engine, n, name) for n in names}
    inputs = tuple(specs[n] for n in names if is_input[n])
    outputs = tuple(specs[n] for n in names if not is_input[n])
    count = max(1, engine.num_optimization_profiles)
    profiles = tuple(
        {spec.name: _range(engine, spec, index) for spec in inputs} for index in range(count)
    )
    host_inputs = frozenset(s.name for s in inputs if engine.is_shape_inference_io(s.name))
    values = _values(engine, sorted(host_inputs), count)
    batch = not host_inputs and _has_batch(engine, inputs, outputs, profiles)
    return Signature(inputs, outputs, profiles, batch, values), host_inputs


def _spec(engine: Any, tensor: str, model: str) -> TensorSpec:
    kind = engine.get_tensor_dtype(tensor)
    if kind not in _NAMES:
        raise LoadError(
            f"[serve] model '{model}', tensor '{tensor}': expected a type of whole bytes, got "
            f"{kind.name}. Cast it inside of the network."
        )
    return TensorSpec(tensor, _NAMES[kind], tuple(engine.get_tensor_shape(tensor)))


def _range(engine: Any, spec: TensorSpec, profile: int) -> ShapeRange:
    if -1 not in spec.shape:
        return ShapeRange(spec.shape, spec.shape, spec.shape)
    low, best, high = engine.get_tensor_profile_shape(spec.name, profile)
    return ShapeRange(tuple(low), tuple(best), tuple(high))


def _values(engine: Any, names: "list[str]", profiles: int) -> "tuple[dict[str, ShapeRange], ...]":
    """For each profile the ranges of the values of inputs that decide shapes."""
    return tuple(
        {
            name: ShapeRange(*map(tuple, engine.get_tensor_profile_values(name, index)))
            for name in names
        }
        for index in range(profiles)
    )


def _has_batch(
    engine: Any,
    inputs: "tuple[TensorSpec, ...]",
    outputs: "tuple[TensorSpec, ...]",
    profiles: "tuple[dict[str, ShapeRange], ...]",
) -> bool:
    """Whether the first axis of all tensors is one batch, in every profile.

    The engine itself is asked: with two sizes of the batch, all outputs must grow alike.
    """
    if not inputs or any(not s.shape or s.shape[0] != -1 for s in (*inputs, *outputs)):
        return False
    strategy = kiln.ExecutionContextAllocationStrategy.USER_MANAGED  # shapes need no memory
    context = engine.create_execution_context(strategy)
    if context is None:
        return False
    for index, profile in enumerate(profiles):
        context.set_optimization_profile_async(index, 0)
        low = max(r.low[0] for r in profile.values())
        high = min(r.high[0] for r in profile.values())
        for rows in {low, high}:
            for name, known in profile.items():
                context.set_input_shape(name, (rows, *known.best[1:]))
            found: list[Shape] = [tuple(context.get_tensor_shape(s.name)) for s in outputs]
            if any(not shape or shape[0] != rows for shape in found):
                return False
    return True
