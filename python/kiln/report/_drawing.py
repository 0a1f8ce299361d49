# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a report: nodes with their words and sizes, and edges, for page and SVG."""

from dataclasses import dataclass
from typing import Any

from kiln.report import _layered
from kiln.report._words import DOT, compact, extents, format_word, short, time, type_word

_LETTER = 6.7  # average width in px of a letter of 12 px
_SMALL_LETTER = 5.7
_HEIGHT = 58.0
_END_HEIGHT = 36.0
_MOST_LETTERS = 34

# What an operation is, by the first family one of whose words begins its name: the colour of its
# layers. Of a region, the anchor comes first: it takes the time.
FAMILIES = {
    "plugin": ("plugin",),
    "control": ("Repeat", "Branch", "Require", "Loop", "Condition"),
    "convolution": ("Convolution", "Deconvolution"),
    "attention": ("Attention", "KVCache"),
    "product": ("MatrixMultiply", "Einsum", "MoE"),
    "normalization": ("Normalization", "SoftMax", "RaggedSoftMax", "LRN"),
    "reduction": ("Reduce", "Pooling", "TopK", "Cumulative", "NMS", "NonZero", "Unique"),
    "quantization": ("Quantize", "Dequantize", "DynamicQuantize"),
    "movement": ("Cast", "BitCast", "Shuffle", "Slice", "Concatenation", "Gather", "Scatter",
                 "Resize", "Reformat", "CountedCopy", "Padding", "Identity", "Constant", "Fill",
                 "ReverseSequence", "GridSample", "RoiAlign", "Interleave", "Shape", "OneHot",
                 "Squeeze", "Unsqueeze"),
}  # fmt: skip
_SHORT = {"Convolution": "Conv", "Deconvolution": "Deconv", "MatrixMultiply": "MatMul",
          "Concatenation": "Concat", "Normalization": "Norm"}  # fmt: skip
_FIRST = ("convolution", "attention", "product", "normalization", "reduction")


@dataclass
class Node:
    """A layer, or an input or output of the network."""

    layer: int | None
    tensor: int | None
    title: str
    lines: list[str]
    family: str
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0


@dataclass
class Edge:
    """A tensor on its way from a node to another one."""

    start: int
    end: int
    tensor: int
    way: list[tuple[float, float]]


@dataclass
class Picture:
    """All nodes and edges in their places."""

    nodes: list[Node]
    edges: list[Edge]
    width: float
    height: float


def _family(operation: str) -> str:
    for family, words in FAMILIES.items():
        if operation.startswith(words):
            return family
    return "pointwise"


def family_of(layer: dict[str, Any]) -> str:
    """The family of the operation that takes the time."""
    if layer["op"] in ("plugin", "Repeat", "Branch", "Require"):
        return _family(layer["op"])
    families = [_family(operation) for operation in layer["operations"] or [layer["op"]]]
    for family in _FIRST:
        if family in families:
            return family
    return "pointwise" if "pointwise" in families else families[0]


def title_of(layer: dict[str, Any]) -> str:
    """What a layer computes, for example "Conv + Sum + Relu"."""
    if layer["op"] == "plugin":
        return str(layer["kernel"]).split(" (version")[0]
    told: list[list[Any]] = []
    for operation in layer["operations"] or [layer["op"]]:
        name = _SHORT.get(operation, operation)
        if told and told[-1][0] == name:
            told[-1][1] += 1
        else:
            told.append([name, 1])
    words = [name if count == 1 else f"{count} {name}" for name, count in told]
    more = [f"{len(words) - 4} more"] if len(words) > 4 else []
    return " + ".join(words[:4] + more)


def tensor_words(tensor: dict[str, Any]) -> str:
    """For an edge: "1x64x56x56 float16 nhwc"."""
    words = [extents(tensor["shape"]), type_word(tensor["type"])]
    if tensor["format"] not in ("linear", "LINEAR", ""):
        words.append(format_word(tensor["format"]))
    return " ".join(words)


def _layer_node(layer: dict[str, Any]) -> Node:
    known = layer["microseconds"] is not None
    plugin = layer["op"] == "plugin"
    kernel = short("" if plugin else layer["kernel"], _MOST_LETTERS - (10 if known else 0))
    last = f" {DOT} ".join([word for word in (kernel, time(layer["microseconds"])) if word])
    first, more = compact(layer["layers"][0]), layer["layers"][1:]
    name = (
        short(first, _MOST_LETTERS - 3) + f" +{len(more)}" if more else short(first, _MOST_LETTERS)
    )
    title = short(title_of(layer), _MOST_LETTERS)
    return Node(layer["id"], None, title, [word for word in (name, last) if word], family_of(layer))


def end_words(tensor: dict[str, Any]) -> list[str]:
    """For an input or an output of the network: its name, and what it is."""
    return [short(tensor["name"], _MOST_LETTERS), tensor_words(tensor)]


def _end_node(tensor: dict[str, Any]) -> Node:
    title, words = end_words(tensor)
    return Node(None, tensor["id"], title, [words], tensor["role"])


def picture(report: dict[str, Any]) -> Picture:
    """Places the layers, inputs and outputs of a report."""
    nodes = [_layer_node(layer) for layer in report["layers"]]
    of_input: dict[int, int] = {}
    of_output: dict[int, int] = {}
    for names, places in ((report["inputs"], of_input), (report["outputs"], of_output)):
        for tensor in names:
            places[tensor] = len(nodes)
            nodes.append(_end_node(report["tensors"][tensor]))
    for node in nodes:
        widest = max([len(node.title) * _LETTER, *(len(t) * _SMALL_LETTER for t in node.lines)])
        node.width = min(max(widest + 28.0, 116.0), 250.0)
        node.height = _HEIGHT if node.layer is not None else _END_HEIGHT
    edges: list[tuple[int, int]] = []
    tensors = []
    for edge in report["edges"]:
        start = of_input.get(edge["tensor"]) if edge["from"] is None else edge["from"]
        end = of_output.get(edge["tensor"]) if edge["to"] is None else edge["to"]
        if start is not None and end is not None:
            edges.append((start, end))
            tensors.append(edge["tensor"])
    drawing = _layered.draw(
        [(node.width, node.height) for node in nodes], edges, list(of_input.values())
    )
    for node, (x, y) in zip(nodes, drawing.places, strict=True):
        node.x, node.y = x, y
    return Picture(
        nodes,
        [
            Edge(start, end, tensor, way)
            for (start, end), tensor, way in zip(edges, tensors, drawing.ways, strict=True)
        ],
        drawing.width,
        drawing.height,
    )
