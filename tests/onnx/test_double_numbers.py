# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""DOUBLE numbers that decide how often a loop runs, or how large a result is, have all digits."""

import numpy as np
import onnx_lab as lab
import pytest

import onnx

X = np.array([[0.5, -1.0, 2.0]], np.float32)

# while t < end: x += step * -x; t += step. torch.jit writes such numbers as DOUBLE.
SOLVER = """
g (float[1, 3] x0, double end) => (float[1, 3] x, double t, int64 passes) {
  most = Constant <value_int = 1000> ()
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  t0 = Constant <value = double {0.0}> ()
  step = Constant <value = double {STEP}> ()
  start = Less (t0, end)
  t, x, passes = Loop (most, start, t0, x0, zero) <
    body = b (int64 i, bool c, double told, float[1, 3] xold, int64 nold)
        => (bool goes, double tnew, float[1, 3] xnew, int64 nnew) {
      stepf = Cast <to = 1> (step)
      slope = Neg (xold)
      change = Mul (slope, stepf)
      xnew = Add (xold, change)
      tnew = Add (told, step)
      nnew = Add (nold, one)
      goes = Less (tnew, end)
    }
  >
}
"""


def passes_of(step, end, kind):
    t, passes = kind(0), 0
    while t < kind(end):
        t = t + kind(step)
        passes += 1
    return passes


@pytest.mark.parametrize("step", [0.1, 0.05, 0.01, 0.3])
def test_passes_of_a_solver(step):
    model = lab.model_of(SOLVER.replace("STEP", str(step)))
    end = np.array(1.0)
    taken = {"x0": X, "end": end.astype(np.float32)}
    results = lab.check(model, {"x0": X, "end": end}, taken=taken)
    assert results["passes"] == passes_of(step, 1.0, np.float64)


def test_float_would_take_another_number_of_passes():
    assert passes_of(0.1, 1.0, np.float64) == 11
    assert passes_of(0.1, 1.0, np.float32) == 10


# The step follows from numbers that the run gives, and the loop goes the other way.
BACK = """
g (double first, double last, int64 count) => (int64 passes, double t) {
  most = Constant <value_int = 1000> ()
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  span = Sub (first, last)
  parts = Cast <to = 11> (count)
  step = Div (span, parts)
  start = GreaterOrEqual (first, last)
  passes, t = Loop (most, start, zero, first) <
    body = b (int64 i, bool c, int64 nold, double told) => (bool goes, int64 nnew, double tnew) {
      nnew = Add (nold, one)
      tnew = Sub (told, step)
      goes = GreaterOrEqual (tnew, last)
    }
  >
}
"""


@pytest.mark.parametrize("count", [3, 7, 10, 49])
def test_steps_that_are_computed(count):
    feeds = {"first": np.array(2.0), "last": np.array(1.0), "count": np.array(count, np.int64)}
    taken = {
        name: x.astype(np.float32) if x.dtype == np.float64 else x for name, x in feeds.items()
    }
    results = lab.check(lab.model_of(BACK), feeds, taken=taken)
    t, passes = 2.0, 0
    while t >= 1.0:
        t, passes = t - 1.0 / count, passes + 1
    assert results["passes"] == passes


# Each function on numbers that FLOAT does not tell apart from others; the last digits decide.
FUNCTIONS = """
g (int64[3] n) => (float[3] result) {
  small = Constant <value = double {1e-12}> ()
  many = Constant <value = double {1e12}> ()
  x = Cast <to = 11> (n)
  part = Mul (x, small)
  BODY
  scaled = Mul (value, many)
  result = Cast <to = 1> (scaled)
}
"""
BODIES = {
    "Add": "one = Constant <value = double {1.0}> () a = Add (one, part) value = Sub (a, one)",
    "Neg": "one = Constant <value = double {1.0}> () a = Sub (part, one) b = Neg (a) "
    "value = Sub (b, one)",
    "Abs": "one = Constant <value = double {1.0}> () a = Sub (part, one) b = Abs (a) "
    "value = Sub (b, one)",
    "Max": "one = Constant <value = double {1.0}> () a = Add (one, part) b = Max (a, one) "
    "value = Sub (b, one)",
    "Min": "one = Constant <value = double {1.0}> () a = Add (one, part) b = Min (one, a) "
    "value = Sub (b, one)",
    "Sqrt": "one = Constant <value = double {1.0}> () a = Add (one, part) b = Mul (a, a) "
    "d = Sqrt (b) value = Sub (d, one)",
    "Floor": "one = Constant <value = double {1.0}> () a = Sub (one, part) b = Floor (a) "
    "value = Mul (b, small)",
    "Ceil": "one = Constant <value = double {1.0}> () a = Add (one, part) b = Ceil (a) "
    "value = Mul (b, small)",
    "Round": "half = Constant <value = double {0.5}> () a = Add (half, part) b = Round (a) "
    "value = Mul (b, small)",
    "Div": "third = Constant <value = double {3.0}> () a = Div (part, third) "
    "value = Mul (a, third)",
    "Equal": "one = Constant <value = double {1.0}> () a = Add (one, part) e = Equal (a, one) "
    "f = Cast <to = 11> (e) value = Mul (f, small)",
    "LessOrEqual": "one = Constant <value = double {1.0}> () a = Add (one, part) "
    "e = LessOrEqual (a, one) f = Cast <to = 11> (e) value = Mul (f, small)",
    "Greater": "one = Constant <value = double {1.0}> () a = Add (one, part) "
    "e = Greater (a, one) f = Cast <to = 11> (e) value = Mul (f, small)",
}


