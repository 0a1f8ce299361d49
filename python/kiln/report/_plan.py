# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of a plan: kiln.describe_plan() as a graph of layers."""

import os
from typing import Any

import kiln
from kiln._messages import coded
from kiln.report import _statistics

FUSED = " + "
"""Joins the names of the layers that became one."""


def described(path: str) -> dict[str, Any]:
    """The report of a plan file. Raises ValueError if it cannot be read."""
    plan = kiln.describe_plan(path)
    if "layers" not in plan or "tensors" not in plan:
        reasons = "; ".join(problem["text"] for problem in plan["problems"])
        raise coded(ValueError, f"[report] cannot read '{path}': {reasons}")
    problems = plan["problems"]  # one for each layer of a plugin
    tensors = [dict(tensor, id=number) for number, tensor in enumerate(plan["tensors"])]
    _statistics.add(path, tensors)
    layers = [_layer(number, layer) for number, layer in enumerate(plan["layers"])]
    _add_parents(plan["layers"], layers)
    plugins = _plugins(plan, layers)
    return {
        "kiln_report": 1,
        "kind": "plan",
        "title": os.path.basename(path).removesuffix(".plan"),
        "source": os.path.basename(path),
        "facts": _facts(plan),
        "problems": [one for i, one in enumerate(problems) if one not in problems[:i]],
        "inputs": [t["id"] for t in tensors if t["role"] == "input"],
        "outputs": [t["id"] for t in tensors if t["role"] == "output"],
        "profiles": {t["name"]: t["profiles"] for t in plan["inputs"] if t.get("profiles")},
        "tensors": tensors,
        "layers": layers,
        "edges": edges(tensors, layers),
        "plugins": plugins,
        "memory": _memory(plan, tensors),
        "run": None,
    }


def _facts(plan: dict[str, Any]) -> dict[str, Any]:
    return {
        "network": plan["network"],
        "target": plan["target"],
        "instruction_set": plan["instruction_set"],
        "kiln_version": plan["kiln_version"],
        "strongly_typed": plan["strongly_typed"],
        "file_bytes": plan["file_bytes"],
        "weights": len(plan["weights"]),
        "weights_bytes": sum(entry["bytes"] for entry in plan["weights"]),
        "device_memory_bytes": plan["device_memory_bytes"],
    }


def _layer(number: int, layer: dict[str, Any]) -> dict[str, Any]:
    candidates = layer["candidates"]
    known = {f"{one['kernel']}: {one.get('refusal', '')}" for one in candidates}
    chosen = layer["kernel"]
    for one in candidates:
        one["chosen"] = one["kernel"] == chosen and "refusal" not in one
    return {
        "id": number,
        "name": layer["name"],
        "layers": layer["name"].split(FUSED),
        "op": layer["op"],
        "operations": layer.get("operations", []),
        "kernel": chosen,
        "profile_kernels": layer.get("profile_kernels", []),
        "inputs": layer["reads"],
        "outputs": layer["writes"],
        "workspace_bytes": layer["workspace_bytes"],
        "candidates": candidates,
        "refused": [text for text in layer["refused"] if text not in known],
        "rewrites": layer["rewrites"],
        "metadata": layer["metadata"],
        "parent": None,
        "plugin": None,
        "microseconds": None,
    }


def _add_parents(plan_layers: list[dict[str, Any]], layers: list[dict[str, Any]]) -> None:
    """Layers of a body name the loop or branch that runs them, the innermost one."""
    for number, layer in enumerate(plan_layers):
        end = number + 1 + sum(layer.get("bodies", []))
        for inner in range(number + 1, end):
            layers[inner]["parent"] = number  # inner loops come later, so the innermost wins


def _plugins(plan: dict[str, Any], layers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    by_layer = {layer["name"]: layer for layer in layers if layer["op"] == "plugin"}
    libraries = [library["name"] for library in plan["libraries"]]
    for number, plugin in enumerate(plan["plugins"]):
        entry = {
            key: plugin[key] for key in ("name", "version", "namespace", "style", "layer", "tactic")
        }
        entry["attributes"] = plugin["attributes"]
        entry["origin"] = _origin(plugin, libraries)
        entry["targets"] = [f"{code['target']}:{code['architecture']}" for code in plugin["code"]]
        result.append(entry)
        layer = by_layer.get(plugin["layer"])
        if layer is not None and layer["plugin"] is None:
            layer["plugin"] = number
    return result


def _origin(plugin: dict[str, Any], libraries: list[str]) -> str:
    """Where the code of a plugin comes from."""
    if plugin["code"]:
        return "compiled into the plan"
    if "source" in plugin:
        return f"Python module {plugin['source']} in the plan"
    if libraries and not plugin["registered"]:
        return f"library in the plan: {', '.join(libraries)}"
    language = "Python" if plugin["needs_python"] else "C++"
    return (
        f"{language}, registered here" if plugin["registered"] else f"{language}, not in the plan"
    )


def edges(tensors: list[dict[str, Any]], layers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Who reads what from whom: layers by number, None at inputs and outputs of the network.

    A view (a reshape, a part of a concatenation) is no layer: its reader reads from the layers
    that write the memory.
    """
    writer = {tensor: layer["id"] for layer in layers for tensor in layer["outputs"]}
    sharing: dict[int, list[int]] = {}
    for tensor in tensors:
        if "shares_with" in tensor:
            sharing.setdefault(tensor["shares_with"], []).append(tensor["id"])

    def writers(number: int) -> list[int]:
        if number in writer:
            return [writer[number]]
        root = tensors[number].get("shares_with", number)
        if root in writer:
            return [writer[root]]
        return [writer[other] for other in sharing.get(root, []) if other in writer]

    def source(number: int) -> int:
        """The tensor of the network behind a view that no layer writes."""
        root: int = tensors[number].get("shares_with", number)
        return root

    result = []
    for layer in layers:
        for number in dict.fromkeys(layer["inputs"]):
            if number < 0 or tensors[number]["role"] in ("constant", "host"):
                continue
            origins = [one for one in writers(number) if one < layer["id"]]
            result += [{"tensor": number, "from": one, "to": layer["id"]} for one in origins]
            if not origins and tensors[source(number)]["role"] == "input":
                entry = {"tensor": source(number), "from": None, "to": layer["id"]}
                result.append(entry)
    for tensor in tensors:
        if tensor["role"] == "output":
            for one in writers(tensor["id"]):
                result.append({"tensor": tensor["id"], "from": one, "to": None})
    return result


def _memory(plan: dict[str, Any], tensors: list[dict[str, Any]]) -> dict[str, Any]:
    """Bytes in use at each layer: internal tensors that are needed then, and the workspace."""
    layers = plan["layers"]
    change = [0] * (len(layers) + 1)
    for tensor in tensors:
        if tensor.get("reserved_bytes") and tensor["last_step"] < len(layers):
            change[tensor["first_step"]] += tensor["reserved_bytes"]
            change[tensor["last_step"] + 1] -= tensor["reserved_bytes"]
    in_use = []
    total = 0
    for step, layer in enumerate(layers):
        total += change[step]
        in_use.append(total + layer["workspace_bytes"])
    return {"arena_bytes": plan["device_memory_bytes"], "in_use": in_use}
