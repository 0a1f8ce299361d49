# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""If, Loop and Scan against ONNX Runtime."""

import numpy as np
import onnx_lab as lab
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2

BRANCHES = """
g (bool c, float[2, 3] x) => (float[N, M] y) {
  y = If (c) <
    then_branch = t () => (ty) { ty = Mul (x, x) },
    else_branch = e () => (ey) { n = Neg (x)  ey = Abs (n) }
  >
}
"""


@pytest.mark.parametrize("truth", [True, False])
def test_branches(truth):
    lab.check(lab.model_of(BRANCHES), {"c": np.array(truth), "x": X})


# A branch that is a value from outside, one that is a constant, and two results.
PASSED = """
g (bool[1] c, float[2, 3] x, float[2, 3] z) => (float[N, M] y, float[N] k, float[N, M] w) {
  s = Add (x, z)
  y, k, w = If (c) <
    then_branch = t () => (s, k1, x) { k1 = Constant <value_floats = [1.0, 2.0]> () },
    else_branch = e () => (z, k2, w2)
      <float[2] k2 = {3.0, 4.0}> { w2 = Sub (x, z) }
  >
}
"""


@pytest.mark.parametrize("truth", [True, False])
def test_values_from_outside(truth):
    model = lab.model_of(PASSED)
    z = X + 5
    k = np.array([1, 2] if truth else [3, 4], np.float32)
    wanted = {"y": X + z, "k": k, "w": X} if truth else {"y": z, "k": k, "w": X - z}
    lab.check(model, {"c": np.array([truth]), "x": X, "z": z}, wanted=wanted)


DIFFERENT = """
g (bool c, float[N, 3] x) => (float[A, B] y, float[A, B] z) {
  y = If (c) <
    then_branch = t () => (ty) { ty = Concat <axis = 0> (x, x) },
    else_branch = e () => (ey) { ey = Relu (x) }
  >
  z = Exp (y)
}
"""


@pytest.mark.parametrize("truth", [True, False])
def test_branches_of_different_shapes(truth):
    lab.check(lab.model_of(DIFFERENT), {"c": np.array(truth), "x": X})


# The rank decides; the branch not taken has another rank, and an operator that Kiln lacks.
KNOWN = """
g (float[2, 1, 3] x) => (float[2, 3] y) {
  s = Shape (x)
  i = Constant <value_int = 1> ()
  e = Gather (s, i)
  one = Constant <value_int = 1> ()
  c = Equal (e, one)
  y = If (c) <
    then_branch = t () => (ty) { a = Constant <value_ints = [1]> () ty = Squeeze (x, a) },
    else_branch = f () => (ey) { ey = NoSuchOperator (x) }
  >
}
"""


def test_constant_condition():
    model = lab.model_of(KNOWN)
    x = X.reshape(2, 1, 3)
    lab.check(model, {"x": x}, wanted={"y": x[:, 0]})


NESTED_IF = """
g (bool c, bool d, float[2, 3] x) => (float[2, 3] y) {
  y = If (c) <
    then_branch = t () => (ty) {
      q = Exp (x)
      ty = If (d) <
        then_branch = tt () => (tty) { tty = Add (q, x) },
        else_branch = te () => (tey) { tey = Sub (q, x) }
      >
    },
    else_branch = e () => (ey) { ey = Neg (x) }
  >
}
"""


@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize("d", [True, False])
def test_nested_branches(c, d):
    lab.check(lab.model_of(NESTED_IF), {"c": np.array(c), "d": np.array(d), "x": X})


COUNTED = """
g (int64 m, float[2, 3] x) => (float[2, 3] y, float[K, 2, 3] all, int64[K] passes) {
  yes = Constant <value = bool {1}> ()
  y, all, passes = Loop (m, yes, x) <
    body = b (int64 i, bool c, float[2, 3] v) => (bool go, float[2, 3] w, float[2, 3] s, int64 i2) {
      go = Identity (c)
      f = Cast <to = 1> (i)
      t = Mul (v, f)
      w = Add (t, x)
      s = Neg (w)
      i2 = Add (i, i)
    }
  >
}
"""


@pytest.mark.parametrize("count", [0, 1, 4])
def test_counted_loop(count):
    lab.check(lab.model_of(COUNTED), {"m": np.array(count), "x": X})


def constant_count(count):
    text = COUNTED.replace("int64 m, ", "").replace(
        "yes = Const", f"m = Constant <value_int = {count}> ()\n yes = Const"
    )
    return lab.model_of(text)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_constant_count(count):
    lab.check(constant_count(count), {"x": X})


