# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln.show``: objects as tables, in a notebook as HTML and elsewhere as text."""

import html as escaping
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from kiln import _core, _repr
from kiln._messages import coded
from kiln._repr import dtype, name_of, shape
from kiln._words import size

ROWS = 100  # of a table, unless the caller wants more
STYLE = "text-align: left; vertical-align: top; padding: 2px 12px 2px 4px"


class Table(NamedTuple):
    """A table with a title."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


class View:
    """What ``show`` returns: tables when it is printed, in a notebook a drawing or tables."""

    def __init__(self, value: Any, limit: "int | None", height: int) -> None:
        self._tables = _shortened(tables(value), limit)
        self._value, self._height = value, height

    def __repr__(self) -> str:
        return "\n\n".join(map(_text, self._tables))

    def _repr_html_(self) -> str:
        return _drawing(self._value, self._height) or _drawn_tables(self._tables)


def show(value: Any, limit: "int | None" = ROWS, height: int = 480) -> View:
    """Shows a network, an engine, a plan or another object of the API.

    A notebook draws networks, engines and plans as ``kiln report`` does, without times, and other
    objects as tables. ``print`` writes tables as text.

    value: the object; also a layer, tensor, context, profile, configuration or a plugin's fields.
    limit: rows of each table. Default: 100. None: all of them. height: of a drawing, in pixels.
    Raises TypeError for other objects.
    """
    return View(value, limit, height)


def _drawing(value: Any, height: int) -> "str | None":
    """The drawing of a network, an engine or a plan; None for others, and if it fails."""
    drawn = (_core.INetworkDefinition, _core.ICudaEngine, _core.IHostMemory, bytes, bytearray)
    if not isinstance(value, drawn):
        return None
    from kiln import report

    try:
        return report.to_frame(report.describe(value), height=height)
    except Exception:  # a network with a mistake, a plan without weights: tables show more
        return None


def html(value: Any) -> "str | None":
    """The HTML of an object; None if it has none, so that a notebook shows its line of text."""
    try:
        return _drawn_tables(_shortened(tables(value), ROWS))
    except Exception:
        return None


def tables(value: Any) -> list[Table]:
    """The tables of an object."""
    for kind in type(value).__mro__:
        if kind.__name__ in TABLES and kind.__module__ == _core.__name__:
            return TABLES[kind.__name__](value)
    if isinstance(value, bytes | bytearray | memoryview):
        return _plan(value)
    known = ", ".join(sorted(TABLES))
    raise coded(
        TypeError, f"kiln.show: expected one of {known}, or the bytes of a plan, got {value!r}"
    )


def _network(network: Any) -> list[Table]:
    inputs, outputs = _repr.network_ends(network)
    ends = [("input", *_tensor_row(t)) for t in inputs]
    ends += [("output", *_tensor_row(t)) for t in outputs]
    layers = [network.get_layer(i) for i in range(network.num_layers)]
    rows = [(i, *_layer_row(layer)) for i, layer in enumerate(layers)]
    return [
        Table(_repr.named("Network", network.name), ("", "tensor", "type", "shape"), ends),
        Table("Layers", ("", "layer", "kind", "inputs", "outputs"), rows),
    ]


def _tensor_row(tensor: Any) -> tuple[str, str, str]:
    if tensor is None:
        return "-", "-", "-"
    return tensor.name, dtype(tensor.dtype), shape(tensor.shape)


def _layer_row(layer: Any) -> tuple[str, str, str, str]:
    inputs, outputs = _repr.layer_ends(layer)
    results = [f"{t.name} {dtype(t.dtype)} {shape(t.shape)}" for t in outputs]
    kind = _core.ILayer.type.__get__(layer).name
    return layer.name, kind, ", ".join(map(name_of, inputs)), ", ".join(results)


def _layer(layer: Any) -> list[Table]:
    inputs, outputs = _repr.layer_ends(layer)
    rows = [("input", *_tensor_row(t)) for t in inputs]
    rows += [("output", *_tensor_row(t)) for t in outputs]
    kind = _core.ILayer.type.__get__(layer).name
    return [Table(f"{kind} '{layer.name}'", ("", "tensor", "type", "shape"), rows)]


def _tensor(tensor: Any) -> list[Table]:
    return [Table("", ("tensor", "type", "shape"), [_tensor_row(tensor)])]


def _engine(engine: Any) -> list[Table]:
    inputs, outputs = _repr.engine_ends(engine)
    rows = []
    for role, names in (("input", inputs), ("output", outputs)):
        for name in names:
            kind = dtype(engine.get_tensor_dtype(name))
            profiles = _profiles(engine, name) if role == "input" else ""
            rows.append((role, name, kind, shape(engine.get_tensor_shape(name)), profiles))
    columns = ("", "tensor", "type", "shape", "profiles")
    title = f"{_repr.named('Engine', engine.name)}: {size(engine.device_memory_size_v2)} of memory"
    return [Table(title, columns, rows), *_steps(engine)]


def _profiles(engine: Any, name: str) -> str:
    if -1 not in tuple(engine.get_tensor_shape(name)):
        return ""
    count = engine.num_optimization_profiles
    found = [engine.get_tensor_profile_shape(name, index) for index in range(count)]
    return "; ".join("..".join(map(shape, bounds)) for bounds in found)


def _steps(engine: Any) -> list[Table]:
    """The layers as the engine runs them, in as much detail as the build kept."""
    text = engine.create_engine_inspector().get_engine_information(
        _core.LayerInformationFormat.JSON
    )
    layers = json.loads(text).get("Layers", [])
    if layers and isinstance(layers[0], str):
        rows: list[Any] = [(index, name) for index, name in enumerate(layers)]
        return [Table("Layers", ("", "layer"), rows)]
    rows = [
        (i, layer.get("Name", ""), layer.get("LayerType", ""), layer.get("TacticName", ""))
        for i, layer in enumerate(layers)
    ]
    return [Table("Layers", ("", "layer", "kind", "kernel"), rows)]


def _context(context: Any) -> list[Table]:
    rows = []
    inputs, outputs = _repr.engine_ends(context.engine)
    for role, names in (("input", inputs), ("output", outputs)):
        for name in names:
            bound = "yes" if context.get_tensor_address(name) else "no"
            rows.append((role, name, shape(context.get_tensor_shape(name)), bound))
    title = f"Context, profile {context.active_optimization_profile}"
    return [Table(title, ("", "tensor", "shape", "address set"), rows)]


def _profile(profile: Any) -> list[Table]:
    rows = [(name, *bounds) for name, bounds in _repr.profile_inputs(profile)]
    return [Table("Optimization profile", ("input", "min", "opt", "max"), rows)]


def _config(config: Any) -> list[Table]:
    return [Table("Configuration", ("setting", "value"), _repr.config_facts(config))]


def _plan(memory: Any) -> list[Table]:
    """Describes a plan through a file without a name, because descriptions are made of files."""
    data = memoryview(memory)
    file = os.memfd_create("kiln plan")
    try:
        with open(file, "wb", closefd=False) as written:
            written.write(data)
        silent = _core.Logger(_core.Logger.INTERNAL_ERROR)
        text = _core._describe_plan(f"/proc/self/fd/{file}", silent)
    finally:
        os.close(file)
    plan = json.loads(text or "{}")
    facts = [("size", size(data.nbytes))]
    facts += [(name, plan[name]) for name in ("network", "target") if plan.get(name)]
    for end in ("inputs", "outputs"):
        facts += [(end[:-1], _end(tensor)) for tensor in plan.get(end, [])]
    facts += [("plugin", f"{p['name']} (version {p['version']})") for p in plan.get("plugins", [])]
    facts += [("problem", problem["text"]) for problem in plan.get("problems", [])]
    return [Table("Plan", ("", ""), facts)]


def _end(tensor: dict[str, Any]) -> str:
    return f"{tensor['name']} {tensor['type']} {tuple(tensor['shape'])}"


def _fields(fields: Any) -> list[Table]:
    rows = [(field.name, field.type.name, field.data) for field in fields]
    return [Table("", ("field", "type", "value"), rows)]


TABLES: dict[str, Callable[[Any], list[Table]]] = {
    "IBuilderConfig": _config,
    "ICudaEngine": _engine,
    "IExecutionContext": _context,
    "IHostMemory": _plan,
    "ILayer": _layer,
    "INetworkDefinition": _network,
    "IOptimizationProfile": _profile,
    "ITensor": _tensor,
    "PluginField": lambda field: _fields([field]),
    "PluginFieldCollection": _fields,
    "PluginFieldCollection_": _fields,
}


def _shortened(found: list[Table], limit: "int | None") -> list[Table]:
    if limit is None:
        return found
    return [
        table
        if len(table.rows) <= limit
        else table._replace(
            title=f"{table.title} (the first {limit} of {len(table.rows)}; limit=None shows all)",
            rows=table.rows[:limit],
        )
        for table in found
    ]


def _text(table: Table) -> str:
    lines = [[str(cell) for cell in row] for row in (table.columns, *table.rows)]
    if not any(table.columns):
        del lines[0]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.columns))]
    texts = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return "\n".join([table.title] * bool(table.title) + texts)


def _drawn_tables(found: list[Table]) -> str:
    return "".join(map(_html, found))


def _html(table: Table) -> str:
    def row(cells: Sequence[object], tag: str) -> str:
        made = (f'<{tag} style="{STYLE}">{escaping.escape(str(c))}</{tag}>' for c in cells)
        return f"<tr>{''.join(made)}</tr>"

    head = f"<thead>{row(table.columns, 'th')}</thead>" if any(table.columns) else ""
    body = "".join(row(cells, "td") for cells in table.rows)
    title = f"<div><b>{escaping.escape(table.title)}</b></div>" if table.title else ""
    return f"{title}<table>{head}<tbody>{body}</tbody></table>"
