# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes models/*.onnx from weights.npz, without training again. Needs onnx.

digits.v1.float.onnx, .half.onnx   padding by node CircPadPlugin, plugin_version "1"
digits.v2.float.onnx, .half.onnx   the same with plugin_version "2"
digits.decorated.float.onnx, .half.onnx   padding by node circ_pad of the namespace "sample"
reference.onnx                     padding by the standard Pad in mode "wrap" (ONNX 19), float

The half models have half weights, half input and half output.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).parent
OPSET = 19  # the first with Pad in mode "wrap"
NODES = {  # op_type, plugin_version, plugin_namespace
    "v1": ("CircPadPlugin", "1", ""),
    "v2": ("CircPadPlugin", "2", ""),
    "decorated": ("circ_pad", "1", "sample"),
}
MakePad = Callable[[str, str, str], onnx.NodeProto]  # (name, input, output)
CUSTOM_DOMAIN = "examples"  # engines use only the node's type; ONNX requires a domain


def plugin_pad(op_type: str, version: str, namespace: str) -> MakePad:
    """Returns a maker of plugin nodes: one pixel on each side of height and width."""

    def make(name: str, source: str, target: str) -> onnx.NodeProto:
        return helper.make_node(
            op_type,
            [source],
            [target],
            name=name,
            domain=CUSTOM_DOMAIN,
            pads=[1, 1, 1, 1],  # width before, width after, height before, height after
            plugin_version=version,
            plugin_namespace=namespace,
        )

    return make


def standard_pad(name: str, source: str, target: str) -> onnx.NodeProto:
    """A standard Pad node; its pads are an initializer."""
    return helper.make_node("Pad", [source, "pads"], [target], name=name, mode="wrap")


def make_nodes(pad: MakePad) -> list[onnx.NodeProto]:
    """The nodes in order; pad(name, source, target) makes the padding ones."""
    node = helper.make_node
    return [
        pad("pad1", "x", "padded1"),
        node("Conv", ["padded1", "conv1_kernel", "conv1_bias"], ["map1"], name="conv1"),
        node("Relu", ["map1"], ["relu1"], name="relu1"),
        node("MaxPool", ["relu1"], ["pooled"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        pad("pad2", "pooled", "padded2"),
        node("Conv", ["padded2", "conv2_kernel", "conv2_bias"], ["map2"], name="conv2"),
        node("Relu", ["map2"], ["relu2"], name="relu2"),
        node("Flatten", ["relu2"], ["flat"], name="flatten", axis=1),
        node("MatMul", ["flat", "linear_kernel"], ["product"], name="linear"),
        node("Add", ["product", "linear_bias"], ["logits"], name="add_bias"),
        node("Softmax", ["logits"], ["y"], name="softmax", axis=1),
    ]


def make_model(
    pad: MakePad,
    weights: Mapping[str, npt.NDArray[np.float32]],
    dtype: type[np.floating[Any]],
    extra: Sequence[onnx.TensorProto] = (),
) -> onnx.ModelProto:
    """Returns the network over x [N, 1, 8, 8] with result y [N, 10]; N is free."""
    onnx_type = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    initializers = [
        numpy_helper.from_array(array.astype(dtype), name) for name, array in weights.items()
    ]
    graph = helper.make_graph(
        make_nodes(pad),
        "digits",
        [helper.make_tensor_value_info("x", onnx_type, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("y", onnx_type, ["N", 10])],
        [*initializers, *extra],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CUSTOM_DOMAIN, 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="make_models.py")
    model.ir_version = 9  # the version of opset 19, so that older readers open it
    onnx.checker.check_model(model)
    return model


def main() -> None:
    """Writes the seven models."""
    with np.load(HERE / "weights.npz") as data:
        weights = dict(data)
    for name, node in NODES.items():
        for suffix, dtype in (("float", np.float32), ("half", np.float16)):
            model = make_model(plugin_pad(*node), weights, dtype)
            onnx.save(model, HERE / "models" / f"digits.{name}.{suffix}.onnx")
    # Before and after of [batch, channel, height, width], in the order of the standard Pad.
    pads = helper.make_tensor("pads", TensorProto.INT64, [8], [0, 0, 1, 1, 0, 0, 1, 1])
    model = make_model(standard_pad, weights, np.float32, [pads])
    onnx.save(model, HERE / "models" / "reference.onnx")


if __name__ == "__main__":
    main()
