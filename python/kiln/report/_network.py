# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of a network that is not built yet: the same form, without kernels and times."""

from typing import Any

import kiln
from kiln.report._plan import edges

# Kinds that one word of the layer makes clear: the class, and the member that has it.
_SHOWN = {
    "ElementWise": ("IElementWiseLayer", "op"),
    "Unary": ("IUnaryLayer", "op"),
    "Reduce": ("IReduceLayer", "op"),
    "Activation": ("IActivationLayer", "type"),
    "Pooling": ("IPoolingLayer", "type"),
    "PluginV2": ("IPluginV2Layer", "plugin"),
    "PluginV3": ("IPluginV3Layer", "plugin"),
}
_TYPES = {"float": "float32", "half": "float16", "bf16": "bfloat16", "fp8": "float8"}
_WORDS = {
    "SOFTMAX": "SoftMax",
    "ELEMENTWISE": "ElementWise",
    "TOPK": "TopK",
    "MOE": "MoE",
    "LRN": "LRN",
    "NMS": "NMS",
    "KV": "KV",
}


def _kind(layer: Any) -> str:
    """The kind of a layer as plans name it: "MatrixMultiply"."""
    kind = kiln.ILayer.type.__get__(layer)  # the member of derived classes may be another
    return "".join(_WORDS.get(word, word.title()) for word in kind.name.split("_"))


def _detail(layer: Any, kind: str) -> Any:
    """The member in _SHOWN. get_layer() returns an ILayer, whose class can be changed."""
    name, member = _SHOWN[kind]
    before = layer.__class__
    layer.__class__ = getattr(kiln, name)
    try:
        return getattr(layer, member)
    finally:
        layer.__class__ = before


def described(network: Any) -> dict[str, Any]:
    """The report of an INetworkDefinition."""
    tensors: list[dict[str, Any]] = []
    known: dict[str, int] = {}

    def number(tensor: Any, role: str = "internal") -> int:
        if tensor is None:
            return -1
        if tensor.name not in known:
            known[tensor.name] = len(tensors)
            tensors.append(_tensor(len(tensors), tensor, role))
        return known[tensor.name]

    inputs = [number(network.get_input(i), "input") for i in range(network.num_inputs)]
    outputs = [network.get_output(i) for i in range(network.num_outputs)]
    layers = []
    plugins: list[dict[str, Any]] = []
    for index in range(network.num_layers):
        layer = network.get_layer(index)
        reads = [number(layer.get_input(i)) for i in range(layer.num_inputs)]
        writes = [number(layer.get_output(i)) for i in range(layer.num_outputs)]
        layers.append(_layer(index, layer, reads, writes, plugins))
    ends = [number(tensor) for tensor in outputs]
    for end in ends:
        tensors[end]["role"] = "output"
    return {
        "kiln_report": 1,
        "kind": "network",
        "title": network.name or "network",
        "source": "",
        "facts": {"network": network.name},
        "problems": [],
        "inputs": inputs,
        "outputs": ends,
        "profiles": {},
        "tensors": tensors,
        "layers": layers,
        "edges": edges(tensors, layers),
        "plugins": plugins,
        "memory": {"arena_bytes": 0, "in_use": []},
        "run": None,
    }


def _tensor(number: int, tensor: Any, role: str) -> dict[str, Any]:
    try:
        shape = [int(extent) for extent in tensor.shape]
    except ValueError:  # the rank is not known
        shape = []
    kind = tensor.dtype.name.lower()
    known = all(extent >= 0 for extent in shape)
    count = 1
    for extent in shape:
        count *= extent
    return {
        "id": number,
        "name": tensor.name,
        "role": role,
        "type": _TYPES.get(kind, kind),
        "format": "linear",
        "shape": shape,
        "bytes": int(count * tensor.dtype.itemsize) if known else 0,
    }


def _layer(
    number: int, layer: Any, reads: list[int], writes: list[int], plugins: list[dict[str, Any]]
) -> dict[str, Any]:
    kind = operation = _kind(layer)
    plugin = kind.startswith("Plugin")
    if kind in _SHOWN and not plugin:
        word = _detail(layer, kind).name.replace("_", " ").title().replace(" ", "")
        operation = word if kind not in ("Reduce", "Pooling") else f"{kind} {word}"
    entry: dict[str, Any] = {
        "id": number,
        "name": layer.name,
        "layers": [layer.name],
        "op": kind,
        "operations": [operation],
        "kernel": "",
        "profile_kernels": [],
        "inputs": reads,
        "outputs": writes,
        "workspace_bytes": 0,
        "candidates": [],
        "refused": [],
        "rewrites": [],
        "metadata": layer.metadata,
        "parent": None,
        "plugin": None,
        "microseconds": None,
    }
    if plugin and kind in _SHOWN:
        _add_plugin(entry, _detail(layer, kind), kind, plugins)
    return entry


def _add_plugin(
    entry: dict[str, Any], plugin: Any, kind: str, plugins: list[dict[str, Any]]
) -> None:
    name = _first(plugin, "plugin_name", "name", "plugin_type") or kind
    version = _first(plugin, "plugin_version") or ""
    entry.update(op="plugin", operations=["plugin"], plugin=len(plugins))
    space = _first(plugin, "plugin_namespace") or ""
    full = f"{space}::{name}" if space else name
    entry["kernel"] = f"{full} (version {version})" if version else full
    plugins.append(
        {
            "name": name,
            "version": version,
            "namespace": space,
            "style": kind,
            "layer": entry["name"],
            "tactic": 0,
            "attributes": {},
            "origin": f"class {type(plugin).__name__}",
            "targets": [],
        }
    )


def _first(subject: Any, *names: str) -> str:
    """The first of some attributes that is there and a text."""
    for name in names:
        try:
            value = getattr(subject, name)
        except Exception:  # a property of a plugin of the user
            continue
        if isinstance(value, str) and value:
            return value
    return ""