WHILE = """
g (float[2] x) => (float[2] y, int64 n) {
  limit = Constant <value_float = 100.0> ()
  m = Constant <value = int64 {9223372036854775807}> ()
  zero = Constant <value_int = 0> ()
  s = ReduceSum <keepdims = 0> (x)
  first = Less (s, limit)
  y, n = Loop (m, first, x, zero) <
    body = b (int64 i, bool c, float[2] v, int64 k) => (bool go, float[2] w, int64 k2) {
      w = Add (v, v)
      sum = ReduceSum <keepdims = 0> (w)
      go = Less (sum, limit)
      one = Constant <value_int = 1> ()
      k2 = Add (k, one)
    }
  >
}
"""


@pytest.mark.parametrize("start", [1, 60, 1000])
@pytest.mark.parametrize("bounded", [True, False])
def test_condition_on_data(start, bounded):
    text = WHILE if not bounded else WHILE.replace("int64 {9223372036854775807}", "int64 {4}")
    lab.check(lab.model_of(text), {"x": np.array([start, 0.5], np.float32)})


def test_no_limit_at_all():
    text = WHILE.replace("Loop (m, first", "Loop (, first").replace(
        "m = Constant <value = int64 {9223372036854775807}> ()", ""
    )
    lab.check(lab.model_of(text), {"x": np.array([1, 0.5], np.float32)})


# The stack has as many slices as there were passes.
WHILE_STACKED = """
g (float limit, float[2] x) => (float[2] y, float[K, 2] all) {
  m = Constant <value_int = 8> ()
  yes = Constant <value = bool {1}> ()
  y, all = Loop (m, yes, x) <
    body = b (int64 i, bool c, float[2] v) => (bool go, float[2] w, float[2] w2) {
      w = Add (v, v)
      w2 = Identity (w)
      sum = ReduceSum <keepdims = 0> (w)
      go = Less (sum, limit)
    }
  >
}
"""


@pytest.mark.parametrize("limit", [0, 20, 1e9])
def test_stack_of_a_loop_that_ends_early(limit):
    feeds = {"limit": np.float32(limit), "x": np.array([1, 2], np.float32)}
    lab.check(lab.model_of(WHILE_STACKED), {k: np.asarray(v) for k, v in feeds.items()})


# cond: what the body returns, and the condition in front of the loop.
CONDITION = """
g (int64 m, float[2] x) => (float[2] y, float[K, 2] all) {
  first = Constant <value = bool {FIRST}> ()
  y, all = Loop (m, first, x) <
    body = b (int64 i, bool c, float[2] v) => (bool go, float[2] w, float[2] w2) {
      go = Constant <value = bool {NEXT}> ()
      w = Add (v, x)
      w2 = Neg (v)
    }
  >
}
"""


@pytest.mark.parametrize(("first", "then"), [(1, 1), (1, 0), (0, 1), (0, 0)])
@pytest.mark.parametrize("count", [0, 3])
def test_constant_conditions(first, then, count):
    text = CONDITION.replace("FIRST", str(first)).replace("NEXT", str(then))
    model = lab.model_of(text)
    lab.check(model, {"m": np.array(count), "x": np.array([1, 2], np.float32)})


@pytest.mark.parametrize("then", [0, 1])
def test_constant_conditions_without_a_limit(then):
    text = CONDITION.replace("FIRST", "1").replace("NEXT", str(then))
    text = text.replace("int64 m, ", "").replace("Loop (m,", "Loop (,")
    model = lab.model_of(text)
    if then:
        assert "it would never end" in lab.refused(model)[0].desc()
    else:
        lab.check(model, {"x": np.array([1, 2], np.float32)})


def test_condition_in_front_that_is_computed():
    text = CONDITION.replace("FIRST", "1").replace("NEXT", "1")
    text = text.replace("int64 m, ", "bool first, ").replace(
        "first = Constant <value = bool {1}> ()", "m = Constant <value_int = 2> ()"
    )
    for truth in (True, False):
        feeds = {"first": np.array(truth), "x": np.array([1, 2], np.float32)}
        lab.check(lab.model_of(text), feeds)


# A row grows by one element in each pass, which no loop of a network can carry.
GROWING = """
g (float[1] x) => (float[N] y, float[K] sums) {
  m = Constant <value_int = 4> ()
  yes = Constant <value = bool {1}> ()
  y, sums = Loop (m, yes, x) <
    body = b (int64 i, bool c, float[N] v) => (bool go, float[M] w, float s) {
      go = Identity (c)
      s = ReduceSum <keepdims = 0> (v)
      axes = Constant <value_ints = [0]> ()
      row = Unsqueeze (s, axes)
      w = Concat <axis = 0> (v, row)
    }
  >
}
"""


def test_growing_value_is_unrolled():
    lab.check(lab.model_of(GROWING), {"x": np.array([2], np.float32)})


