# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that a model defines, against ONNX Runtime; errors inside of them."""

import kiln as trt
import numpy as np
import onnx_lab as lab
import pytest

import onnx

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2

LAYER = """
g (float[2, 3] x) => (float[2, 3] y) {
  h = local.scaled <by = 2.5> (x)
  i = local.scaled (h)
  y = local.both (i, x)
}
<domain: "local", opset_import: ["" : 17, "local" : 1]>
scaled <by : float = 0.5> (a) => (b) {
  f = Constant <value_float : float = @by> ()
  b = Mul (a, f)
}
<domain: "local", opset_import: ["" : 17, "local" : 1]>
both (a, b) => (c) {
  a2 = local.scaled <by = 3.0> (a)
  x = Neg (b)
  c = Add (a2, x)
}
"""


def test_nested_calls_with_attributes():
    lab.check(lab.model_of(LAYER), {"x": X})


def test_names_of_layers():
    network, _, _ = lab.parsed(lab.model_of(LAYER), lab.Messages())
    names = [network.get_layer(i).name for i in range(network.num_layers)]
    assert "both_2/scaled_0/Mul_1" in names
    assert len(set(names)) == len(names)
    tensors = {network.get_layer(i).get_output(0).name for i in range(network.num_layers)}
    assert "both_2/a2" in tensors
    assert network.get_output(0).name == "y"


def test_attributes_in_branches_of_functions():
    text = """
    g (bool c, float[2, 3] x) => (float[2, 3] y) { y = local.f <flag = 1> (c, x) }
    <domain: "local", opset_import: ["" : 17]>
    f <flag> (c, a, low) => (b, unused) {
      one = Constant <value_int = 1> ()
      d = Clip (a, low)
      b = If (c) <
        then_branch = t () => (tb) { tb = CumSum <exclusive : int = @flag> (a, one) },
        else_branch = e () => (eb) { eb = Neg (d) }
      >
      unused = Exp (a)
    }
    """
    for truth in (True, False):
        wanted = np.cumsum(X, 1) - X if truth else -X
        feeds = {"c": np.array(truth), "x": X}
        lab.check(lab.model_of(text), feeds, wanted={"y": wanted})


def test_overloads():
    model = lab.model_of(LAYER.split("<domain")[0].replace("y = local.both (i, x)", "y = Neg (i)"))
    for overload, op in (("", "Exp"), ("other", "Abs")):
        function = onnx.helper.make_function(
            "local",
            "scaled",
            ["a"],
            ["b"],
            [onnx.helper.make_node(op, ["a"], ["b"])],
            [onnx.helper.make_opsetid("", 17)],
            overload=overload,
        )
        model.functions.append(function)
    for node in model.graph.node:
        node.ClearField("attribute")
    model.graph.node[1].overload = "other"
    lab.check(model, {"x": X}, wanted={"y": -np.abs(np.exp(X))})


def test_operator_set_of_a_function():
    # ReduceSum takes its axes as an attribute before operator set 13.
    text = """
    g (float[2, 3] x) => (float[2] y) { y = local.f (x) }
    <domain: "local", opset_import: ["" : 11]>
    f (a) => (b) { b = ReduceSum <axes = [1], keepdims = 0> (a) }
    """
    lab.check(lab.model_of(text), {"x": X}, wanted={"y": X.sum(1)})


def test_standard_name_defined_by_the_model():
    text = """
    g (float[2, 3] x) => (float[2, 3] y) { y = Neg (x) }
    <domain: "", opset_import: ["" : 17]>
    Neg (a) => (b) { b = Exp (a) }
    """
    lab.check(lab.model_of(text), {"x": X}, wanted={"y": np.exp(X)})


def test_constant_inputs_stay_constants():
    text = """
    g (float[2, 3] x) => (float[3, 2] y) {
      s = Constant <value_ints = [3, -1]> ()
      y = local.f (x, s)
    }
    <domain: "local", opset_import: ["" : 17]>
    f (a, s) => (b) { b = Reshape (a, s) }
    """
    lab.check(lab.model_of(text), {"x": X})


def test_error_inside_of_functions():
    text = """
    g (float[2, 3] x) => (float[2, 3] y) { h = Neg (x)  y = local.outer (h) }
    <domain: "local", opset_import: ["" : 17, "local" : 1]>
    outer (a) => (b) { b = local.inner (a) }
    <domain: "local", opset_import: ["" : 17]>
    inner (a) => (c) { b = Abs (a)  [second] c = TfIdfVectorizer (b) }
    """
    (error,) = lab.refused(lab.model_of(text))
    assert error.code() == trt.ErrorCode.UNSUPPORTED_NODE
    assert error.local_function_stack() == ["outer", "inner"]
    assert error.local_function_stack_size() == 2
    assert (error.node(), error.node_name(), error.node_operator()) == (
        1,
        "second",
        "TfIdfVectorizer",
    )
    assert error.file() == "onnx/plugin_importer.cpp"
    assert error.line() > 0
    assert error.func() == "expectCreator"
    assert "node 'second' (TfIdfVectorizer) of function 'outer' > 'inner': " in error.desc()


def test_function_that_calls_itself():
    text = """
    g (float[2] x) => (float[2] y) { y = local.f (x) }
    <domain: "local", opset_import: ["local" : 1]>
    f (a) => (b) { b = local.h (a) }
    <domain: "local", opset_import: ["local" : 1]>
    h (a) => (b) { b = local.f (a) }
    """
    (error,) = lab.refused(lab.model_of(text))
    assert "function 'f' calls itself, directly or through others" in error.desc()
    assert error.local_function_stack() == ["f", "h"]
    assert error.code() == trt.ErrorCode.INVALID_GRAPH


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("local.f (x, x, x)", "expected 2 inputs and 1 outputs at most, got 3 and 1"),
        ("local.none (x)", "no plugin creator is registered"),
        ("local.f (x)", "expected input 1"),
    ],
)
def test_wrong_calls(call, words):
    text = f"""
    g (float[2] x) => (float[2] y) {{ y = {call} }}
    <domain: "local", opset_import: ["" : 17]>
    f (a, b) => (c) {{ c = Add (a, b) }}
    """
    (error,) = lab.refused(lab.model_of(text))
    assert words in error.desc()


def test_error_in_a_branch_names_the_inner_node():
    text = """
    g (bool c, float[2] x) => (float[2] y) {
      y = If (c) <
        then_branch = t () => (a) { n = Neg (x)  [inner] a = TfIdfVectorizer (n) },
        else_branch = e () => (b) { b = Abs (x) }
      >
    }
    """
    (error,) = lab.refused(lab.model_of(text))
    assert (error.node(), error.node_name()) == (1, "inner")
    assert error.local_function_stack() == []
