# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a report: nodes with their words and sizes, and edges, for page and SVG."""

from dataclasses import dataclass
from typing import Any

from kiln.report import _layered
from kiln.report._words import extents, format_word, short, time, type_word

_LETTER = 6.7  # average width in px of a letter of 12 px
_SMALL_LETTER = 5.7
_HEIGHT = 58.0
_END_HEIGHT = 36.0
_MOST_LETTERS = 34

# What an operation is, by the first word that fits: the colour of its layers.
FAMILIES = {
    "plugin": ("plugin",),
    "control": ("Repeat", "Branch", "Require", "Loop"),
    "convolution": ("Convolution", "Deconvolution"),
    "attention": ("Attention",),
    "product": ("MatrixMultiply", "Einsum", "MoE"),
    "normalization": ("Normalization", "LayerNorm", "RmsNorm", "SoftMax", "Lrn", "RaggedSoftMax"),
    "reduction": ("Reduce", "Pooling", "TopK", "Cumulative", "ArgMax"),
    "quantization": ("Quantize", "Dequantize", "DynamicQuantize"),
    "pointwise": ("ElementWise", "Unary", "Activation", "Scale", "Select", "ParametricRelu",
                  "Gate"),
    "movement": ("Cast", "Shuffle", "Slice", "Concatenation", "Gather", "Scatter", "Resize",
                 "Transpose", "Reformat", "Copy", "Padding", "Identity", "Constant", "Fill", "Tile",
                 "ReverseSequence", "GridSample", "Squeeze", "Unsqueeze", "NonZero", "Interleave",
                 "Assertion", "Shape", "OneHot"),
}  # fmt: skip


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


def family_of(layer: dict[str, Any]) -> str:
    """The family of the operation that takes the time: that of a region's anchor."""
    kinds = [layer["op"], *layer["operations"]]
    for family, words in FAMILIES.items():
        if any(kind.lower().startswith(word.lower()) for kind in kinds for word in words):
            return family
    return "other"


def title_of(layer: dict[str, Any]) -> str:
    """The operation of a layer, for example "Convolution + Add"."""
    if layer["op"] == "plugin":
        return "Plugin"
    kinds = list(layer["operations"]) or [layer["op"]]
    told: list[str] = []
    for kind in kinds:
        if told and told[-1].split(" x")[0] == kind:
            count = int(told[-1].split(" x")[1]) if " x" in told[-1] else 1
            told[-1] = f"{kind} x{count + 1}"
        else:
            told.append(kind)
    text = " + ".join(told[:3])
    return text + (f" + {len(told) - 3} more" if len(told) > 3 else "")


def tensor_words(tensor: dict[str, Any]) -> str:
    """For an edge: "1x64x56x56 float16 nhwc"."""
    words = [extents(tensor["shape"]), type_word(tensor["type"])]
    if tensor["format"] not in ("linear", "LINEAR", ""):
        words.append(format_word(tensor["format"]))
    return " ".join(words)


def _layer_node(layer: dict[str, Any]) -> Node:
    known = layer["microseconds"] is not None
    last = [layer["kernel"]] if layer["kernel"] else []
    lines = [short(layer["name"], _MOST_LETTERS)]
    words = short(" ".join(last), _MOST_LETTERS - 10 if known else _MOST_LETTERS)
    lines.append(" · ".join([word for word in (words, time(layer["microseconds"])) if word]))
    title = short(title_of(layer), _MOST_LETTERS)
    return Node(layer["id"], None, title, [line for line in lines if line], family_of(layer))


def end_words(tensor: dict[str, Any]) -> list[str]:
    """For an input or an output of the network: its name, and what it is."""
    return [short(tensor["name"], _MOST_LETTERS), tensor_words(tensor)]


def _end_node(tensor: dict[str, Any]) -> Node:
    title, words = end_words(tensor)
    return Node(None, tensor["id"], title, [words], tensor["role"])


def picture(report: dict[str, Any]) -> Picture:
    """Places the layers, inputs and outputs of a report."""
    nodes = [_layer_node(layer) for layer in report["layers"]]
    of_input, of_output = {}, {}
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
    drawing = _layered.draw([(node.width, node.height) for node in nodes], edges)
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