def test_growing_value_with_a_computed_count():
    text = GROWING.replace("(float[1] x)", "(int64 m, float[1] x)").replace(
        "m = Constant <value_int = 4> ()", ""
    )
    (error,) = lab.refused(lab.model_of(text))
    assert "expected the shape of the first pass, [1], in each pass, got [2]" in error.desc()


NESTED_LOOP = """
g (int64 m, float[3] x) => (float[3] y, float[K, 3] all) {
  yes = Constant <value = bool {1}> ()
  y, all = Loop (m, yes, x) <
    body = b (int64 i, bool c, float[3] v) => (bool go, float[3] w, float[3] w2) {
      go = Identity (c)
      yes2 = Constant <value = bool {1}> ()
      r, parts = Loop (i, yes2, v) <
        body = inner (int64 j, bool d, float[3] p) => (bool go2, float[3] q, float[3] q2) {
          go2 = Identity (d)
          q = Add (p, x)
          q2 = Mul (q, v)
        }
      >
      sum = ReduceSum <keepdims = 0> (r)
      zero = Constant <value_float = 0.0> ()
      positive = Greater (sum, zero)
      w = If (positive) <
        then_branch = t () => (tw) { tw = Neg (r) },
        else_branch = e () => (ew) { ew = Sub (r, x) }
      >
      w2 = Identity (w)
    }
  >
}
"""


@pytest.mark.parametrize("count", [0, 1, 4])
def test_nested_loops_and_branches(count):
    text = (
        NESTED_LOOP.replace("r, parts = Loop", "r = Loop")
        .replace("=> (bool go2, float[3] q, float[3] q2)", "=> (bool go2, float[3] q)")
        .replace("q2 = Mul (q, v)", "")
    )
    lab.check(lab.model_of(text), {"m": np.array(count), "x": np.array([1, -2, 3], np.float32)})


SCAN = """
g (float[3] h, float[2, N] x, float[N, 4] z) => (float[3] last, float[2, N] sums, float[N] back) {
  last, sums, back = Scan <num_scan_inputs = 2, scan_input_axes = [-1, 0],
      scan_input_directions = [0, 1], scan_output_axes = [1, 0], scan_output_directions = [0, 1],
    body = b (float[3] s, float[2] p, float[4] q) => (float[3] t, float[2] u, float v) {
      v = ReduceSum <keepdims = 0> (q)
      a = Add (s, v)
      t = Add (a, h)
      m = ReduceMax <keepdims = 0> (t)
      u = Mul (p, m)
    }
  > (h, x, z)
}
"""


@pytest.mark.parametrize("count", [1, 5])
def test_scan(count):
    rng = np.random.default_rng(1)
    shapes = {"h": (3,), "x": (2, count), "z": (count, 4)}
    feeds = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    lab.check(lab.model_of(SCAN), feeds)
    lab.check(lab.model_of(SCAN.replace("N", str(count))), feeds)


# Results of a body that no pass changes.
UNCHANGED = """
g (int64 m, float[2] x) => (float[2] y, float[K, 2] all, float[K] ones) {
  yes = Constant <value = bool {1}> ()
  q = Exp (x)
  y, all, ones = Loop (m, yes, x) <
    body = b (int64 i, bool c, float[2] v) => (bool c, float[2] x, float[2] q, float one) {
      one = Constant <value_float = 1.0> ()
    }
  >
}
"""


@pytest.mark.parametrize("count", [0, 3])
def test_results_that_no_pass_changes(count):
    x = np.array([1, 2], np.float32)
    wanted = {"y": x, "all": np.tile(np.exp(x), (count, 1)), "ones": np.ones(count, np.float32)}
    lab.check(lab.model_of(UNCHANGED), {"m": np.array(count), "x": x}, wanted=wanted)


@pytest.mark.parametrize("count", [1, 4])
def test_slices_by_the_number_of_the_pass(count):
    text = """
    g (float[6, 2] x) => (float[K, 2] sums) {
      m = Constant <value_int = COUNT> ()
      yes = Constant <value = bool {1}> ()
      sums = Loop (m, yes) <
        body = b (int64 i, bool c) => (bool go, float[2] s) {
          go = Identity (c)
          axes = Constant <value_ints = [0]> ()
          one = Constant <value_ints = [1]> ()
          start = Unsqueeze (i, axes)
          double = Add (start, start)
          stop = Add (double, one)
          part = Slice (x, start, stop, axes)
          s = ReduceSum <keepdims = 0> (part, axes)
        }
      >
    }
    """.replace("COUNT", str(count))
    lab.check(lab.model_of(text), {"x": np.arange(12, dtype=np.float32).reshape(6, 2)})