@pytest.mark.parametrize("name", BODIES)
def test_functions(name):
    n = np.array([-3, 0, 4], np.int64)
    lab.check(lab.model_of(FUNCTIONS.replace("BODY", BODIES[name]), 18), {"n": n}, 1e-3)


def test_integers_of_sums():
    text = """
g (int64 n) => (int64 whole, int32 narrow) {
  step = Constant <value = double {0.29}> ()
  x = Cast <to = 11> (n)
  y = Mul (x, step)
  whole = Cast <to = 7> (y)
  narrow = Cast <to = 6> (y)
}
"""
    results = lab.check(lab.model_of(text), {"n": np.array(100, np.int64)})
    assert results["whole"] == 28  # 29 in FLOAT


# int(rows * 0.29), as code that crops writes it: with 100 rows it is 28, in FLOAT 29.
CROP = """
g (float[N, 2] x) => (float[M, 2] y) {
  part = Constant <value = double {0.29}> ()
  first = Constant <value_ints = [0]> ()
  s = Shape (x)
  rows = Gather (s, first)
  wide = Cast <to = 11> (rows)
  product = Mul (wide, part)
  floor = Floor (product)
  end = Cast <to = 7> (floor)
  y = Slice (x, first, end, first)
}
"""


@pytest.mark.parametrize("rows", [10, 100, 200])
def test_extents(rows):
    x = np.arange(2.0 * rows, dtype=np.float32).reshape(rows, 2)
    results = lab.check(lab.model_of(CROP), {"x": x})
    assert results["y"].shape[0] == int(rows * 0.29)


BRANCHES = """
g (bool c, double x) => (double y, bool z) {
  one = Constant <value = double {1.0}> ()
  small = Constant <value = double {1e-12}> ()
  y = If (c) <
    then_branch = t () => (a) { a = Add (one, small) },
    else_branch = e () => (b) { b = Identity (x) }
  >
  z = Greater (y, one)
}
"""


@pytest.mark.parametrize("truth", [True, False])
def test_branches(truth):
    feeds = {"c": np.array(truth), "x": np.array(1.0)}
    taken = {"c": feeds["c"], "x": feeds["x"].astype(np.float32)}
    assert lab.check(lab.model_of(BRANCHES), feeds, taken=taken)["z"] == truth


def test_sparse_constants():
    """They have the digits of FLOAT."""
    values = onnx.helper.make_tensor("v", onnx.TensorProto.DOUBLE, [2], [1.5, -2.0])
    places = onnx.helper.make_tensor("v_places", onnx.TensorProto.INT64, [2], [1, 3])
    sparse = onnx.helper.make_sparse_tensor(values, places, [5])
    nodes = [
        onnx.helper.make_node("Constant", [], ["c"], sparse_value=sparse),
        onnx.helper.make_node("Cast", ["x"], ["wide"], to=onnx.TensorProto.DOUBLE),
        onnx.helper.make_node("Add", ["wide", "c"], ["sum"]),
        onnx.helper.make_node("Cast", ["sum"], ["y"], to=onnx.TensorProto.FLOAT),
    ]
    x, y = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [5]) for n in "xy")
    graph = onnx.helper.make_graph(nodes, "g", [x], [y])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    feed = np.arange(5, dtype=np.float32)
    lab.check(model, {"x": feed}, wanted={"y": feed + np.array([0, 1.5, 0, -2, 0], np.float32)})


def test_shapes_of_constants():
    text = """
g (float x) => (bool[1] y) {
  axes = Constant <value_ints = [0]> ()
  small = Constant <value = double {1.000000000001}> ()
  one = Constant <value = double {1.0}> ()
  same = Identity (small)
  vector = Unsqueeze (same, axes)
  wide = Cast <to = 11> (x)
  sum = Mul (vector, wide)
  y = Greater (sum, one)
}
"""
    assert lab.check(lab.model_of(text), {"x": np.array(1, np.float32)})["y"].tolist() == [True]
