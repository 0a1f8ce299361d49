# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What objects of the API look like at a prompt: one line each, and tables in notebooks.

A line never runs shape inference, except for a tensor: there the shape is what one asks for.
"""

import importlib
from collections.abc import Callable
from typing import Any

from kiln import _core
from kiln._words import counted, size


def shape(dims: Any) -> str:
    """A shape as a tuple; "?" if it is unknown."""
    try:
        return str(tuple(dims))
    except ValueError:  # the layer has no shape yet
        return "?"


def dtype(value: _core.DataType) -> str:
    """The name of a type as the API has it in Python."""
    names = {"FLOAT": "float32", "HALF": "float16", "BF16": "bfloat16"}
    return names.get(value.name, value.name.lower())


def network_ends(network: Any) -> tuple[list[Any], list[Any]]:
    """The inputs and outputs of a network."""
    inputs = [network.get_input(i) for i in range(network.num_inputs)]
    return inputs, [network.get_output(i) for i in range(network.num_outputs)]


def engine_ends(engine: Any) -> tuple[list[str], list[str]]:
    """The names of the inputs and outputs of an engine."""
    names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
    inputs = [n for n in names if engine.get_tensor_mode(n) == _core.TensorIOMode.INPUT]
    return inputs, [name for name in names if name not in inputs]


def layer_ends(layer: Any) -> tuple[list[Any], list[Any]]:
    """The inputs of a layer, which may be None, and its outputs."""
    inputs = [layer.get_input(i) for i in range(layer.num_inputs)]
    return inputs, [layer.get_output(i) for i in range(layer.num_outputs)]


def arrow(inputs: list[str], outputs: list[str]) -> str:
    """What goes in and what comes out."""
    return f"{', '.join(inputs) or 'nothing'} -> {', '.join(outputs) or 'nothing'}"


def name_of(tensor: Any) -> str:
    """The name of a tensor that may be None."""
    return "-" if tensor is None else str(tensor.name)


def named(kind: str, name: str) -> str:
    """The start of a line: the class, and the object's name if it has one."""
    return f"{kind} '{name}'" if name else kind


def _tensor(tensor: Any) -> str:
    role = " input" if tensor.is_network_input else " output" if tensor.is_network_output else ""
    return f"<ITensor '{tensor.name}': {dtype(tensor.dtype)} {shape(tensor.shape)}{role}>"


def _layer(layer: Any) -> str:
    inputs, outputs = layer_ends(layer)
    kind = type(layer).__name__
    if type(layer) is _core.ILayer:
        kind += f" {_core.ILayer.type.__get__(layer).name}"
    ends = arrow([name_of(t) for t in inputs], [name_of(t) for t in outputs])
    return f"<{kind} '{layer.name}': {ends}>"


def _network(network: Any) -> str:
    inputs, outputs = network_ends(network)
    ends = arrow([t.name for t in inputs], [t.name for t in outputs])
    start = named("INetworkDefinition", network.name)
    return f"<{start}: {counted(network.num_layers, 'layer')}, {ends}>"


def _engine(engine: Any) -> str:
    def shown(name: str) -> str:
        return (
            f"{name} {dtype(engine.get_tensor_dtype(name))} {shape(engine.get_tensor_shape(name))}"
        )

    inputs, outputs = engine_ends(engine)
    ends = arrow([shown(n) for n in inputs], [shown(n) for n in outputs])
    return f"<{named('ICudaEngine', engine.name)}: {counted(engine.num_layers, 'layer')}, {ends}>"


def _context(context: Any) -> str:
    def shown(name: str) -> str:
        return f"{name} {shape(context.get_tensor_shape(name))}"

    inputs, outputs = engine_ends(context.engine)
    ends = arrow([shown(n) for n in inputs], [shown(n) for n in outputs])
    start = named("IExecutionContext", context.name)
    return f"<{start}: profile {context.active_optimization_profile}, {ends}>"


def profile_inputs(profile: Any) -> list[tuple[str, list[Any]]]:
    """The inputs of a profile, each with its three shapes or lists of values."""
    found = []
    for name in getattr(profile, "_inputs", ()):
        bounds = profile.get_shape(name) or profile.get_shape_input(name)
        found.append((name, [tuple(bound) for bound in bounds]))
    return found


def _profile(profile: Any) -> str:
    inputs = [f"{n} {'..'.join(map(str, bounds))}" for n, bounds in profile_inputs(profile)]
    return f"<IOptimizationProfile: {', '.join(inputs) or 'empty'}>"


def config_facts(config: Any) -> list[tuple[str, str]]:
    """The settings of a configuration that a build looks at first."""
    flags = [flag.name for flag in _core.BuilderFlag if config.get_flag(flag)]
    return [
        ("flags", ", ".join(flags) or "none"),
        ("profiles", str(config.num_optimization_profiles)),
        ("workspace", size(config.get_memory_pool_limit(_core.MemoryPoolType.WORKSPACE))),
    ]


def _config(config: Any) -> str:
    return f"<IBuilderConfig: {', '.join(f'{n} {value}' for n, value in config_facts(config))}>"


def _host_memory(memory: Any) -> str:
    kind = "plan, " if bytes(memoryview(memory)[:4]) == PLAN_START else ""
    return f"<IHostMemory: {kind}{size(memory.nbytes)}>"


def _field(field: Any) -> str:
    text = " ".join(repr(field.data).split())
    if len(text) > 60:
        text = text[:57] + "..."
    return f"PluginField({field.name!r}, {text}, {field.type.name})"


def _fields(fields: Any) -> str:
    return f"[{', '.join(map(repr, fields))}]"


def _weights(weights: Any) -> str:
    return f"<Weights: {dtype(weights.dtype)}, {counted(weights.size, 'element')}>"


def _desc(desc: Any) -> str:
    return f"<PluginTensorDesc: {dtype(desc.type)} {shape(desc.dims)} {desc.format.name}>"


def _registry(registry: Any) -> str:
    return f"<IPluginRegistry: {counted(len(registry.all_creators), 'creator')}>"


PLAN_START = b"KILN"  # of the first eight bytes
LINES: dict[str, Callable[[Any], str]] = {
    "IBuilderConfig": _config,
    "ICudaEngine": _engine,
    "IExecutionContext": _context,
    "IHostMemory": _host_memory,
    "ILayer": _layer,
    "INetworkDefinition": _network,
    "IOptimizationProfile": _profile,
    "IPluginRegistry": _registry,
    "ITensor": _tensor,
    "PluginField": _field,
    "PluginFieldCollection": _fields,
    "PluginFieldCollection_": _fields,
    "PluginTensorDesc": _desc,
    "Weights": _weights,
}


def html(self: Any) -> "str | None":
    """The table of the object in a notebook."""
    text: str | None = importlib.import_module("kiln._show").html(self)
    return text


def _guarded(line: Callable[[Any], str]) -> Callable[[Any], str]:
    """The line, or Python's own for an object that cannot answer."""

    def text(self: Any) -> str:
        try:
            return line(self)
        except Exception:
            return object.__repr__(self)

    return text


def add_to_classes() -> None:
    """Gives the classes of the bindings their lines and tables."""
    for name, line in LINES.items():
        cls = getattr(_core, name)
        cls.__repr__ = _guarded(line)
        cls._repr_html_ = html
