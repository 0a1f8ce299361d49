# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""supports_model_v2: which subgraphs it lists, and that each of them builds when it is cut out."""

import kiln as trt
import numpy as np
import onnx_lab as lab
import pytest

import onnx
from onnx import helper

BROKEN = """
g (float[2, 3] x) => (float[6] y, float[3, 2] z) {
  s = Constant <value_ints = [3, 2]> ()
  t = Constant <value_ints = [6]> ()
  a = Neg (x)
  b = NoSuchOperator (a)
  c = Abs (b)
  d = Reshape (c, t)
  e = Exp (d)
  y = StringNormalizer (e)
  z = Reshape (x, s)
}
"""


def listed(model):
    """((nodes, supported) of each subgraph, errors)."""
    messages = lab.Messages()
    network = trt.Builder(messages).create_network(1)
    parser = trt.OnnxParser(network, messages)
    complete = parser.supports_model_v2(model.SerializeToString())
    parts = [
        (parser.get_subgraph_nodes(i), parser.is_subgraph_supported(i))
        for i in range(parser.num_subgraphs)
    ]
    assert network.num_layers == 0
    assert complete == all(supported for _, supported in parts)
    return parts, [parser.get_error(i) for i in range(parser.num_errors)]


def with_shapes(model, **shapes):
    for name, shape in shapes.items():
        model.graph.value_info.append(
            helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        )
    return model


def cut(model, nodes):
    """The nodes as a model of their own, whose inputs and outputs have the shapes of the model."""
    graph = model.graph
    kept = [graph.node[i] for i in nodes]
    infos = {v.name: v for v in [*graph.input, *graph.value_info, *graph.output]}
    made = [name for node in kept for name in node.output]
    initializers = [t for t in graph.initializer if any(t.name in n.input for n in kept)]
    known = {*made, *(t.name for t in initializers)}
    inputs = [infos[n] for n in dict.fromkeys(n for k in kept for n in k.input) if n not in known]
    read = {name for node in kept for name in node.input}
    outputs = [helper.make_empty_tensor_value_info(name) for name in made if name not in read]
    part = helper.make_graph(kept, "part", inputs, outputs, initializers)
    return helper.make_model(part, opset_imports=model.opset_import, ir_version=model.ir_version)


def build(model):
    messages = lab.Messages()
    network, _, builder = lab.parsed(model, messages)
    assert network is not None, messages.errors
    assert builder.build_serialized_network(network, builder.create_builder_config()) is not None


def test_constants_go_with_the_nodes_that_read_them():
    model = with_shapes(lab.model_of(BROKEN), b=[2, 3])
    parts, errors = listed(model)
    assert parts == [([2], True), ([3], False), ([4, 1, 5, 6], True), ([7], False), ([0, 8], True)]
    assert [error.node() for error in errors] == [3, 7]
    for nodes, supported in parts:
        if supported:
            build(cut(model, nodes))


def test_shapes_behind_an_unsupported_node_are_checked():
    model = with_shapes(lab.model_of(BROKEN), b=[2, 5])
    parts, errors = listed(model)
    assert (5 in parts[3][0]) and not parts[3][1]
    assert "Reshape" in [error.node_operator() for error in errors]


def test_a_constant_in_another_part():
    text = """
    g (float[2, 3] x) => (float[3, 2] y) {
      s = Constant <value_ints = [3, 2]> ()
      i = Constant <value = int64 {1}> ()
      a = CumSum (x, i)
      b = NoSuchOperator (a)
      y = CumSum (b, i)
    }
    """
    model = with_shapes(lab.model_of(text), b=[2, 3], i=[])
    parts, errors = listed(model)
    for nodes, supported in parts:
        if supported and [n for n in nodes if model.graph.node[n].op_type != "Constant"]:
            build(cut(model, nodes))
    assert sorted(n for nodes, _ in parts for n in nodes) == list(range(5))
    assert len(errors) >= 1


def test_everything_is_supported():
    parts, errors = listed(lab.model_of("g (float[2] x) => (float[2] y) { y = Relu (x) }"))
    assert parts == [([0], True)]
    assert errors == []


def test_nodes_with_graphs_and_functions():
    text = """
    g (bool c, float[2] x) => (float[2] y, float[2] z) {
      a = local.good (x)
      y = If (c) <
        then_branch = t () => (ty) { ty = NoSuchOperator (a) },
        else_branch = e () => (ey) { ey = Abs (a) }
      >
      z = local.bad (x)
    }
    <domain: "local", opset_import: ["" : 17]>
    good (a) => (b) { b = Neg (a) }
    <domain: "local", opset_import: ["" : 17]>
    bad (a) => (b) { b = NoSuchOperator (a) }
    """
    parts, errors = listed(lab.model_of(text))
    assert parts == [([0], True), ([1, 2], False)]
    assert [error.local_function_stack() for error in errors] == [[], ["bad"]]


FLAGS = [
    "ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA",
    "REPORT_CAPABILITY_DLA",
    "ADJUST_FOR_DLA",
]


@pytest.mark.parametrize("name", FLAGS)
def test_flags_for_dla_are_refused(name):
    messages = lab.Messages()
    parser = trt.OnnxParser(trt.Builder(messages).create_network(1), messages)
    parser.set_flag(getattr(trt.OnnxParserFlag, name))
    assert parser.get_flag(getattr(trt.OnnxParserFlag, name))
    model = lab.model_of("g (float[2] x) => (float[2] y) { y = Relu (x) }")
    assert not parser.parse(model.SerializeToString())
    assert parser.num_errors == 1
    assert "there is no DLA" in parser.get_error(0).desc()
    assert parser.get_flag(trt.OnnxParserFlag.NATIVE_INSTANCENORM)


def test_three_steps_with_initializers():
    text = "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add (x, w) }"
    model = lab.model_of(text).SerializeToString()
    messages = lab.Messages()
    builder = trt.Builder(messages)
    network = builder.create_network(1)
    parser = trt.OnnxParser(network, messages)
    weights = np.array([5, 7], np.float32)
    assert parser.load_model_proto(model)
    assert not parser.load_initializer("none", weights.ctypes.data, weights.nbytes)
    assert parser.load_initializer("w", weights.ctypes.data, weights.nbytes)
    assert parser.parse_model_proto(), messages.errors
    constant = network.get_layer(0)
    constant.__class__ = trt.IConstantLayer
    np.testing.assert_array_equal(constant.weights, weights)
    assert parser.get_used_vc_plugin_libraries() == []
